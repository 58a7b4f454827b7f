/**
 * terminal-facts: what stdin, stdout and stderr are, and how text gets to the last two, at the least cost.
 *
 * Node's own streams take as long to load as a small command takes to run, so text is written to the descriptors
 * themselves, and the streams are asked only where there may be a terminal behind them.
 */
import { fstatSync, statSync, writeSync } from 'node:fs'

export interface TerminalFacts {
  readonly isTerminal: { readonly out: boolean; readonly err: boolean }
  readonly canAsk: boolean
  readonly columns: number | undefined
  readonly columnsBeside: number | undefined
  readonly hasColor: { readonly out: boolean; readonly err: boolean }
}

export function lookAtTerminal(): TerminalFacts {
  const { env } = process
  const isTerminal = {
    out: mayBeTerminal(1) && process.stdout.isTTY,
    err: mayBeTerminal(2) && process.stderr.isTTY,
  }
  return {
    isTerminal,
    canAsk: isTerminal.out && mayBeTerminal(0) && process.stdin.isTTY,
    columns: isTerminal.out ? process.stdout.columns || UNKNOWN_COLUMNS : undefined,
    columnsBeside: isTerminal.err ? process.stderr.columns || UNKNOWN_COLUMNS : undefined,
    hasColor: { out: hasColor(isTerminal.out, env), err: hasColor(isTerminal.err, env) },
  }
}

/** A terminal that does not know its size says 0. It is a terminal all the same: text for it must be made printable. */
export const UNKNOWN_COLUMNS = 80

export interface Held {
  pause(): unknown
  resume(): unknown
  isPaused(): boolean
}

export interface Writer {
  write(descriptor: 1 | 2, text: string): void
  /** Whether text is still on its way through a pipe that is full. */
  isWriting(): boolean
  /** From now on, nothing is taken from there while what was written is not read. Default: stdin. */
  holdInput(from?: Held): void
}

/** Written, and not read by the other side: nothing more is asked for. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024

/** What was asked for before may still come. With more than this the other side is taken for dead, and the process ends. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024

export function createWriter(): Writer {
  const onTheirWay = { 1: 0, 2: 0 }
  let held: Held | undefined
  return {
    isWriting: () => onTheirWay[1] + onTheirWay[2] > 0,
    holdInput: (from = process.stdin) => void (held = from),
    write(descriptor, text) {
      const bytes = Buffer.from(text)
      // What is still on its way must not be overtaken.
      const rest = onTheirWay[descriptor] > 0 ? bytes : writeNow(descriptor, bytes)
      if (rest.length === 0) return
      onTheirWay[descriptor] += 1
      // The stream waits until the reader has made room.
      const stream = descriptor === 1 ? process.stdout : process.stderr
      if (stream.listenerCount('error', ignore) === 0) stream.on('error', ignore) // the callback tells
      stream.write(rest, (error) => {
        onTheirWay[descriptor] -= 1
        if (error) giveUp(descriptor, error)
      })
      const from = held
      const isTooMuch = stream.writableLength > MAX_KEPT_BYTES && onTheirWay[descriptor] > 1
      if (from !== undefined && isTooMuch) giveUp(descriptor, new Error(NOT_READ))
      if (from === undefined || stream.writableLength < MAX_UNREAD_BYTES || from.isPaused()) return
      from.pause()
      stream.once('drain', () => from.resume())
    },
  }
}

const NOT_READ = `the other side does not read, and over ${MAX_KEPT_BYTES / 1024 / 1024} MB wait for it`

/** Terminals are character devices, and so is the device that swallows everything. */
export function mayBeTerminal(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor)
    if (process.platform === 'win32') return true
    return stats.isCharacterDevice() && stats.rdev !== statSync('/dev/null').rdev
  } catch {
    return false // closed: nobody is there
  }
}

/** What could not be written, because somebody made the pipe non-blocking and it is full. */
function writeNow(descriptor: 1 | 2, text: Buffer): Buffer {
  let rest = text
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') {
      giveUp(descriptor, error as NodeJS.ErrnoException)
      return Buffer.alloc(0)
    }
  }
  return rest
}

/** Ends the process when its answer cannot be written. Whatever cannot be said on stderr is lost, and the command goes on. */
function giveUp(descriptor: 1 | 2, error: NodeJS.ErrnoException): void {
  // The reader went away (`plugboard list | head`): there is nobody left to tell.
  if (error.code === 'EPIPE') process.exit()
  if (descriptor === 2) return
  const { getSystemErrorMap } = process.getBuiltinModule('node:util')
  const reason = getSystemErrorMap().get(error.errno ?? 0)?.[1] ?? error.message
  try {
    writeSync(2, `error: cannot write to standard output: ${reason}\n`)
  } catch {
    // stderr is just as full: the exit code tells
  }
  process.exit(1)
}

function ignore(): void {}

/** What the user says outranks what the terminal is; FORCE_COLOR outranks NO_COLOR, as it does in Node itself. */
function hasColor(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  if ((env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb') return false
  return isTerminal
}
