/**
 * lines: turns pieces of text into whole lines, and copies a long line only once. For bytes, use `byte-lines.ts`: it
 * decodes a long line once instead of each piece.
 */
export interface LinesOptions {
  readonly maxLength: number
  /** Without its line end. Empty lines are skipped. */
  onLine(line: string): void
  /** Gets the beginning of the line. The rest is dropped. */
  onTooLong(start: string): void
}

export class Lines {
  readonly #options: LinesOptions
  #pieces: string[] | undefined
  #length = 0
  #isSkipping = false

  constructor(options: LinesOptions) {
    this.#options = options
  }

  push(text: string): void {
    let from = 0
    for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
      this.#tell(this.#take(text.slice(from, to)))
      from = to + 1
    }
    if (from === text.length || this.#isSkipping) return
    this.#pieces ??= []
    this.#pieces.push(from === 0 ? text : text.slice(from))
    this.#length += text.length - from
    if (this.#length <= this.#options.maxLength) return
    const start = this.#take('')
    this.#isSkipping = true
    this.#options.onTooLong(start)
  }

  /** Emits the rest, which has no line end, as a line. */
  flush(): void {
    this.#tell(this.#take(''))
  }

  #take(rest: string): string {
    if (this.#pieces === undefined) return rest
    this.#pieces.push(rest)
    const line = this.#pieces.join('')
    this.#pieces = undefined
    this.#length = 0
    return line
  }

  #tell(line: string): void {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    if (this.#isSkipping) this.#isSkipping = false
    else if (text !== '') this.#options.onLine(text)
  }
}
