/**
 * parse: turns argv into the command to run with its flags and arguments, or into the fault of the line.
 *
 * Flags may stand before or after the command. `--help` and `--version` take precedence over every fault.
 */
import type { Problem } from '../../model/problem.ts'
import type { Command, Flag, Flags } from './command.ts'
import { GLOBAL_FLAGS, PLUGBOARD } from './commands.ts'
import {
  missingArgument,
  missingValue,
  tooManyArguments,
  unknownCommand,
  unknownFlag,
  unwantedValue,
} from './problems.ts'
import { usageOf } from './usage.ts'

export type ParsedLine =
  | {
      readonly kind: 'run'
      readonly command: Command
      readonly flags: Flags
      readonly args: readonly string[]
    }
  /** From the program down to the command of the help page. */
  | { readonly kind: 'help'; readonly path: readonly Command[] }
  | { readonly kind: 'version' }
  /** A shell asks while the user types. */
  | { readonly kind: 'complete'; readonly question: readonly string[] }
  | { readonly kind: 'problem'; readonly problem: Problem }

/** `seat`: whether a user sits at the terminal. That user gets the shell when the line names no command. */
export function parseLine(argv: readonly string[], seat: 'person' | 'nobody' = 'nobody'): ParsedLine {
  if (argv[0] === '__complete') return { kind: 'complete', question: argv.slice(1) }
  const words = splitLine(argv)
  if (words.positional[0] === 'help')
    return { kind: 'help', path: findCommand(words.positional.slice(1)).path }
  const { path, rest, stray } = findCommand(words.positional)
  const given = new Set(words.flags.map(({ flag }) => flag?.name))
  if (given.has('help')) return { kind: 'help', path }
  if (given.has('version')) return { kind: 'version' }
  if (stray !== undefined) return toProblem(unknownCommand(stray, nameOf(path), namesOf(path.at(-1)!)))
  const full = [...path, ...defaultsFor(path, words.flags, seat)]
  const flags = words.flags.map((one) => withOwn(one, full.at(-1)!))
  const problem = checkFlags(flags, full) ?? checkArguments(rest, full)
  if (problem !== undefined) return toProblem(problem)
  return { kind: 'run', command: full.at(-1)!, flags: toFlags(flags), args: rest }
}

/** Whether the line asks for JSON, even when the rest of it cannot be parsed. */
export function asksForJson(argv: readonly string[]): boolean {
  return splitLine(argv).flags.some(({ flag }) => flag?.name === 'json')
}

/** A flag as the user wrote it; `flag` is undefined when no command has it. */
export interface GivenFlag {
  readonly spelled: string
  readonly flag: Flag | undefined
  readonly value?: string
}

interface Line {
  readonly flags: readonly GivenFlag[]
  readonly positional: readonly string[]
  /** Every later word is an argument, even if it looks like a flag. */
  readonly isOver: boolean
}

/**
 * The command named so far decides what a flag means. Before any command, a flag means what any command means by it.
 */
export function splitLine(argv: readonly string[]): Line {
  const flags: GivenFlag[] = []
  const positional: string[] = []
  let isOver = false
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!
    if (word === '--') {
      isOver = true
      positional.push(...argv.slice(i + 1))
      break
    }
    if (!/^-./.test(word)) {
      positional.push(word)
      if (!endsFlags(positional)) continue
      isOver = true
      positional.push(...argv.slice(i + 1))
      break
    }
    const [, spelled, inline] = /^([^=]*)(?:=(.*))?$/s.exec(word)!
    const flag = findFlag(spelled!, positional)
    const next = argv[i + 1]
    const takesNext =
      flag?.value !== undefined && inline === undefined && next !== undefined && !/^-./.test(next)
    if (takesNext) i++
    const value = takesNext ? next : inline
    flags.push({ spelled: spelled!, flag, ...(value === undefined ? {} : { value }) })
    const goesOn = value === undefined ? undefined : flag?.goesOn
    while (goesOn?.test(argv[i + 1] ?? '') === true)
      flags.push({ spelled: spelled!, flag, value: argv[++i]! })
  }
  return { flags, positional, isOver }
}

function findFlag(spelled: string, positional: readonly string[]): Flag | undefined {
  const own = findCommand(positional).path.at(-1)!.flags
  return [...own, ...ALL_FLAGS].find((known) => spellingsOf(known).includes(spelled))
}

