/**
 * turns: runs one piece of work at a time, in the order of arrival.
 *
 * in     work, and perhaps a signal that removes it from the queue
 * out    the result of the work; a caller that left the queue gets the error from `refuse`
 * never  lets a failure block the next piece of work; starts work that was cancelled
 */
import type { Signal } from './abort.ts'

export class Turns {
  /** Settles when the last in the queue is done, with or without success. */
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
    // A caller that left is settled at once; those after it still wait for the one before it.
    this.#last = Promise.allSettled([before, turn]).then(() => undefined)
    return turn
  }
}

export interface TurnOptions {
  readonly signal?: Signal | undefined
  /** Creates the error for a caller that left the queue. */
  readonly refuse?: () => Error
}
