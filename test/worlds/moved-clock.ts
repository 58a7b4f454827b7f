/**
 * moved-clock: a clock that the test moves.
 */
import type { Clock } from '../../src/world/world.ts'

export interface MovedClock extends Clock {
  /** What is due meanwhile happens in its order, at its time. */
  pass(ms: number): void
  /** How many timers are set. */
  readonly waiting: number
}

export function createMovedClock(): MovedClock {
  let now = 0
  const steps = new Set<{ readonly at: number; readonly step: () => void }>()
  return {
    now: () => now,
    random: () => 0.5,
    after(ms, step) {
      const one = { at: now + ms, step }
      steps.add(one)
      return () => void steps.delete(one)
    },
    pass(ms) {
      const end = now + ms
      for (;;) {
        const [next] = [...steps].sort((a, b) => a.at - b.at)
        if (next === undefined || next.at > end) break
        now = next.at
        steps.delete(next)
        next.step()
      }
      now = end
    },
    get waiting() {
      return steps.size
    },
  }
}
