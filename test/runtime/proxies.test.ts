/**
 * proxies: remote servers behind a real proxy on this machine, as the variables of the environment say.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { loadCatalog } from '../../src/runtime/load-catalog.ts'
import { openTestBoard } from '../boards/open.ts'
import { call, connectionOf } from '../boards/watch.ts'
import { answerLegacy, serve, startEvents, toEvent, type Received } from '../servers/http/loopback.ts'
import { startProxy } from '../servers/http/proxy.ts'
import { createScratch } from '../worlds/scratch.ts'

const CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }

/** Also says, on a stream of its own, that its tools changed. */
function answerWithStream(one: Received): void {
  if (one.method === 'GET') startEvents(one).write(toEvent(CHANGED))
  else answerLegacy(one)
}

/** The problem of `x`, as far as it is about the proxy. */
async function problemOf(url: string, env: Readonly<Record<string, string>>, type = 'http'): Promise<object> {
  await using test = await openTestBoard({ x: { type, url } }, { env, stay: 'once' })
  const connection = connectionOf(test.board, 'x')
  if (!('problem' in connection)) throw new Error(`it is ${connection.state}`)
  const { message, notes, hints, code } = connection.problem
  return { message, notes, hints, code, state: connection.state }
}

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

describe('Streamable HTTP', () => {
  test('goes through the proxy, streams included, and the password goes to the proxy alone', async () => {
    await using server = await serve(answerWithStream)
    await using proxy = await startProxy()
    const env = { HTTP_PROXY: proxy.url.replace('://', '://ada:secret@') }
    await using test = await openTestBoard({ x: { type: 'http', url: server.url } }, { env })
    await server.until('tools/list', 2)
    expect(await call(test.board, 'x', ['echo', { text: 'through' }])).toBe('through')
    expect(proxy.asked).toHaveLength(server.received.length)
    const authorization = `Basic ${Buffer.from('ada:secret').toString('base64')}`
    expect(proxy.asked[0]).toEqual({ line: `POST ${server.url}`, authorization })
    expect(proxy.asked.map(({ line }) => line)).toContain(`GET ${server.url}`)
    expect(server.received.map(({ headers }) => headers['proxy-authorization'])).not.toContain(authorization)
    expect(server.received[0]!.headers.host).toBe(`127.0.0.1:${server.port}`)
  })

  test.each(['NO_PROXY', 'no_proxy'])('goes straight there when %s says so', async (name) => {
    await using server = await serve(answerLegacy)
    await using proxy = await startProxy()
    const env = { HTTP_PROXY: proxy.url, [name]: `example.test,127.0.0.1:${server.port}` }
    await using test = await openTestBoard({ x: { type: 'http', url: server.url } }, { env })
    expect(connectionOf(test.board, 'x').state).toBe('ready')
    expect(proxy.asked).toEqual([])
  })
})

test('SSE goes through the proxy', async () => {
  let events: ReturnType<typeof startEvents> | undefined
  await using server = await serve((one) => {
    if (one.method === 'GET') (events = startEvents(one)).write('event: endpoint\ndata: /post\n\n')
    else {
      one.response.writeHead(202).end()
      const { id, method } = one.message
      const hello = { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: {} }
      const result = method === 'initialize' ? hello : { tools: [] }
      if (id !== undefined) events!.write(toEvent({ jsonrpc: '2.0', id, result }))
    }
  })
  await using proxy = await startProxy()
  await using test = await openTestBoard(
    { x: { type: 'sse', url: server.url } },
    { env: { all_proxy: proxy.url } },
  )
  expect(connectionOf(test.board, 'x').state).toBe('ready')
  expect(proxy.asked.map(({ line }) => line).slice(0, 2)).toEqual([
    `GET ${server.url}`,
    `POST ${server.origin}/post`,
  ])
})

