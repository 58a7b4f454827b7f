/**
 * vanishing: servers over Streamable HTTP that go away while nobody calls them, and those that only seem to.
 */
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { ConnectionState } from '../../src/model/connection.ts'
import type { Board } from '../../src/runtime/board.ts'
import { openTestBoard, type TestBoard } from '../boards/open.ts'
import { call, connectionOf, until, untilState } from '../boards/watch.ts'
import { answerLegacy, sendResult, serve, startEvents, type Received } from '../servers/http/loopback.ts'
import { startProgram } from '../servers/http/program.ts'
import { createObserved, inTime } from '../worlds/observed.ts'

/** On a clock that runs fast, where streams are opened again after seconds. */
function open(url: string, factor = 20): Promise<TestBoard> {
  return openTestBoard({ x: { type: 'http', url } }, { scratch: createObserved({ change: inTime(factor) }) })
}

/** Each state that the server comes to from now on. */
function statesOf(board: Board): readonly ConnectionState[] {
  const states: ConnectionState[] = []
  board.on('change', () => void states.push(connectionOf(board, 'x').state))
  return states
}

const HELLO = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} }

/** As `answerLegacy`, with a session, and with a stream that the test has in its hands. */
function answerWithStream(one: Received, onStream: (stream: ServerResponse) => void): void {
  if (one.method === 'GET') return onStream(startEvents(one))
  if (one.message?.method !== 'initialize') return answerLegacy(one)
  one.response.setHeader('mcp-session-id', `session-${Math.random()}`)
  sendResult(one, HELLO)
}

const handshakes = ({ received }: { readonly received: readonly Received[] }): number =>
  received.filter(({ message }) => message?.method === 'initialize').length

describe('a server that dies', () => {
  test('is noticed without a call, and back when it is', async () => {
    const first = await startProgram('everything-http')
    await using test = await openTestBoard({ x: { type: 'http', url: `${first.origin}/mcp` } })
    const { board } = test
    await first[Symbol.asyncDispose]()
    const { problem } = await untilState(board, 'x', 'waiting')
    expect(problem).toMatchObject({
      code: 'connect/lost',
      message: `the connection to \`x\` was lost: nobody answers at \`127.0.0.1:${first.port}\` (connection refused)`,
    })
    await using _ = await startProgram('everything-http', { port: first.port })
    await untilState(board, 'x', 'ready')
    expect(await call(board, 'x', ['echo', { message: 'back' }])).toBe('Echo: back')
  })

  test('is given up when it stays away', async () => {
    const server = await serve((one) => answerWithStream(one, () => undefined))
    await using test = await open(server.url)
    await server.until('GET')
    await server[Symbol.asyncDispose]()
    const { problem } = await untilState(test.board, 'x', 'failed')
    expect(problem.message).toBe(
      `Failed to connect to "x": nobody answers at \`127.0.0.1:${server.port}\` (connection refused)`,
    )
  })

  test('is noticed also where only a gateway is left of it', async () => {
    let stream: ServerResponse | undefined
    let isDead = false
    await using server = await serve((one) => {
      if (isDead) one.response.writeHead(502).end('no upstream')
      else answerWithStream(one, (opened) => (stream = opened))
    })
    await using test = await open(server.url)
    await server.until('GET')
    isDead = true
    stream!.end()
    const { problem } = await untilState(test.board, 'x', 'waiting')
    expect(problem.message).toBe('the connection to `x` was lost: HTTP 502')
  })

  test('answers first what it was asked before', async () => {
    let pending: Received | undefined
    let stream: ServerResponse | undefined
    const server = await serve((one) => {
      if (one.message?.method === 'tools/call') pending = one
      else answerWithStream(one, (opened) => (stream = opened))
    })
    await using test = await open(server.url)
    const { board } = test
    await server.until('GET')
    const work = call(board, 'x', ['echo'])
    await server.until('tools/call')
    // No longer reachable, its stream broken, and one request still in its hands.
    const gone = server.stopListening()
    stream!.destroy()
    pending!.response.setHeader('connection', 'close')
    sendResult(pending!, { content: [{ type: 'text', text: 'at last' }] })
    expect(await work).toBe('at last')
    await untilState(board, 'x', 'waiting')
    await gone
  })
})

describe('a server that lives', () => {
  test('and has no stream of its own stays as it is', async () => {
    await using server = await serve(answerLegacy)
    await using test = await open(server.url)
    await server.until('GET')
    const states = statesOf(test.board)
    for (let i = 0; i < 5; i++) await test.board.request('x', 'ping')
    expect(states).toEqual([])
    expect(server.received.filter(({ method }) => method === 'GET')).toHaveLength(1)
  })

  test('and ends its streams again and again stays as it is', async () => {
    await using server = await serve((one) => answerWithStream(one, (stream) => void stream.end(': bye\n\n')))
    await using test = await open(server.url)
    const states = statesOf(test.board)
    await server.until('GET', 5)
    await test.board.request('x', 'ping')
    expect(states).toEqual([])
    expect(handshakes(server)).toBe(1)
  })

  test.each([
    ['breaks its stream and never opens it again', (one: Received) => void one.response.destroy()],
    ['answers with errors there', (one: Received) => void one.response.writeHead(500).end()],
  ])('and %s stays as it is, and so do its calls', async (_, refuse) => {
    let pending: Received | undefined
    let stream: ServerResponse | undefined
    await using server = await serve((one) => {
      if (one.message?.method === 'tools/call') pending = one
      else if (one.method === 'GET' && stream !== undefined) refuse(one)
      else answerWithStream(one, (opened) => (stream = opened))
    })
    await using test = await open(server.url)
    await server.until('GET')
    const states = statesOf(test.board)
    const work = call(test.board, 'x', ['echo'])
    await server.until('tools/call')
    stream!.destroy()
    await server.until('GET', 6)
    sendResult(pending!, { content: [{ type: 'text', text: 'still here' }] })
    expect(await work).toBe('still here')
    // Asked whether it is there, once nothing was in its hands any more.
    await server.until('ping')
    await test.board.request('x', 'ping')
    expect(states).toEqual([])
    expect(handshakes(server)).toBe(1)
  })

  test('and was restarted in a moment is greeted anew, and its lists are read again', async () => {
    let stream: ServerResponse | undefined
    let tools = [{ name: 'old', inputSchema: { type: 'object' } }]
    let known: string | undefined
    await using server = await serve((one) => {
      const { message, method, headers } = one
      if (message?.method === 'initialize') {
        known = `session-${Math.random()}`
        one.response.setHeader('mcp-session-id', known)
        sendResult(one, HELLO)
      } else if (headers['mcp-session-id'] !== known) one.response.writeHead(404).end()
      else if (method === 'GET') stream = startEvents(one)
      else if (message?.method === 'tools/list') sendResult(one, { tools })
      else answerLegacy(one)
    })
    await using test = await open(server.url)
    const { board } = test
    await server.until('GET')
    tools = [{ name: 'new', inputSchema: { type: 'object' } }]
    known = undefined
    stream!.end()
    await until(board, () => board.tools()[0]?.tool === 'new')
    expect(connectionOf(board, 'x').state).toBe('ready')
    expect(handshakes(server)).toBe(2)
  })
})
