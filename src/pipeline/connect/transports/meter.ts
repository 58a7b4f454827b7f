/**
 * meter: how much of something may come in a second.
 */
const SPAN_MS = 1000

export class Meter {
  readonly #limit: number
  #since = 0
  #amount = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Whether this much more still is within the limit. */
  takes(amount: number, now: number): boolean {
    if (now - this.#since >= SPAN_MS) {
      this.#since = now
      this.#amount = 0
    }
    this.#amount += amount
    return this.#amount <= this.#limit
  }
}
