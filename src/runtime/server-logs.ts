/**
 * server-logs: what one server wrote, and what happened to it, for users who look for the cause.
 *
 * in     lines, without the secrets that the caller knows
 * out    on disk, up to 5 MB, the older half in a second file
 * never  throws, waits for the disk line by line, or takes more memory or disk than its limits
 */
import { sha256 } from '../base/sha256.ts'
import type { OurDirs } from '../pipeline/discover/project.ts'
import { createProblem, ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'

export interface ServerLog {
  write(line: string, kind: LogKind): void
  /** Writes what is left to disk. Drops the lines that come after: nothing reads them. */
  close(): void
}

/** `event`: a line that Plugboard writes about the server. */
export type LogKind = 'stderr' | 'stdout' | 'event'

type StateDir = Pick<OurDirs, 'state'>

const MAX_LINE_BYTES = 4096
/** For each of the two files. */
const MAX_FILE_BYTES = 2.5 * 1024 * 1024
const MODE = 0o600
/** Longer than most starts take: a write delays servers that are starting. */
const GATHER_MS = 400
/** Limits for events that wait for the write: more than a start reports, and longer than any of those is. */
const MAX_TOLD = 16
const MAX_WAITING = 1000

/** The file name holds the name of the server for readers, and its hash for names that are no file names. */
export function logFileOf(world: World, dirs: StateDir, name: string): string {
  const safe = name.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 60)
  return world.paths.join(dirs.state, 'logs', `${safe}-${sha256(name).slice(0, 8)}.log`)
}

export function openServerLog(world: World, dirs: StateDir, name: string): ServerLog {
  return new LogFile(world, () => logFileOf(world, dirs, name))
}

class LogFile implements ServerLog {
  readonly #world: World
  /** Made at the first write: a hash for each server takes its time while all of them start. */
  readonly #fileOf: () => string
  readonly #stamp = new Stamp()
  /** Events that are not formatted yet: formatting can wait, and servers that are starting cannot. */
  readonly #told: Told[] = []
  /** Lines on their way to the disk. */
  #backlog: Backlog | undefined
  #timer: 'none' | 'closed' | (() => void) = 'none'

  constructor(world: World, fileOf: () => string) {
    this.#world = world
    this.#fileOf = fileOf
  }

  write(text: string, kind: LogKind): void {
    if (this.#timer === 'closed') return
    this.#told.push({ at: this.#world.clock.now(), kind, text })
    // What others write, and what quotes them, may be large or a part of something large. So a copy of it is made at
    // once.
    const canWait = kind === 'event' && text.length <= MAX_WAITING && this.#told.length < MAX_TOLD
    if (!canWait) this.#takeDown()
    if (this.#timer === 'none') this.#timer = this.#world.clock.after(GATHER_MS, () => this.#writeOut())
  }

  close(): void {
    if (this.#timer === 'closed') return
    if (this.#timer !== 'none') this.#timer()
    this.#writeOut()
    this.#timer = 'closed'
  }

  #takeDown(): void {
    for (const { at, kind, text } of this.#told.splice(0)) {
      for (const line of text.split('\n')) this.#add(`${this.#stamp.of(at)} ${kind} ${cut(line)}`)
    }
  }

  #add(line: string): void {
    this.#backlog ??= new Backlog()
    this.#backlog.add(line, 1)
  }

  #writeOut(): void {
    this.#timer = 'none'
    this.#takeDown()
    const batch = this.#backlog?.toText((count) =>
      this.#note(`${count} lines left out here: too many at once`),
    )
    this.#backlog = undefined
    if (batch === undefined) return
    const { files } = this.#world
    if (files.append(this.#fileOf(), batch.text, { mode: MODE, maxBytes: MAX_FILE_BYTES })) return
    this.#backlog = new Backlog()
    this.#backlog.add(this.#note(`${batch.lines} lines could not be written`), batch.lines)
  }

  #note(text: string): string {
    return `${this.#stamp.of(this.#world.clock.now())} event (${text})`
  }
}

interface Told {
  readonly at: number
  readonly kind: LogKind
  readonly text: string
}

/** A line of a log as its parts. A line that Plugboard did not write is text alone. */
export interface LogLine {
  /** ISO 8601. */
  readonly at?: string
  readonly kind?: LogKind
  readonly text: string
}

export function toLogLine(line: string): LogLine {
  const [, at, kind, text] = /^(\d{4}-\S+Z) (stderr|stdout|event) (.*)$/s.exec(line) ?? []
  return text === undefined ? { text: line } : { at: at!, kind: kind as LogKind, text }
}

/** The log on disk, whichever process wrote it. */
export interface StoredLog {
  /** The last lines, oldest first; none when there is no log. */
  readonly lines: readonly string[]
  /** The whole newer file as it was read, for callers that continue from there. */
  readonly text: string
}

/** Throws `logs/unreadable`. */
export function readServerLog(world: World, dirs: StateDir, name: string, lines: number): StoredLog {
  const file = logFileOf(world, dirs, name)
  const text = readText(world, file)
  const newer = toLines(text)
  const older = newer.length < lines ? toLines(readText(world, `${file}.1`)) : []
  return { lines: lastOf([...older, ...newer], lines), text }
}

function readText({ files }: World, file: string): string {
  const read = files.read(file)
  if (read.kind === 'missing') return ''
  if (read.kind === 'text') return read.text
  // A write that was cut short, for example by a full disk, may end inside a character.
  if (read.why.kind === 'not-utf8') return read.why.before
  throw new ProblemError(
    createProblem({
      code: 'logs/unreadable',
      message: 'the log of this server cannot be read',
      where: { file },
      hints: ['make sure that it is a file, and that you may read it'],
    }),
  )
}

function toLines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '')
}