/** Whether flags end here, for the command that these words name. */
function endsFlags(positional: readonly string[]): boolean {
  const { path, rest } = findCommand(positional)
  return path.at(-1)!.endsFlags?.(rest) === true
}

const ALL_FLAGS: readonly Flag[] = [...GLOBAL_FLAGS, ...flagsBelow(PLUGBOARD)]

function flagsBelow(command: Command): readonly Flag[] {
  return [...command.flags, ...(command.commands ?? []).flatMap(flagsBelow)]
}

export function spellingsOf({ name, short }: Flag): string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]
}

/** Walks down the tree; `stray` is a word that should have been a command. */
export function findCommand(positional: readonly string[]): {
  readonly path: readonly Command[]
  readonly rest: readonly string[]
  readonly stray?: string
} {
  const path = [PLUGBOARD]
  for (const [i, word] of positional.entries()) {
    const { commands } = path.at(-1)!
    if (commands === undefined) return { path, rest: positional.slice(i) }
    const next = commands.find(({ name, aliases = [] }) => name === word || aliases.includes(word))
    if (next === undefined) return { path, rest: [], stray: word }
    path.push(next)
  }
  return { path, rest: [] }
}

/** The shell on a terminal, unless a flag asks for something else. */
function defaultsFor(
  path: readonly Command[],
  given: readonly GivenFlag[],
  seat: 'person' | 'nobody',
): readonly Command[] {
  const command = path.at(-1)!
  const shell = command.commands?.find(({ name }) => name === 'shell')
  const flags = [...(shell?.flags ?? []), ...GLOBAL_FLAGS].filter(({ name }) => name !== 'json')
  const isForShell = given.every(({ flag }) => flags.some(({ name }) => name === flag?.name))
  if (seat === 'person' && shell !== undefined && isForShell) return [shell]
  return defaultsOf(command)
}

/** The commands that run when the line names only a group. */
function defaultsOf(command: Command): readonly Command[] {
  const first = command.commands?.[0]
  return first === undefined ? [] : [first, ...defaultsOf(first)]
}

/** Several commands have a `--scope`, and only some of them may repeat it. */
function withOwn(given: GivenFlag, { flags }: Command): GivenFlag {
  const own = flags.find((flag) => spellingsOf(flag).includes(given.spelled))
  return own === undefined ? given : { ...given, flag: own }
}

function checkFlags(given: readonly GivenFlag[], path: readonly Command[]): Problem | undefined {
  const known = [...path.at(-1)!.flags, ...GLOBAL_FLAGS]
  for (const { spelled, flag, value } of given) {
    const isKnown = known.some(({ name }) => name === flag?.name)
    if (flag === undefined || !isKnown) {
      return unknownFlag(
        spelled,
        nameOf(path),
        known.map(({ name }) => `--${name}`),
      )
    }
    if (flag.value === undefined && value !== undefined) return unwantedValue(spelled)
    if (flag.value !== undefined && (value ?? '') === '') return missingValue(spelled, flag.value)
  }
  return undefined
}

function checkArguments(args: readonly string[], path: readonly Command[]): Problem | undefined {
  const wanted = path.at(-1)!.arguments
  const isEnough = wanted[0]?.alone?.includes(args[0] ?? '') === true
  const needed = isEnough ? [] : wanted.filter(({ count }) => count === 'one' || count === 'some')
  const limit = wanted.some(({ count }) => count === 'some' || count === 'any') ? Infinity : wanted.length
  if (args.length < needed.length) {
    return missingArgument(nameOf(path), needed[args.length]!, usageOf(path))
  }
  return args.length > limit ? tooManyArguments(nameOf(path), args[limit]!, usageOf(path)) : undefined
}

function toFlags(given: readonly GivenFlag[]): Flags {
  const flags: Record<string, true | string | readonly string[]> = {}
  for (const { flag, value } of given) {
    const { name, isRepeatable } = flag!
    const before = (flags[name] ?? []) as readonly string[]
    flags[name] = value === undefined ? true : isRepeatable === true ? [...before, value] : value
  }
  return flags
}

function nameOf(path: readonly Command[]): string {
  return path.map(({ name }) => name).join(' ')
}

function namesOf(command: Command): string[] {
  return (command.commands ?? []).map(({ name }) => name)
}

function toProblem(problem: Problem): ParsedLine {
  return { kind: 'problem', problem }
}
