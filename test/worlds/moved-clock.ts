/**
 * moved-clock: a clock that the test moves.
 */
import type { Clock } from '../../src/world/world.ts'

export interface MovedClock extends Clock {
  /** What is due meanwhile happens in its order, at its time. */
  pass(ms: number): void
  /** Somebody sets it: what it shows is another time, and timers go on as they were. */
  setBack(ms: number): void
  /** How many timers are set. */
  readonly waiting: number
}

export function createMovedClock(): MovedClock {
  let passed = 0
  let back = 0
  const steps = new Set<{ readonly at: number; readonly step: () => void }>()
  return {
    now: () => passed - back,
    random: () => 0.5,
    after(ms, step) {
      const one = { at: passed + ms, step }
      steps.add(one)
      return () => void steps.delete(one)
    },
    pass(ms) {
      const end = passed + ms
      for (;;) {
        const [next] = [...steps].sort((a, b) => a.at - b.at)
        if (next === undefined || next.at > end) break
        passed = next.at
        steps.delete(next)
        next.step()
      }
      passed = end
    },
    setBack(ms) {
      back += ms
    },
    get waiting() {
      return steps.size
    },
  }
}
