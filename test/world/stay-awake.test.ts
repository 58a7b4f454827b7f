import { availableParallelism } from 'node:os'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { stayAwake } from '../../src/world/node/stay-awake.ts'

const [one, other] = [{}, {}]

afterEach(() => {
  vi.useRealTimers()
  for (const who of [one, other]) stayAwake(0, who)
})

/** Of the next moments, how many milliseconds this process slept. To let time pass is all that there is to see. */
async function sleptIn(ms: number): Promise<number> {
  const before = performance.eventLoopUtilization()
  await wait(ms)
  return performance.eventLoopUtilization(before).idle
}

type Said = readonly [ms: number, who: object]

// On a single one nobody stays awake.
it.runIf(availableParallelism() > 1).each<[what: string, said: readonly Said[], sleeps: boolean]>([
  ['sleeps when it has nothing to do', [], true],
  ['does not while somebody waits', [[100, one]], false],
  ['sleeps again when it was too long', [[5, one]], true],
  [
    'sleeps again when that is over',
    [
      [100, one],
      [0, one],
    ],
    true,
  ],
  [
    'does not when it is over for another one',
    [
      [100, one],
      [0, other],
    ],
    false,
  ],
  [
    'sleeps when two wait',
    [
      [100, one],
      [100, other],
    ],
    true,
  ],
  [
    'does not when there is a next one',
    [
      [100, one],
      [0, one],
      [100, other],
    ],
    false,
  ],
])('a process %s', async (_, said, sleeps) => {
  for (const [ms, who] of said) stayAwake(ms, who)
  const slept = await sleptIn(40)
  if (sleeps) expect(slept).toBeGreaterThan(20)
  else expect(slept).toBeLessThan(10)
})

it('ends also where time stands still', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  stayAwake(1, one)
  for (let turn = 0; turn < 3000; turn++) await new Promise((resolve) => setImmediate(resolve))
  vi.useRealTimers()
  expect(await sleptIn(40)).toBeGreaterThan(20)
})
