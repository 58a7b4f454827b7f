/**
 * turns: one at a time, in the order they came.
 *
 * in     work, and perhaps a signal that takes it out of the queue
 * out    what the work gives; who left the queue gets what `refuse` makes
 * never  lets the failure of one keep the next from its turn; starts what was given up
 */
import type { Signal } from './abort.ts'

export class Turns {
  /** Settles when the last in the queue is done, whatever came of it. */
  #last: Promise<void> = Promise.resolve()

  take<T>(work: () => Promise<T>, options: TurnOptions = {}): Promise<T> {
    const { signal } = options
    const before = this.#last
    const turn = new Promise<T>((resolve, reject) => {
      const leave = (): void => reject(options.refuse?.() ?? (signal!.reason as Error))
      if (signal?.aborted === true) return leave()
      signal?.addEventListener('abort', leave, { once: true })
      const start = (): void => {
        signal?.removeEventListener('abort', leave)
        if (signal?.aborted !== true) resolve(work())
      }
      before.then(start).catch(reject)
    })
    // One that left is settled at once; those behind it still wait for the one before it.
    this.#last = Promise.allSettled([before, turn]).then(() => undefined)
    return turn
  }
}

export interface TurnOptions {
  readonly signal?: Signal | undefined
  /** What a caller who left the queue is told. */
  readonly refuse?: () => Error
}
