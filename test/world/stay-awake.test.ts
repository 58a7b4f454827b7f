import { availableParallelism } from 'node:os'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { stayAwake } from '../../src/world/node/stay-awake.ts'

/** Of the next moments, how many milliseconds this process slept. */
async function sleptIn(ms: number): Promise<number> {
  const before = performance.eventLoopUtilization()
  await wait(ms)
  return performance.eventLoopUtilization(before).idle
}

// On a single one nobody stays awake.
it.runIf(availableParallelism() > 1).each([
  ['sleeps when it has nothing to do', [], 30, Infinity],
  ['does not while it is to stay awake', [100], 0, 5],
  ['does again when that is over', [5], 20, Infinity],
  ['does again when that is taken back', [100, 0], 30, Infinity],
  ['does not when that is said anew', [100, 0, 100], 0, 5],
])('a process %s', async (_, said, least, most) => {
  stayAwake(0)
  for (const ms of said) stayAwake(ms)
  const slept = await sleptIn(40)
  stayAwake(0)
  expect(slept).toBeGreaterThanOrEqual(least)
  expect(slept).toBeLessThanOrEqual(most)
})
