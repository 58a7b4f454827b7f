/**
 * loopback: the port that a browser comes back to, and what browsers do there beside coming back.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { nodeLoopback } from '../../src/world/node/loopback.ts'

test.each([
  ['said nothing', ''],
  ['did not end what they said', 'GET /callback HTTP/1.1\r\nHost: '],
])('closing does not wait for those who %s', async (_, begun) => {
  const listener = await nodeLoopback.listen(undefined, () => ({ status: 200, html: 'thank you' }))
  const early = connect(listener.port, '127.0.0.1')
  early.on('error', () => undefined)
  await once(early, 'connect')
  early.write(begun)
  const page = await fetch(`http://127.0.0.1:${listener.port}/callback`)
  expect(await page.text()).toBe('thank you')
  const gone = once(early, 'close')
  await listener.close()
  await gone
})

test('closing lets an answer arrive that is on its way', async () => {
  const long = 'x'.repeat(500_000)
  let asked = (): void => undefined
  const isAsked = new Promise<void>((resolve) => (asked = resolve))
  const listener = await nodeLoopback.listen(undefined, () => {
    asked()
    return { status: 200, html: long }
  })
  const page = fetch(`http://127.0.0.1:${listener.port}/callback`).then((response) => response.text())
  await isAsked
  const closing = listener.close()
  expect(await page).toBe(long)
  await closing
})

test('nobody else can come there: another address of the same machine is closed already', async () => {
  const listener = await nodeLoopback.listen(undefined, () => ({ status: 200, html: 'thank you' }))
  const answered = fetch(`http://127.0.0.1:${listener.port}/`).then((response) => response.text())
  expect(await answered).toBe('thank you')
  const other = connect(listener.port, '127.0.0.2')
  const [error] = (await once(other, 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toBe('ECONNREFUSED')
  await listener.close()
})
