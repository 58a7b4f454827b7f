/**
 * sse: the HTTP+SSE wire of 2024-11-05 against real servers on this machine.
 */
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { WireFailure } from '../../../src/model/wire.ts'
import { openSse } from '../../../src/pipeline/connect/transports/sse.ts'
import { AgentCache } from '../../../src/world/node/agent-cache.ts'
import { createNodeHttp } from '../../../src/world/node/http.ts'
import { ask, createEar, INITIALIZED, request, type Said } from '../../servers/http/ear.ts'
import { startProgram } from '../../servers/http/program.ts'
import { serve, startEvents, toEvent, type Loopback, type Received } from '../../servers/http/loopback.ts'

function open(url: string, headers: Readonly<Record<string, string>> = {}): Said & AsyncDisposable {
  const ear = createEar()
  const launch = { kind: 'sse', url, headers: new Map(Object.entries(headers)), fallback: 'none' } as const
  const wire = openSse(launch, { http: createNodeHttp({}, new AgentCache()) }, ear.listener)
  return { wire, ear, [Symbol.asyncDispose]: () => wire.close() }
}

/** Names its endpoint at once, and answers every request over the stream. */
function serveOldStyle(endpoint = '/messages?s=1'): Promise<Loopback> {
  let stream: Received['response'] | undefined
  return serve((one) => {
    if (one.method === 'GET') {
      stream = startEvents(one)
      stream.write(`event: endpoint\ndata: ${endpoint}\n\n`)
    } else {
      one.response.writeHead(202).end('Accepted')
      stream!.write(`event: message\n${toEvent({ jsonrpc: '2.0', id: one.message.id, result: {} })}`)
    }
  })
}

describe('the stream', () => {
  test('says where messages go, and brings their answers', async () => {
    await using server = await serveOldStyle()
    await using said = open(server.url, { authorization: 'Bearer x' })
    expect(await ask(said, request(1, 'initialize'))).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    expect(said.ear.heard[0]).toEqual({ kind: 'sign' })
    const [get, post] = server.received
    expect([get!.path, get!.headers.accept, get!.headers.authorization]).toEqual([
      '/mcp',
      'text/event-stream',
      'Bearer x',
    ])
    expect([post!.path, post!.headers['content-type'], post!.headers.authorization]).toEqual([
      '/messages?s=1',
      'application/json',
      'Bearer x',
    ])
  })

  test('takes what is long, too', async () => {
    await using server = await serveOldStyle()
    await using said = open(server.url)
    const call = { name: 'grüße', arguments: { text: 'QUJD'.repeat(50_000) } }
    await ask(said, request(1, 'tools/call', call))
    expect(server.received[1]!.message.params).toEqual(call)
  })

  test('is not waited for to find out what is no JSON', async () => {
    await using server = await serveOldStyle()
    await using said = open(server.url)
    expect(() => said.wire.send(request(1, 'tools/call', { big: 1n }))).toThrow(TypeError)
  })

  test('may name its endpoint in full', async () => {
    const place = { origin: '' }
    await using server = await serve((one) => {
      if (one.method === 'GET') startEvents(one).write(`event: endpoint\ndata: ${place.origin}/post\n\n`)
      else one.response.writeHead(202).end()
    })
    place.origin = server.origin
    await using said = open(server.url)
    said.wire.send(INITIALIZED)
    expect((await server.until('POST')).path).toBe('/post')
  })

  test.each(['https://evil.test/messages', '//evil.test/messages', 'http://['])(
    'an endpoint elsewhere (%s) is refused, and nothing is sent',
    async (endpoint) => {
      await using server = await serveOldStyle(endpoint)
      await using said = open(server.url)
      said.wire.send(request(1, 'initialize'))
      await said.ear.until(() => said.ear.ends().length > 0)
      expect(said.ear.ends()).toEqual([
        {
          kind: 'protocol',
          message: 'it wants messages sent to another origin than its own, which is not done',
        },
      ])
      expect(server.received.map(({ method }) => method)).toEqual(['GET'])
    },
  )

  test('its end is the end of the wire', async () => {
    await using server = await serve((one) => void startEvents(one).end('event: endpoint\ndata: /m\n\n'))
    await using said = open(server.url)
    await said.ear.until(() => said.ear.ends().length > 0)
    expect(said.ear.ends()).toEqual([{ kind: 'closed' }])
  })

  test('that breaks off is told as a broken connection', async () => {
    await using server = await serve((one) => {
      const stream = startEvents(one)
      stream.write('event: endpoint\ndata: /m\n\n', () => stream.destroy())
    })
    await using said = open(server.url)
    await said.ear.until(() => said.ear.ends().length > 0)
    expect(said.ear.ends()).toMatchObject([{ kind: 'network', code: 'UND_ERR_SOCKET' }])
  })

  test('that the server refuses is told with status and challenge', async () => {
    await using server = await serve(({ response }) => {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('who are you?')
    })
    await using said = open(server.url)
    await said.ear.until(() => said.ear.ends().length > 0)
    expect(said.ear.ends()).toEqual([
      { kind: 'http', status: 401, body: 'who are you?', challenge: 'Bearer' },
    ])
  })

  test.each<[string, WireFailure]>([
    ['text/html', { kind: 'page', title: 'hi' }],
    ['text/plain', { kind: 'protocol', message: 'it did not answer with a stream of events' }],
  ])('%s is no stream', async (type, failure) => {
    await using server = await serve(({ response }) => {
      response.writeHead(200, { 'content-type': type }).end('<title>hi</title>')
    })
    await using said = open(server.url)
    await said.ear.until(() => said.ear.ends().length > 0)
    expect(said.ear.ends()).toEqual([failure])
  })

  test('nobody at the address is the end of the wire', async () => {
    const server = await serve(() => undefined)
    await server[Symbol.asyncDispose]()
    await using said = open(server.url)
    await said.ear.until(() => said.ear.ends().length > 0)
    expect(said.ear.ends()).toMatchObject([{ kind: 'network', code: 'ECONNREFUSED' }])
  })
})

