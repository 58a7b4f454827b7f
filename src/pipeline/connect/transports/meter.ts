/**
 * meter: limits an amount per second.
 */
const SPAN_MS = 1000

export class Meter {
  readonly #limit: number
  #since = 0
  #amount = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Whether this amount is still within the limit. */
  takes(amount: number, now: number): boolean {
    if (now - this.#since >= SPAN_MS) {
      this.#since = now
      this.#amount = 0
    }
    this.#amount += amount
    return this.#amount <= this.#limit
  }
}
