/**
 * byte-lines: turns pieces of bytes into whole lines of text.
 *
 * in     pieces of UTF-8, cut anywhere
 * out    lines; a long line is decoded once, when its end has come
 * never  cuts a character in two: the byte that ends a line is part of no other character
 */
import type { LinesOptions } from './lines.ts'

interface ByteLinesOptions extends LinesOptions {
  /** In bytes. */
  readonly maxLength: number
}

export class ByteLines {
  readonly #options: ByteLinesOptions
  /** The number of bytes in the buffer: the beginning of the line that has no end yet. */
  #length = 0
  #buffer = NOTHING
  /** The longest line so far: a server that sends one long line sends others. */
  #longest = 0
  #isSkipping = false

  constructor(options: ByteLinesOptions) {
    this.#options = options
  }

  push(bytes: Uint8Array): void {
    const end = bytes.lastIndexOf(LINE_FEED) + 1
    if (end === 0) return this.#hold(bytes)
    const from = this.#length === 0 ? 0 : this.#finishLine(bytes)
    if (from < end) this.#tellAll(DECODER.decode(bytes.subarray(from, end)))
    if (end < bytes.length) this.#hold(bytes.subarray(end))
  }

  /** Ends only the line in the buffer: the bytes after it need not be copied. Returns where they begin. */
  #finishLine(bytes: Uint8Array): number {
    const end = bytes.indexOf(LINE_FEED)
    this.#add(bytes.subarray(0, end))
    this.#tell(this.#take())
    return end + 1
  }

  /** Emits the rest, which has no line end, as a line. */
  flush(): void {
    this.#tell(this.#take())
  }

  #hold(bytes: Uint8Array): void {
    if (this.#isSkipping) return
    this.#add(bytes)
    if (this.#length <= this.#options.maxLength) return
    const start = this.#take()
    this.#isSkipping = true
    this.#options.onTooLong(start)
  }

  #add(bytes: Uint8Array): void {
    const length = this.#length + bytes.length
    if (this.#buffer.length < length) this.#grow(length)
    this.#buffer.set(bytes, this.#length)
    this.#length = length
  }

  /**
   * Grows to twice the content, so that copies are rare, and to the length of the longest line once this line is long.
   */
  #grow(length: number): void {
    const expected = length < LONG ? 0 : Math.min(this.#longest, MAX_EXPECTED)
    const larger = new Uint8Array(Math.max(2 * length, expected))
    larger.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = larger
  }

  #take(): string {
    const line = DECODER.decode(this.#buffer.subarray(0, this.#length))
    this.#longest = Math.max(this.#longest, this.#length)
    this.#length = 0
    this.#buffer = NOTHING
    return line
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

/** The length from which a line counts as long. */
const LONG = 32 * 1024
const MAX_EXPECTED = 16 * 1024 * 1024

/** A byte order mark is kept: the reader of the line decides what it means. */
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true })
