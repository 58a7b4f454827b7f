/**
 * ws: the WebSocket wire against real servers on this machine.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import { Secret } from '../../../src/base/secret.ts'
import type { LaunchValue } from '../../../src/model/launch.ts'
import { openWs } from '../../../src/pipeline/connect/transports/ws.ts'
import { createNodeSockets } from '../../../src/world/node/sockets.ts'
import { ask, createEar, request, type Said } from '../../servers/http/ear.ts'

interface OpenOptions {
  readonly headers?: Readonly<Record<string, LaunchValue>>
  readonly protocols?: readonly string[]
}

function open(url: string, { headers = {}, protocols = [] }: OpenOptions = {}): Said & AsyncDisposable {
  const ear = createEar()
  const launch = { kind: 'ws', url, headers: new Map(Object.entries(headers)), protocols } as const
  const wire = openWs(launch, { sockets: createNodeSockets({}) }, ear.listener)
  return { wire, ear, [Symbol.asyncDispose]: () => wire.close() }
}

interface Sockets extends AsyncDisposable {
  readonly url: string
  readonly http: Server
}

async function serve(
  onSocket: (socket: WebSocket, request: IncomingMessage) => void,
  options: { readonly handleProtocols?: (protocols: Set<string>) => string | false } = {},
): Promise<Sockets> {
  const http = createServer()
  const sockets = new WebSocketServer({ server: http, ...options })
  sockets.on('connection', onSocket)
  const url = await listen(http)
  return {
    url,
    http,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate()
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
    },
  }
}

async function listen(http: Server): Promise<string> {
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return `ws://127.0.0.1:${(http.address() as AddressInfo).port}/`
}

/** Answers every request with its own parameters. */
function echo(socket: WebSocket): void {
  socket.on('message', (bytes: Buffer) => {
    const { id, params } = JSON.parse(bytes.toString()) as { id: number; params: unknown }
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: params }))
  })
}

const until = (said: Said): Promise<void> => said.ear.until(() => said.ear.ends().length > 0)

describe('messages', () => {
  test('go out once it is open, in order, and their answers come back', async () => {
    await using server = await serve(echo)
    await using said = open(server.url)
    const answers = await Promise.all([1, 2, 3].map((id) => ask(said, request(id, 'ping', { text: 'ä😀' }))))
    expect(answers).toEqual([1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, result: { text: 'ä😀' } })))
    expect(said.ear.heard.map(({ kind }) => kind)).toEqual(['sign', 'message', 'message', 'message'])
  })

  test('go with the headers and the subprotocol that were configured', async () => {
    let seen: unknown
    await using server = await serve((socket, { headers }) => {
      seen = [headers.authorization, socket.protocol]
      echo(socket)
    })
    const headers = { Authorization: new Secret('Bearer s3cret') }
    await using said = open(server.url, { headers, protocols: ['mcp'] })
    await ask(said, request(1, 'ping', {}))
    expect(seen).toEqual(['Bearer s3cret', 'mcp'])
  })

  test('text that is none is noise', async () => {
    await using server = await serve((socket) => {
      socket.send('welcome!')
      echo(socket)
    })
    await using said = open(server.url)
    await ask(said, request(1, 'ping', {}))
    expect(said.ear.heard[1]).toEqual({ kind: 'noise', text: 'welcome!' })
  })
})

describe('the end', () => {
  test('a refusal comes with its status, its words and its challenge', async () => {
    const http = createServer()
    http.on('upgrade', (_, socket) => {
      socket.end(
        'HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Bearer\r\ncontent-length: 4\r\nconnection: close\r\n\r\nwho?',
      )
    })
    await using said = open(await listen(http))
    said.wire.send(request(1, 'initialize'))
    await until(said)
    expect(said.ear.heard).toEqual([
      { kind: 'sign' },
      { kind: 'end', failure: { kind: 'http', status: 401, body: 'who?', challenge: 'Bearer' } },
    ])
    http.close()
  })

  test('a server that does not speak the subprotocol has failed', async () => {
    await using server = await serve(echo, { handleProtocols: () => false })
    await using said = open(server.url, { protocols: ['mcp'] })
    await until(said)
    expect(said.ear.ends()).toMatchObject([{ kind: 'protocol' }])
  })

  test.each([
    ['goes in good order', (socket: WebSocket) => socket.close(1000), { kind: 'closed' }],
    ['goes away', (socket: WebSocket) => socket.close(1001), { kind: 'closed' }],
    [
      'has had enough',
      (socket: WebSocket) => socket.close(1008, 'policy'),
      { kind: 'protocol', message: 'it closed the connection with code 1008' },
    ],
    [
      'drops it',
      (socket: WebSocket) => socket.terminate(),
      { kind: 'network', code: 'ECONNRESET', message: 'the connection broke off', host: expect.any(String) },
    ],
  ])('a server that %s is told so', async (_, leave, failure) => {
    await using server = await serve((socket) => socket.on('message', () => leave(socket)))
    await using said = open(server.url)
    said.wire.send(request(1, 'ping'))
    await until(said)
    expect(said.ear.ends()).toEqual([failure])
    expect(await ask(said, request(2, 'ping'))).toEqual({ kind: 'closed' })
  })

  test('nobody at the address', async () => {
    const server = await serve(echo)
    await server[Symbol.asyncDispose]()
    await using said = open(server.url)
    await until(said)
    expect(said.ear.ends()).toMatchObject([{ kind: 'network', code: 'ECONNREFUSED' }])
  })

  test('an address that is none is told without being repeated', async () => {
    await using said = open('ws tp://secret')
    await until(said)
    const message = 'the address is not one of a WebSocket'
    expect(said.ear.ends()).toEqual([{ kind: 'network', code: 'ERR_INVALID_URL', message }])
  })

  test('ours is told once, and the server hears of it', async () => {
    let there: WebSocket | undefined
    await using server = await serve((socket) => echo((there = socket)))
    const said = open(server.url)
    await ask(said, request(1, 'ping', {}))
    const [[code]] = await Promise.all([once(there!, 'close'), said.wire.close(), said.wire.close()])
    expect(said.ear.ends()).toEqual([{ kind: 'closed' }])
    // No code given, in good order.
    expect(code).toBe(1005)
  })

  test('ours comes also when it was never open', async () => {
    const http = createServer()
    http.on('upgrade', () => undefined)
    const said = open(await listen(http))
    await once(http, 'upgrade')
    await said.wire.close()
    expect(said.ear.ends()).toEqual([{ kind: 'closed' }])
    http.closeAllConnections()
    http.close()
  })

  test('ours does not wait for a server that never says goodbye', async () => {
    await using server = await serve((socket) => {
      echo(socket)
      socket.pause()
    })
    const said = open(server.url)
    await said.ear.until(() => said.ear.heard.length > 0)
    await said.wire.close()
    expect(said.ear.ends()).toEqual([{ kind: 'closed' }])
  })
})