function lastOf(lines: readonly string[], count: number): readonly string[] {
  return lines.slice(Math.max(0, lines.length - count))
}

/** The time as text, formatted once for all lines of a millisecond. */
class Stamp {
  #now = NaN
  #text = ''

  of(now: number): string {
    if (now !== this.#now) {
      this.#now = now
      this.#text = new Date(now).toISOString()
    }
    return this.#text
  }
}

/** Returns a copy of what fits: a mere slice would keep all of a line of megabytes in memory. */
function cut(line: string): string {
  // A UTF-16 unit takes three bytes at most.
  if (line.length * 3 <= MAX_LINE_BYTES) return line
  const bytes = new Uint8Array(MAX_LINE_BYTES)
  const { read, written } = new TextEncoder().encodeInto(line, bytes)
  if (read === line.length) return line
  return `${new TextDecoder().decode(bytes.subarray(0, written))}… (cut: ${line.length - read} more characters)`
}

interface Piece {
  readonly text: string
  readonly lines: number
  readonly bytes: number
}

const NOTHING: Piece = { text: '', lines: 0, bytes: 0 }
const MAX_HEAD_BYTES = 512 * 1024
/** The end is kept in two parts. The older part is dropped when the newer one is full: cheaper than line by line. */
const MAX_PART_BYTES = 256 * 1024

/** Lines on their way to the disk. When there are too many, the first and the last are kept. */
class Backlog {
  #head = NOTHING
  #older = NOTHING
  #newer = NOTHING
  #dropped = 0

  /** `lines`: how many lines the text stands for. */
  add(line: string, lines: number): void {
    const piece = { text: `${line}\n`, lines, bytes: atMostBytes(line) + 1 }
    if (this.#newer === NOTHING && this.#head.bytes + piece.bytes <= MAX_HEAD_BYTES)
      this.#head = join(this.#head, piece)
    else if (this.#newer.bytes + piece.bytes <= MAX_PART_BYTES) this.#newer = join(this.#newer, piece)
    else {
      this.#dropped += this.#older.lines
      this.#older = this.#newer
      this.#newer = piece
    }
  }

  /** Returns everything. `describe` gives the line in place of those that were dropped. */
  toText(describe: (dropped: number) => string): { readonly text: string; readonly lines: number } {
    const gap = this.#dropped === 0 ? '' : `${describe(this.#dropped)}\n`
    return {
      text: this.#head.text + gap + this.#older.text + this.#newer.text,
      lines: this.#head.lines + this.#dropped + this.#older.lines + this.#newer.lines,
    }
  }
}

function join(a: Piece, b: Piece): Piece {
  return { text: a.text + b.text, lines: a.lines + b.lines, bytes: a.bytes + b.bytes }
}

function atMostBytes(text: string): number {
  return /[\u0080-\uffff]/.test(text) ? text.length * 3 : text.length
}
