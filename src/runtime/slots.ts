/**
 * slots: how many servers may be starting at once, so that fifty of them do not fight for two cores.
 */
import type { Clock } from '../world/world.ts'

export interface Slots {
  /**
   * Resolves when it is the caller's turn. The returned function passes the turn to the next. The turn also ends by
   * itself after a while.
   */
  take(signal: AbortSignal): Promise<() => void>
}

/** A slow or dead server holds a slot no longer than this. */
const HOLD_MS = 500

export function createSlots(count: number, clock: Clock): Slots {
  let free = count
  const waiting: (() => void)[] = []
  const next = (): void => {
    const grant = waiting.shift()
    if (grant === undefined) return
    free -= 1
    grant()
  }
  const hold = (): (() => void) => {
    let isHeld = true
    const give = (): void => {
      if (!isHeld) return
      isHeld = false
      cancel()
      free += 1
      next()
    }
    const cancel = clock.after(HOLD_MS, give)
    return give
  }
  return {
    take: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error)
        if (free > 0) {
          free -= 1
          return resolve(hold())
        }
        const grant = (): void => {
          signal.removeEventListener('abort', leave)
          resolve(hold())
        }
        const leave = (): void => {
          const at = waiting.indexOf(grant)
          if (at !== -1) waiting.splice(at, 1)
          reject(signal.reason as Error)
        }
        signal.addEventListener('abort', leave, { once: true })
        waiting.push(grant)
      }),
  }
}
