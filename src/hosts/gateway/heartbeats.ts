/**
 * heartbeats: signs of life on answers that take long, so that nobody in between takes the connection for dead.
 *
 * in     answers under way
 * out    each is told to show itself every `SILENCE_MS` while it is under way
 * never  has a timer for each: nearly all are over long before, and one timer serves thousands
 */
import type { Clock } from '../../world/world.ts'

export interface Beating {
  beat(): void
}

const SILENCE_MS = 10_000

export class Heartbeats {
  readonly #clock: Clock
  /** When each is due. All are given the same time, so the first is due first. */
  readonly #due = new Map<Beating, number>()
  #cancel: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(one: Beating): void {
    this.#due.set(one, this.#clock.now() + SILENCE_MS)
    this.#watch(SILENCE_MS)
  }

  remove(one: Beating): void {
    this.#due.delete(one)
  }

  close(): void {
    this.#cancel?.()
    this.#due.clear()
  }

  #watch(ms: number): void {
    this.#cancel ??= this.#clock.after(ms, () => this.#look(), 'loose')
  }

  #look(): void {
    this.#cancel = undefined
    const now = this.#clock.now()
    for (const [one, at] of this.#due) {
      // Later than anything is due: the clock was set back, and whoever went by it would be silent for as long.
      const isSetBack = at - now > SILENCE_MS
      if (at > now && !isSetBack) return this.#watch(at - now)
      // To the end of the line, where the loop meets it again as one that is not due.
      this.#due.delete(one)
      this.#due.set(one, now + SILENCE_MS)
      one.beat()
    }
  }
}
