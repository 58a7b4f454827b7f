/**
 * clock: real time.
 */
import type { Clock } from '../world.ts'

export const nodeClock: Clock = {
  now: Date.now,
  after(ms, step, hold) {
    const timer = setTimeout(step, ms)
    if (hold === 'loose') timer.unref()
    return () => clearTimeout(timer)
  },
  random: Math.random,
}