test('a message that is refused is its own failure', async () => {
  await using server = await serve((one) => {
    if (one.method === 'GET') startEvents(one).write('event: endpoint\ndata: /m\n\n')
    else one.response.writeHead(400).end('no such session')
  })
  await using said = open(server.url)
  const failure = { kind: 'http', status: 400, body: 'no such session' }
  expect(await ask(said, request(1, 'ping'))).toEqual(failure)
  expect(said.ear.ends()).toEqual([])
})

test('closing hangs up, is told once, and what is sent later fails', async () => {
  await using server = await serveOldStyle()
  const said = open(server.url)
  await ask(said, request(1, 'ping'))
  const { response } = await server.until('GET')
  await Promise.all([once(response, 'close'), said.wire.close()])
  await said.wire.close()
  expect(said.ear.ends()).toEqual([{ kind: 'closed' }])
  expect(await ask(said, request(2, 'ping'))).toEqual({ kind: 'closed' })
})

test('closing before it was opened is an end as well', async () => {
  await using server = await serveOldStyle()
  const said = open(server.url)
  await said.wire.close()
  expect(said.ear.ends()).toEqual([{ kind: 'closed' }])
})

test('the official example server speaks with it', async () => {
  await using server = await startProgram('everything-sse')
  await using said = open(`${server.origin}/sse`)
  const hello = await ask(
    said,
    request(1, 'initialize', {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }),
  )
  expect(hello).toMatchObject({ id: 1, result: { protocolVersion: '2024-11-05' } })
  said.wire.send(INITIALIZED)
  expect(await ask(said, request(2, 'tools/list', {}))).toMatchObject({
    result: { tools: expect.arrayContaining([expect.objectContaining({ name: 'echo' })]) },
  })
})
