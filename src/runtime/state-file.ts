/**
 * state-file: a small JSON file of ours that holds what a user decided.
 *
 * in     a file in the user's own state folder, and how its contents are checked
 * out    its contents; a file that cannot be parsed holds nothing, and is a problem
 * never  overwrites a file that it cannot parse, or writes a file that others can read
 */
import { isObject } from '../base/is-object.ts'
import type { Problem } from '../model/problem.ts'
import { ProblemError } from '../problem/problem.ts'
import type { FileRead, World } from '../world/world.ts'

export interface StateFile<T> {
  readonly file: string
  /** The value when there is no file. */
  readonly empty: T
  /** Undefined for contents that are not valid. */
  parse(value: Readonly<Record<string, unknown>>): T | undefined
  /** In a stable order. */
  format(value: T): object
  damaged(file: string): Problem
  unwritable(file: string, why: string): Problem
}

export interface ReadState<T> {
  readonly value: T
  readonly problem?: Problem
  /** The text as read, to detect a change. */
  readonly text: string | undefined
}

const VERSION = 1

export function readState<T>(world: World, state: StateFile<T>): ReadState<T> {
  return toReadState(state, world.files.read(state.file))
}

function toReadState<T>(state: StateFile<T>, read: FileRead): ReadState<T> {
  if (read.kind === 'missing') return { value: state.empty, text: undefined }
  if (read.kind === 'unreadable')
    return { value: state.empty, problem: state.damaged(state.file), text: undefined }
  return parseState(state, read.text)
}

/** Returns the same value as before when the file did not change. */
export function rereadState<T>(world: World, state: StateFile<T>, before: ReadState<T>): ReadState<T> {
  const read = world.files.read(state.file)
  const isSame =
    before.text === undefined
      ? read.kind === 'missing' && before.problem === undefined
      : read.kind === 'text' && read.text === before.text
  return isSame ? before : toReadState(state, read)
}

/** Reads, changes and writes under a lock. Throws the problems of `damaged` and `unwritable`. */
export async function updateState<T>(
  world: World,
  state: StateFile<T>,
  change: (value: T) => T,
): Promise<void> {
  const write = world.files.update(state.file, 0o600, (text) => {
    const { value, problem } =
      text === undefined ? { value: state.empty, problem: undefined } : parseState(state, text)
    if (problem !== undefined) throw new ProblemError(problem)
    return `${JSON.stringify({ version: VERSION, ...state.format(change(value)) }, undefined, 2)}\n`
  })
  await write.catch((error: unknown) => {
    if (error instanceof ProblemError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new ProblemError(state.unwritable(state.file, why))
  })
}

function parseState<T>(state: StateFile<T>, text: string): ReadState<T> {
  const json = tryJson(text)
  const value = isObject(json) && json['version'] === VERSION ? state.parse(json) : undefined
  return value === undefined
    ? { value: state.empty, problem: state.damaged(state.file), text }
    : { value, text }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined // the caller reports a damaged file
  }
}
