/**
 * lines: text that comes in pieces → whole lines, without copying a long one more than once. For bytes: `byte-lines.ts`,
 * which makes text of a long line once, and not of each of its pieces.
 */
export interface LinesOptions {
  readonly maxLength: number
  /** Without its end. Empty lines are passed over. */
  onLine(line: string): void
  /** Gets what there is of the line; the rest of it is dropped. */
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

  /** What is left without an end, as a line. */
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
