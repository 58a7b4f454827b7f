/**
 * pipes: the socket of a gateway, before readers that take their time.
 */
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nodePipes } from '../../src/world/node/pipes.ts'
import type { Pipe } from '../../src/world/world.ts'
import { createScratch } from '../worlds/scratch.ts'

const MB = 1_000_000

async function open(): Promise<{ pipe: Pipe; heard: string[]; client: Socket } & AsyncDisposable> {
  const scratch = createScratch()
  const path = join(scratch.home, 'p', 'socket')
  mkdirSync(join(scratch.home, 'p'), { mode: 0o700 })
  const heard: string[] = []
  let onPipe: (pipe: Pipe) => void = () => undefined
  const arrived = new Promise<Pipe>((resolve) => (onPipe = resolve))
  const listener = await nodePipes.listen(path, (pipe) => {
    pipe.onInput({ onText: (text) => void heard.push(text), onEnd: () => void heard.push('end') })
    onPipe(pipe)
  })
  const client = connect(path)
  client.setEncoding('utf8').on('error', () => undefined)
  return {
    pipe: await arrived,
    heard,
    client,
    async [Symbol.asyncDispose]() {
      client.destroy()
      await listener.close()
      scratch[Symbol.dispose]()
    },
  }
}

test('one long message comes whole, whatever its length', async () => {
  await using one = await open()
  const text = `${'ä'.repeat(40 * MB)}!`
  let bytes = 0
  one.client.setEncoding('latin1').on('data', (piece: string) => (bytes += piece.length))
  one.pipe.write(text)
  one.pipe.end()
  await once(one.client, 'close')
  expect(bytes).toBe(80 * MB + 1)
})

test('a client that does not read is asked nothing more, and is hung up on when there is too much', async () => {
  await using one = await open()
  one.client.pause()
  one.pipe.write('x'.repeat(70 * MB))
  one.client.write('more')
  one.pipe.write('x'.repeat(50 * MB))
  expect(one.heard).toEqual([])
  one.pipe.write('x'.repeat(50 * MB))
  await expect.poll(() => one.heard.at(-1), { timeout: 20_000 }).toBe('end')
})

test('a client that reads late is heard again', async () => {
  await using one = await open()
  one.client.pause()
  one.pipe.write('x'.repeat(70 * MB))
  one.client.write('more')
  await new Promise((resolve) => setImmediate(resolve))
  expect(one.heard).toEqual([])
  one.client.resume()
  await expect.poll(() => one.heard, { timeout: 20_000 }).toEqual(['more'])
})
