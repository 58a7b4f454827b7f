/**
 * byte-lines: bytes that come in pieces → whole lines of text.
 *
 * in     pieces of UTF-8, cut anywhere; of what has no end yet a copy is kept, so their memory may be used again
 * out    lines; a long one is made text of once, when its end has come
 * never  cuts a character in two: what ends a line is no part of any
 */
import { Gathered } from './gathered.ts'
import type { LinesOptions } from './lines.ts'

interface ByteLinesOptions extends LinesOptions {
  /** In bytes. */
  readonly maxLength: number
  toText(bytes: Uint8Array): string
}

export class ByteLines {
  readonly #options: ByteLinesOptions
  /** Of the line that has no end yet. */
  readonly #held = new Gathered()
  /** The most that was needed so far: who sends one long line sends others. */
  #most = 0
  #isSkipping = false

  constructor(options: ByteLinesOptions) {
    this.#options = options
  }

  push(bytes: Uint8Array): void {
    const end = endOfLines(bytes)
    if (end === 0) return this.#hold(bytes)
    const from = this.#held.length === 0 ? 0 : this.#finishLine(bytes)
    if (from < end) this.#tellAll(this.#options.toText(part(bytes, from, end)))
    if (end < bytes.length) this.#hold(bytes.subarray(end))
  }

  /** Of the line that is held, and of no other: what follows it need not be copied. Where that begins. */
  #finishLine(bytes: Uint8Array): number {
    const end = bytes.indexOf(LINE_FEED)
    this.#tell(this.#take(bytes.subarray(0, end)))
    return end + 1
  }

  /** What is left without an end, as a line. */
  flush(): void {
    this.#tell(this.#take(NOTHING))
  }

  #hold(bytes: Uint8Array): void {
    if (this.#isSkipping) return
    this.#held.add(bytes, this.#most)
    if (this.#held.length <= this.#options.maxLength) return
    const start = this.#take(NOTHING)
    this.#isSkipping = true
    this.#options.onTooLong(start)
  }

  #take(rest: Uint8Array): string {
    if (this.#held.length === 0) return ''
    this.#held.add(rest)
    this.#most = Math.max(this.#most, this.#held.length)
    return this.#held.take(this.#options.toText)
  }

  #tellAll(text: string): void {
    let from = 0
    for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
      this.#tell(text.slice(from, to))
      from = to + 1
    }
  }

  #tell(line: string): void {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    if (this.#isSkipping) this.#isSkipping = false
    else if (text !== '') this.#options.onLine(text)
  }
}

const LINE_FEED = 0x0a
const NOTHING = new Uint8Array(0)

/** Mostly all of it, for which nothing is made. */
function part(bytes: Uint8Array, from: number, end: number): Uint8Array {
  return from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end)
}

/** Behind the last of them; 0 when none ends here. */
function endOfLines(bytes: Uint8Array): number {
  return bytes[bytes.length - 1] === LINE_FEED ? bytes.length : bytes.lastIndexOf(LINE_FEED) + 1
}
