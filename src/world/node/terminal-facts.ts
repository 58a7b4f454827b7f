/**
 * terminal-facts: what stdin, stdout and stderr are, and how to write text to the last two at the least cost.
 *
 * Node's own streams take as long to load as a small command takes to run. So text is written to the descriptors
 * themselves. The streams are used only where a terminal may be behind them.
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

/**
 * For a terminal that does not know its size and says 0. It is a terminal all the same: text for it must be made
 * printable.
 */
export const UNKNOWN_COLUMNS = 80

export interface Held {
  pause(): unknown
  resume(): unknown
  isPaused(): boolean
}

export interface Writer {
  write(descriptor: 1 | 2, text: string): void
  /** Whether a full pipe still holds text back. */
  isWriting(): boolean
  /** From now on, this input is not read while our output is not read. Default: stdin. */
  holdInput(from?: Held): void
}

/** Output that the other side has not read. Beyond this, input is not read. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024

/** Responses to earlier requests may still come. Beyond this, the other side counts as dead, and the process ends. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024

export function createWriter(): Writer {
  const onTheirWay = { 1: 0, 2: 0 }
  let held: Held | undefined
  return {
    isWriting: () => onTheirWay[1] + onTheirWay[2] > 0,
    holdInput: (from = process.stdin) => void (held = from),
    write(descriptor, text) {
      const bytes = Buffer.from(text)
      // New text must not overtake text that is still waiting.
      const rest = onTheirWay[descriptor] > 0 ? bytes : writeNow(descriptor, bytes)
      if (rest.length === 0) return
      onTheirWay[descriptor] += 1
      // The stream waits until the reader has taken enough.
      const stream = descriptor === 1 ? process.stdout : process.stderr
      if (stream.listenerCount('error', ignore) === 0) stream.on('error', ignore) // the callback reports it
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

/** Terminals are character devices, and so is the null device. */
export function mayBeTerminal(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor)
    if (process.platform === 'win32') return true
    return stats.isCharacterDevice() && stats.rdev !== statSync('/dev/null').rdev
  } catch {
    return false // the descriptor is closed
  }
}

/** Returns what could not be written: the pipe is full, and another process made it non-blocking. */
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

/**
 * Ends the process when its output cannot be written. Text for stderr that cannot be written is lost, and the command
 * continues.
 */
function giveUp(descriptor: 1 | 2, error: NodeJS.ErrnoException): void {
  // The reader is gone (`plugboard list | head`), so no reader can get an error message.
  if (error.code === 'EPIPE') process.exit()
  if (descriptor === 2) return
  const { getSystemErrorMap } = process.getBuiltinModule('node:util')
  const reason = getSystemErrorMap().get(error.errno ?? 0)?.[1] ?? error.message
  try {
    writeSync(2, `error: cannot write to standard output: ${reason}\n`)
  } catch {
    // stderr is full as well: the exit code reports it
  }
  process.exit(1)
}

function ignore(): void {}

/** The user's choice outranks what the terminal is. FORCE_COLOR outranks NO_COLOR, as in Node itself. */
function hasColor(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  if ((env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb') return false
  return isTerminal
}
