/**
 * clock: real time.
 */
import type { Clock } from '../world.ts'

export const nodeClock: Clock = {
  now: Date.now,
  after(ms, step) {
    const timer = setTimeout(step, ms)
    return () => clearTimeout(timer)
  },
  random: Math.random,
}
