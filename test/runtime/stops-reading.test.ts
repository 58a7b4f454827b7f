/**
 * stops-reading: a server that does not read what is sent to it, over a pipe and over a WebSocket. What waits for it is
 * bounded; a call too many is not made, and says so; the others are answered once it reads again.
 */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import { LEGACY_VERSIONS } from '../../src/model/session.ts'
import type { Board } from '../../src/runtime/board.ts'
import { openTestBoard, serverEntry } from '../boards/open.ts'
import { createScratch } from '../worlds/scratch.ts'

/** Seven of them are more than may wait; of a socket, the system takes another ten megabytes. */
const TEXT = 'x'.repeat(10 * 1024 * 1024)
const COUNT = 10

async function expectBounded(board: Board, readAgain: () => void): Promise<void> {
  const call = (tool: string, args: Record<string, unknown> = {}): ReturnType<Board['call']> =>
    board.call({ server: 'x', tool }, args, { who: 'person', timeoutMs: 0 })
  expect((await call('stop')).text).toBe('not reading')
  const calls = Array.from({ length: COUNT }, (_, i) => call('take', { text: `${i}${TEXT}` }))
  const refused = await Promise.race(calls)
  expect(refused).toMatchObject({ outcome: 'not-sent', code: 'not-connected' })
  expect(refused.text).toMatch(/the server does not read what is sent to it: \d\d MB wait already/)
  readAgain()
  const outcomes = (await Promise.all(calls)).map(({ outcome }) => outcome)
  expect(outcomes.filter((outcome) => outcome === 'done').length).toBeGreaterThanOrEqual(7)
  expect(outcomes.filter((outcome) => outcome !== 'done')).toContain('not-sent')
  expect((await call('take', { text: TEXT })).text).toBe('taken')
}

test('over a pipe', async () => {
  using scratch = createScratch()
  const file = join(scratch.home, 'read-again')
  await using test = await openTestBoard({ x: serverEntry('stops-reading', '--until', file) })
  await expectBounded(test.board, () => writeFileSync(file, ''))
})

interface Question {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly name?: string }
}

function answerTo({ method, params }: Question): object {
  const tools = ['stop', 'take'].map((name) => ({ name, inputSchema: { type: 'object' } }))
  if (method === 'tools/list') return { tools }
  if (method === 'tools/call')
    return { content: [{ type: 'text', text: params?.name === 'stop' ? 'not reading' : 'taken' }] }
  return {
    protocolVersion: LEGACY_VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: 'x', version: '1' },
  }
}

test('over a WebSocket', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets = new WebSocketServer({ server })
  let current: WebSocket | undefined
  sockets.on('connection', (socket) => {
    current = socket
    socket.on('message', (data) => {
      const question = JSON.parse(String(data)) as Question
      const { id, method, params } = question
      if (id === undefined) return
      const answer =
        method === 'server/discover'
          ? { error: { code: -32601, message: 'Method not found' } }
          : { result: answerTo(question) }
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
      if (params?.name === 'stop') socket.pause()
    })
  })
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
  {
    await using test = await openTestBoard({ x: { type: 'ws', url } })
    await expectBounded(test.board, () => current!.resume())
  }
  for (const socket of sockets.clients) socket.terminate()
  sockets.close()
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})