describe('a WebSocket', () => {
  async function serveSockets(): Promise<AsyncDisposable & { readonly host: string }> {
    const http: Server = createServer()
    const sockets = new WebSocketServer({ server: http })
    sockets.on('connection', (socket) =>
      socket.on('message', (bytes: Buffer) => {
        const { id, method } = JSON.parse(bytes.toString()) as { id?: number; method: string }
        const hello = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} }
        const answers: Record<string, object> = {
          initialize: { result: hello },
          'tools/list': { result: { tools: [] } },
        }
        const answer = answers[method] ?? { error: { code: -32601, message: 'no' } }
        if (id !== undefined) socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
      }),
    )
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    return {
      host: `127.0.0.1:${(http.address() as AddressInfo).port}`,
      async [Symbol.asyncDispose]() {
        for (const socket of sockets.clients) socket.terminate()
        http.close()
        await once(http, 'close')
      },
    }
  }

  test('goes through a tunnel', async () => {
    await using server = await serveSockets()
    await using proxy = await startProxy()
    const env = { HTTP_PROXY: proxy.url.replace('://', '://ada:secret@') }
    await using test = await openTestBoard({ x: { type: 'ws', url: `ws://${server.host}/` } }, { env })
    expect(connectionOf(test.board, 'x').state).toBe('ready')
    expect(proxy.asked).toEqual([
      {
        line: `CONNECT ${server.host}`,
        authorization: `Basic ${Buffer.from('ada:secret').toString('base64')}`,
      },
    ])
  })

  test('goes straight there when NO_PROXY says so', async () => {
    await using server = await serveSockets()
    await using proxy = await startProxy()
    const env = { HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.0/8' }
    await using test = await openTestBoard({ x: { type: 'ws', url: `ws://${server.host}/` } }, { env })
    expect(connectionOf(test.board, 'x').state).toBe('ready')
    expect(proxy.asked).toEqual([])
  })

  test('that the proxy refuses says so', async () => {
    await using proxy = await startProxy({ refusal: 403 })
    expect(await problemOf('ws://host.test/', { HTTP_PROXY: proxy.url }, 'ws')).toMatchObject({
      message: `Failed to connect to "x": the proxy \`${proxy.url}\` (\`HTTP_PROXY\`) refused to connect us: HTTP 403`,
    })
  })

  test('can be given up while the proxy thinks', async () => {
    const silent = createTcpServer()
    const asked = new Promise<void>((resolve) => silent.once('connection', () => resolve()))
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const env = { HTTP_PROXY: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` }
    const test = await openTestBoard({ x: { type: 'ws', url: 'ws://host.test/' } }, { env, deadlineMs: 0 })
    await asked
    await test[Symbol.asyncDispose]()
    silent.close()
    // It ends when the last connection has.
    await once(silent, 'close')
  })
})

test('a connector is fetched through the proxy', async () => {
  const list = JSON.stringify({ mcpServers: { hosted: { type: 'http', url: 'https://hosted.example/mcp' } } })
  await using hub = await serve(({ response }) => response.end(list))
  await using proxy = await startProxy()
  using scratch = createScratch({ HTTP_PROXY: proxy.url })
  scratch.write('home/.config/plugboard/settings.json', JSON.stringify({ connectors: [{ url: hub.url }] }))
  const { catalog } = await loadCatalog(scratch.world, { connectors: 'fetch' })
  expect(catalog.servers.map(({ name }) => name)).toEqual(['hosted'])
  expect(proxy.asked.map(({ line }) => line)).toEqual([`GET ${hub.url}`])
})

test('a connector behind a proxy that is not there names the proxy', async () => {
  const proxy = `http://127.0.0.1:${await freePort()}`
  using scratch = createScratch({ HTTP_PROXY: proxy.replace('://', '://ada:secret@') })
  const url = 'http://hub.test/list'
  scratch.write('home/.config/plugboard/settings.json', JSON.stringify({ connectors: [{ url }] }))
  const { catalog } = await loadCatalog(scratch.world, { connectors: 'fetch' })
  expect(catalog.problems.map(({ message }) => message)).toEqual([
    `the connector \`${url}\` could not be fetched: nobody answers at the proxy \`${proxy}\` (\`HTTP_PROXY\`) (connection refused)`,
  ])
})

describe('a proxy', () => {
  test.each([
    ['http', 'http://host.test/mcp', 'HTTP_PROXY'],
    ['https', 'https://host.test/mcp', 'https_proxy'],
  ])('that wants a password says so, and is not asked again (%s)', async (_, url, variable) => {
    await using proxy = await startProxy({ refusal: 407 })
    const env = { [variable]: proxy.url.replace('://', '://ada:wrong-password@') }
    const problem = await problemOf(url, env)
    expect(problem).toMatchObject({
      state: 'failed',
      code: 'connect/network',
      message: `Failed to connect to "x": the proxy \`${proxy.url}\` (\`${variable}\`) wants a name and password (HTTP 407)`,
      hints: [
        `put them into \`${variable}\`: \`http://name:password@proxy:port\``,
        'to reach this server without it, add `host.test` to `NO_PROXY`',
      ],
    })
    expect(JSON.stringify(problem)).not.toContain('wrong-password')
    expect(proxy.asked).toHaveLength(1)
  })

  test('that does not want to connect us is named', async () => {
    await using proxy = await startProxy({ refusal: 403 })
    expect(await problemOf('https://host.test/mcp', { HTTPS_PROXY: proxy.url })).toMatchObject({
      state: 'waiting',
      message: `Failed to connect to "x": the proxy \`${proxy.url}\` (\`HTTPS_PROXY\`) refused to connect us: HTTP 403`,
      hints: [
        'check `HTTPS_PROXY` in your environment',
        'to reach this server without it, add `host.test` to `NO_PROXY`',
      ],
    })
  })

  test('that hangs up is not asked for ever', async () => {
    await using proxy = await startProxy({ refusal: 'hang-up' })
    expect(await problemOf('https://host.test/mcp', { ALL_PROXY: proxy.url })).toMatchObject({
      message: `Failed to connect to "x": the proxy \`${proxy.url}\` (\`ALL_PROXY\`) broke off the connection`,
    })
    expect(proxy.asked).toHaveLength(1)
  })

  test.each([
    ['http', 'http://host.test/mcp'],
    ['https', 'https://host.test/mcp'],
  ])('that is not there is named, and not the server (%s)', async (_, url) => {
    const proxy = `http://127.0.0.1:${await freePort()}`
    expect(await problemOf(url, { ALL_PROXY: proxy })).toMatchObject({
      message: `Failed to connect to "x": nobody answers at the proxy \`${proxy}\` (\`ALL_PROXY\`) (connection refused)`,
    })
  })

  test('that cannot reach the server is mentioned', async () => {
    await using proxy = await startProxy()
    const url = `http://127.0.0.1:${await freePort()}/mcp`
    expect(await problemOf(url, { HTTP_PROXY: proxy.url })).toMatchObject({
      message: 'Failed to connect to "x": the server answered with HTTP 502',
      notes: [
        `address: ${url}`,
        `asked through the proxy \`${proxy.url}\` (\`HTTP_PROXY\`)`,
        'it said: "no such server"',
      ],
    })
  })

  test.each([
    ['http', 'http://host.test/mcp'],
    ['ws', 'ws://host.test/mcp'],
  ])('of a kind that is not supported is not gone around (%s)', async (type, url) => {
    expect(await problemOf(url, { ALL_PROXY: 'socks5://ada:secret@127.0.0.1:1' }, type)).toMatchObject({
      state: 'failed',
      message:
        'Failed to connect to "x": the proxy `socks5://127.0.0.1:1` (`ALL_PROXY`) cannot be used: only http and https proxies are supported, and this one is `socks5`',
    })
  })
})
