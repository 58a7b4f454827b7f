/**
 * heartbeats: sends signs of life on slow answers, so that no proxy takes the connection for dead.
 *
 * in     answers that are not finished
 * out    a `beat` for each, every `SILENCE_MS`, until it is finished
 * never  has a timer for each answer: most finish long before, and one timer serves thousands
 */
import { IdTable } from '../../base/id-table.ts'
import type { Clock } from '../../world/world.ts'

export interface Beating {
  beat(): void
}

interface Due {
  readonly one: Beating
  at: number
}

const SILENCE_MS = 10_000

/**
 * Answers due within this time beat together: otherwise the timer would visit thousands of answers thousands of times.
 */
const GATHER_MS = 1000

export class Heartbeats {
  readonly #clock: Clock
  readonly #due = new IdTable<Due>()
  #cancel: (() => void) | undefined
  #isClosed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns the number that removes it. */
  add(one: Beating): number {
    this.#watch(SILENCE_MS)
    return this.#due.add({ one, at: this.#clock.now() + SILENCE_MS })
  }

  remove(number: number): void {
    this.#due.take(number)
  }

  close(): void {
    this.#isClosed = true
    this.#cancel?.()
  }

  #watch(ms: number): void {
    if (!this.#isClosed) this.#cancel ??= this.#clock.after(ms, () => this.#look(), 'loose')
  }

  #look(): void {
    this.#cancel = undefined
    const now = this.#clock.now()
    let next = now + SILENCE_MS
    for (const due of this.#due.all()) {
      // Later than any due time: the clock was set back. Waiting for it would keep the connection silent too long.
      const isSetBack = due.at - now > SILENCE_MS
      if (due.at > now + GATHER_MS && !isSetBack) next = Math.min(next, due.at)
      else {
        due.at = now + SILENCE_MS
        due.one.beat()
      }
    }
    if (this.#due.size > 0) this.#watch(next - now)
  }
}
