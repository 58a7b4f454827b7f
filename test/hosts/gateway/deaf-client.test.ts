/**
 * deaf-client: `plugboard serve --stdio` for a client that does not read, while a gateway has much to say.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { gatewayPlaceOf } from '../../../src/world/gateway-place.ts'
import { createNodeWorld } from '../../../src/world/node/world.ts'
import { BIN, openMachine } from '../../processes/plugboard.ts'

const LINE = `${JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { text: 'x'.repeat(64_000) } })}\n`
const LINES = 1000

async function listen(path: string): Promise<Server> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(path, resolve))
  return server
}

/** How many lines were taken, once no more are. */
async function flood(to: Socket): Promise<() => number> {
  let taken = 0
  for (let i = 0; i < LINES; i += 1) to.write(LINE, () => (taken += 1))
  for (let before = -1; ;) {
    if (taken === LINES || taken === before) break
    before = taken
    await new Promise((resolve) => setTimeout(resolve, 1500))
  }
  return () => taken
}

test('nothing is taken from the gateway until the client reads', async () => {
  using machine = openMachine()
  const { platform, paths } = createNodeWorld()
  const { socket } = gatewayPlaceOf({ platform, env: {}, home: machine.home, paths })
  mkdirSync(dirname(socket), { recursive: true })
  chmodSync(dirname(socket), 0o700)
  const gateway = await listen(socket)
  const front = await listen(machine.at('~/front'))
  // One socket both ways, as some clients have it: writing to it does not block.
  const end = connect(machine.at('~/front'))
  const [client] = (await once(front, 'connection')) as [Socket]
  const child = spawn(process.execPath, [BIN, 'serve', '--stdio'], {
    env: { HOME: machine.home, PATH: process.env['PATH'] ?? '' },
    cwd: machine.project,
    stdio: [end, end, 'ignore'],
  })
  const closed = once(child, 'close')
  try {
    const [visitor] = (await once(gateway, 'connection')) as [Socket]
    await once(visitor, 'data')
    visitor.write('{"say":"welcome","pid":1}\n')
    const taken = await flood(visitor)
    expect(taken() * LINE.length).toBeLessThan(16 * 1024 * 1024)
    let bytes = 0
    for await (const chunk of client) if ((bytes += (chunk as Buffer).length) >= LINES * LINE.length) break
    expect(bytes).toBe(LINES * LINE.length)
  } finally {
    child.kill('SIGKILL')
    await closed
    end.destroy()
    client.destroy()
    gateway.close()
    front.close()
  }
}, 60_000)
