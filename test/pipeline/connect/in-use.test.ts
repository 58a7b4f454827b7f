/**
 * in-use: when a session is one that nobody waits for.
 */
import { expect, test } from 'vitest'
import { InUse, whileWanted } from '../../../src/pipeline/connect/in-use.ts'

test('it is drained when as many have left as came, and at once when nobody came', async () => {
  const inUse = new InUse()
  await inUse.drained()
  inUse.enter()
  inUse.enter()
  let count = 0
  const waiting = [1, 2].map(() => inUse.drained().then(() => (count += 1)))
  inUse.leave()
  await Promise.resolve()
  expect(count).toBe(0)
  inUse.leave()
  await Promise.all(waiting)
  expect(count).toBe(2)
  await inUse.drained()
})

test('what nobody wants any more is not waited for', async () => {
  const controller = new AbortController()
  expect(await whileWanted(Promise.resolve(1), controller.signal)).toBe(1)
  const never = whileWanted(new Promise<number>(() => undefined), controller.signal)
  controller.abort()
  expect(await never).toBeUndefined()
  expect(await whileWanted(Promise.resolve(1), controller.signal)).toBeUndefined()
})
