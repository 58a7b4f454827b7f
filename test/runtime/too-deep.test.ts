/**
 * too-deep: what a server nests too deep, over each transport there is, and what a host nests too deep itself. It costs
 * the one call, with words; the session goes on.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { runOpenAiToolCall } from '../../src/hosts/adapters/openai.ts'
import { LEGACY_VERSIONS } from '../../src/model/session.ts'
import type { InProcessServer } from '../../src/pipeline/connect/transports/in-process.ts'
import type { Board } from '../../src/runtime/board.ts'
import { openTestBoard, serverEntry, type TestBoard } from '../boards/open.ts'

const DEEP = 20_000
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

interface Question {
  readonly id?: number | string
  readonly method: string
  readonly params?: { readonly name?: string }
}

const RECURSIVE = {
  type: 'object',
  properties: { a: { $ref: '#/$defs/list' } },
  $defs: { list: { type: 'array', items: { $ref: '#/$defs/list' } } },
}

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: LEGACY_VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: 'x', version: '1' },
  },
  'tools/list': {
    tools: ['deep', 'flat'].map((name) => ({ name, inputSchema: RECURSIVE })),
  },
}

/** The texts of what a server says to this. */
function answersTo({ id, method, params }: Question): readonly string[] {
  if (id === undefined) return []
  const begin = `{"jsonrpc":"2.0","id":${JSON.stringify(id)}`
  if (method === 'server/discover') return [`${begin},"error":{"code":-32601,"message":"Method not found"}}`]
  const result = RESULTS[method] ?? { content: [{ type: 'text', text: 'well' }] }
  if (params?.name !== 'deep') return [`${begin},"result":${JSON.stringify(result)}}`]
  return [
    `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":${nested(DEEP)}}}`,
    `${begin},"result":{"content":[],"structuredContent":{"x":${nested(DEEP)}}}}`,
  ]
}

interface Running extends AsyncDisposable {
  readonly entry: object
}

async function readBody(request: IncomingMessage): Promise<Question> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  return JSON.parse(body) as Question
}

async function listen(
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly port: number; close(): Promise<void>; server: ReturnType<typeof createServer> }> {
  const server = createServer(onRequest).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    server,
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function startHttp(): Promise<Running> {
  const { port, close } = await listen(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const texts = answersTo(await readBody(request))
    if (texts.length === 0) return void response.writeHead(202).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(texts.map((text) => `data: ${text}\n\n`).join(''))
  })
  return { entry: { type: 'http', url: `http://127.0.0.1:${port}/` }, [Symbol.asyncDispose]: close }
}

async function startSse(): Promise<Running> {
  let stream: ServerResponse | undefined
  const { port, close } = await listen(async (request, response) => {
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void stream.write('event: endpoint\ndata: /post\n\n')
    }
    const texts = answersTo(await readBody(request))
    response.writeHead(202).end()
    for (const text of texts) stream?.write(`data: ${text}\n\n`)
  })
  return { entry: { type: 'sse', url: `http://127.0.0.1:${port}/` }, [Symbol.asyncDispose]: close }
}

async function startWs(): Promise<Running> {
  const { port, close, server } = await listen((_, response) => void response.writeHead(404).end())
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => {
      for (const text of answersTo(JSON.parse(String(data)) as Question)) socket.send(text)
    })
  })
  return {
    entry: { type: 'ws', url: `ws://127.0.0.1:${port}/` },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      await close()
    },
  }
}

/** In this process: values, and no text of which the depth could be seen before. */
const inside: InProcessServer = {
  async connect(transport) {
    const onmessage = (message: Question): void => {
      for (const text of answersTo(message)) void transport.send(JSON.parse(text))
    }
    Object.assign(transport, { onmessage })
  },
}

async function expectOneFailure(board: Board): Promise<void> {
  const call = (tool: string): ReturnType<Board['call']> =>
    board.call({ server: 'x', tool }, {}, { who: 'person', timeoutMs: 20_000 })
  const { outcome, code, text } = await call('deep')
  expect([outcome, code]).toEqual(['failed', undefined])
  expect(text).toContain('`x.deep` failed')
  expect(text).toContain('answer is nested more than 200 levels deep')
  expect((await call('flat')).text).toBe('well')
}

test.each([
  ['http', startHttp],
  ['sse', startSse],
  ['ws', startWs],
] as const)('an answer over %s that is nested too deep fails its call alone', async (_, start) => {
  await using running = await start()
  await using test = await openTestBoard({ x: running.entry })
  await expectOneFailure(test.board)
})

test('so does one of a server in this process', async () => {
  await using test = await openTestBoard(
    { x: { type: 'sdk', name: 'house' } },
    { inProcess: { house: inside } },
  )
  await expectOneFailure(test.board)
})

test('arguments and parameters of a host that are nested too deep are not sent', async () => {
  await using test: TestBoard = await openTestBoard({ x: serverEntry('nests') })
  const { board } = test
  const call = (depth: number): ReturnType<Board['call']> =>
    board.call({ server: 'x', tool: 'take' }, JSON.parse(`{"a":${nested(depth)}}`), { who: 'person' })
  expect(await call(DEEP)).toMatchObject({ outcome: 'not-sent', code: 'bad-arguments' })
  expect(await call(198)).toMatchObject({ outcome: 'not-sent', code: 'bad-arguments' })
  expect(await call(197)).toMatchObject({ outcome: 'done', text: 'taken' })
  const circle: Record<string, unknown> = {}
  circle['self'] = circle
  expect(await board.call({ server: 'x', tool: 'take' }, circle, { who: 'person' })).toMatchObject({
    code: 'bad-arguments',
  })
  const builtin = await board.call('readMcpResource', JSON.parse(`{"server":"x","uri":${nested(DEEP)}}`))
  expect(builtin).toMatchObject({ outcome: 'not-sent', code: 'bad-arguments' })
  await expect(board.request('x', 'ping', JSON.parse(`{"a":${nested(DEEP)}}`))).rejects.toThrow(
    'it is nested more than 200 levels deep',
  )
  expect(await call(3)).toMatchObject({ outcome: 'done' })
})

test('arguments of a model that are nested too deep are answered in words', async () => {
  await using test = await openTestBoard(
    { x: { type: 'sdk', name: 'house' } },
    { inProcess: { house: inside } },
  )
  const answer = await runOpenAiToolCall(test.board, {
    type: 'function',
    id: '1',
    function: { name: 'mcp__x__flat', arguments: `{"a":${nested(DEEP)}}` },
  })
  expect(answer.content).toContain('they are nested too deep')
})
