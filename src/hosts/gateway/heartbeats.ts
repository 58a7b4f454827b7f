/**
 * heartbeats: signs of life on answers that take long, so that nobody in between takes the connection for dead.
 *
 * in     answers under way
 * out    each is told to show itself every `SILENCE_MS` while it is under way
 * never  has a timer for each: nearly all are over long before, and one timer serves thousands
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

/** Those that are due so soon show themselves at once: thousands would otherwise be looked at thousands of times. */
const GATHER_MS = 1000

export class Heartbeats {
  readonly #clock: Clock
  readonly #due = new IdTable<Due>()
  #cancel: (() => void) | undefined
  #isClosed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Gives the number by which it is removed. */
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
      // Later than anything is due: the clock was set back, and whoever went by it would be silent for as long.
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
