/**
 * http: the Streamable HTTP wire against real servers on this machine.
 */
import type { OutgoingHttpHeaders } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../../src/base/secret.ts'
import type { LaunchValue } from '../../../src/model/launch.ts'
import type { Sent } from '../../../src/model/wire.ts'
import { openHttp } from '../../../src/pipeline/connect/transports/http.ts'
import { nodeClock } from '../../../src/world/node/clock.ts'
import { AgentCache } from '../../../src/world/node/agent-cache.ts'
import { createNodeHttp } from '../../../src/world/node/http.ts'
import type { Clock } from '../../../src/world/world.ts'
import { ask, createEar, INITIALIZED, request, type Said } from '../../servers/http/ear.ts'
import { startProgram } from '../../servers/http/program.ts'
import { sendJson, sendResult, serve, startEvents, toEvent } from '../../servers/http/loopback.ts'

interface OpenOptions {
  readonly headers?: Readonly<Record<string, LaunchValue>>
  readonly clock?: Clock
}

function open(
  url: LaunchValue,
  { headers = {}, clock = nodeClock }: OpenOptions = {},
): Said & AsyncDisposable {
  const ear = createEar()
  const launch = { kind: 'http', url, headers: new Map(Object.entries(headers)), fallback: 'none' } as const
  const wire = openHttp(launch, { http: createNodeHttp({}, new AgentCache()), clock }, ear.listener)
  return { wire, ear, [Symbol.asyncDispose]: () => wire.close() }
}

/** A clock on which every wait is over at once, once somebody lets it be. */
function createHastyClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = []
  return {
    ...nodeClock,
    waits,
    after(ms, step) {
      waits.push(ms)
      return nodeClock.after(0, step)
    },
  }
}

const pong = (id: number) => ({ jsonrpc: '2.0', id, result: {} })

const LONG_CALL = { name: 'grüße', arguments: { text: 'QUJD'.repeat(50_000), more: '😀' } }
const PROGRESS = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } }

/** Goes to the server and back a few times, in which whatever was on its way arrives. */
async function settle(said: Said): Promise<void> {
  for (let id = 1001; id <= 1005; id++) await ask(said, request(id, 'ping'))
}

describe('answers', () => {
  test.each([1, 7, 20_000])('a body may come in pieces of %i bytes', async (size) => {
    const text = 'aé€😀'.repeat(size === 1 ? 2000 : 20_000)
    await using server = await serve(async ({ response, message: { id } }) => {
      const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: { text } }))
      response.writeHead(200, { 'content-type': 'application/json' })
      for (let from = 0; from < body.length; from += size) response.write(body.subarray(from, from + size))
      response.end()
    })
    await using said = open(server.url)
    expect(await ask(said, request(1, 'ping'))).toEqual({ ...pong(1), result: { text } })
  })

  test.each<readonly [string, (body: Buffer) => OutgoingHttpHeaders]>([
    ['with its length', (body) => ({ 'content-length': body.length })],
    ['in chunks', () => ({})],
    ['until the connection ends', () => ({ connection: 'close' })],
  ])('megabytes %s are read whole, one answer after the other', async (_, headersFor) => {
    const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(3_000_000))
    await using server = await serve(({ response, message: { id } }) => {
      const body = Buffer.from(
        JSON.stringify({ jsonrpc: '2.0', id, result: { text: texts[Number(id) % 3] } }),
      )
      response.writeHead(200, { 'content-type': 'application/json', ...headersFor(body) }).end(body)
    })
    await using said = open(server.url)
    for (const id of [3, 4, 5, 6])
      expect(await ask(said, request(id, 'ping'))).toEqual({ ...pong(id), result: { text: texts[id % 3] } })
    const both = await Promise.all([7, 8].map((id) => ask(said, request(id, 'ping'))))
    expect(both).toEqual([7, 8].map((id) => ({ ...pong(id), result: { text: texts[id % 3] } })))
  })

  test('a message is one POST with what was configured, and its JSON answer comes back', async () => {
    await using server = await serve((one) => sendResult(one, { ok: true }))
    await using said = open(`${server.url}?key=1`, {
      headers: { Authorization: new Secret('Bearer s3cret'), 'X-Team': 'core', Accept: 'text/html' },
    })
    const answer = await ask(said, request(1, 'ping'))
    expect(answer).toEqual({ jsonrpc: '2.0', id: 1, result: { ok: true } })
    const { method, path, headers, message } = server.received[0]!
    expect({ method, path, message }).toEqual({
      method: 'POST',
      path: '/mcp?key=1',
      message: { jsonrpc: '2.0', id: 1, method: 'ping' },
    })
    expect(headers).toEqual({
      host: new URL(server.url).host,
      connection: 'keep-alive',
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'content-length': '40',
      authorization: 'Bearer s3cret',
      'x-team': 'core',
    })
    expect(said.ear.heard[0]).toEqual({ kind: 'sign' })
  })

  test('the sign of life is given once', async () => {
    await using server = await serve((one) => sendResult(one))
    await using said = open(server.url)
    await ask(said, request(1, 'ping'))
    await ask(said, request(2, 'ping'))
    expect(said.ear.heard.map(({ kind }) => kind)).toEqual(['sign', 'message', 'message'])
  })

  test('a list of messages is told one by one', async () => {
    await using server = await serve((one) => sendJson(one, [PROGRESS, pong(1)]))
    await using said = open(server.url)
    await ask(said, request(1, 'ping'))
    expect(said.ear.messages()).toEqual([PROGRESS, pong(1)])
  })

  test('events before the answer are told as they come', async () => {
    await using server = await serve((one) => void startEvents(one).write(toEvent(PROGRESS)))
    await using said = open(server.url)
    const asked = ask(said, request(1, 'tools/call'))
    await said.ear.until(() => said.ear.messages().length === 1)
    server.received[0]!.response.end(toEvent(pong(1)))
    expect(await asked).toEqual(pong(1))
    expect(said.ear.messages()).toEqual([PROGRESS, pong(1)])
  })

  test.each([
    ['events', 'text/event-stream', `: hi\r\n\r\n${toEvent({ ...PROGRESS, params: { text: 'é€😀' } })}`],
    ['JSON with a byte order mark', 'application/json; charset=utf-8', '\uFEFF'],
  ])('%s may be cut anywhere, also inside a character', async (_, type, start) => {
    const text = 'ä€😀\u2028'
    const answer = { jsonrpc: '2.0', id: 1, result: { text } }
    await using server = await serve(async ({ response }) => {
      response.writeHead(200, { 'content-type': type })
      const body = start + (type.startsWith('text/') ? toEvent(answer) : JSON.stringify(answer))
      for (const byte of Buffer.from(body)) {
        response.write(Buffer.of(byte))
        await new Promise(setImmediate)
      }
      response.end()
    })
    await using said = open(server.url)
    expect(await ask(said, request(1, 'tools/call'))).toEqual(answer)
    if (start.length > 1) expect(said.ear.messages()[0]).toMatchObject({ params: { text: 'é€😀' } })
  })

  test('JSON with a byte order mark may come in one piece, of which the length was said', async () => {
    const answer = { jsonrpc: '2.0', id: 1, result: { text: 'ä€😀' } }
    await using server = await serve(({ response }) => {
      const body = `\uFEFF${JSON.stringify(answer)}`
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      response.end(body)
    })
    await using said = open(server.url)
    expect(await ask(said, request(1, 'tools/call'))).toEqual(answer)
  })

  test('text between events that is no message is noise, and other kinds of events are passed over', async () => {
    await using server = await serve((one) =>
      startEvents(one).end(`data: hello\n\nevent: heartbeat\ndata: {}\n\n${toEvent(pong(1))}`),
    )
    await using said = open(server.url)
    await ask(said, request(1, 'ping'))
    expect(said.ear.heard.slice(1)).toEqual([
      { kind: 'noise', text: 'hello' },
      { kind: 'message', message: pong(1) },
    ])
  })

  test('an error for nobody in particular is the answer to the one who asked', async () => {
    const error = { code: -32700, message: 'Parse error' }
    await using server = await serve((one) => sendJson(one, { jsonrpc: '2.0', id: null, error }))
    await using said = open(server.url)
    expect(await ask(said, request(7, 'ping'))).toEqual({ jsonrpc: '2.0', id: 7, error })
  })

  test.each([
    ['a text', 'text/plain', 'Sign in', 'it answered with `text/plain` and not with JSON or events'],
    ['half of JSON', 'application/json', '{"jsonrpc":"2.0",', 'it answered with invalid JSON'],
    ['JSON that is no message', 'application/json', '42', 'it answered with invalid JSON'],
    ['nothing', 'application/json', '', 'it did not answer the request'],
    [
      'an answer to another request',
      'application/json',
      JSON.stringify(pong(9)),
      'it did not answer the request',
    ],
    ['events without an answer', 'text/event-stream', toEvent(PROGRESS), 'it did not answer the request'],
  ])('%s is no answer to a request', async (_, type, body, message) => {
    await using server = await serve(({ response }) => {
      response.writeHead(200, { 'content-type': type }).end(body)
    })
    await using said = open(server.url)
    expect(await ask(said, request(1, 'ping'))).toEqual({ kind: 'protocol', message })
    expect(said.ear.ends()).toEqual([])
  })

  test.each([
    ['<html><head><title lang="en"> Sign in\n</title></head></html>', 'Sign in'],
    ['<p>Sign in</p>', ''],
    ['', ''],
  ])('a page is no answer to a request, and told by its title: %s', async (body, title) => {
    await using server = await serve(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body)
    })
    await using said = open(server.url)
    expect(await ask(said, request(1, 'ping'))).toEqual({ kind: 'page', title })
  })
})

describe('the session', () => {
  test('its id and version go with everything after the handshake, and a new handshake begins without', async () => {
    let sessions = 0
    await using server = await serve((one) => {
      if (one.message?.method === 'initialize') one.response.setHeader('mcp-session-id', `s${++sessions}`)
      if (one.method === 'POST') sendResult(one)
      else one.response.writeHead(405).end()
    })
    await using said = open(server.url)
    const seen = (): unknown[] =>
      server.received
        .filter(({ method }) => method === 'POST')
        .map(({ message, headers }) => [
          message.method,
          headers['mcp-session-id'],
          headers['mcp-protocol-version'],
        ])
    await ask(said, request(1, 'initialize'))
    said.wire.setVersion!('2025-06-18')
    said.wire.send(INITIALIZED)
    await server.until('notifications/initialized')
    await ask(said, request(2, 'tools/list'))
    await ask(said, request(3, 'initialize'))
    await ask(said, request(4, 'ping'))
    expect(seen()).toEqual([
      ['initialize', undefined, undefined],
      ['notifications/initialized', 's1', '2025-06-18'],
      ['tools/list', 's1', '2025-06-18'],
      ['initialize', undefined, undefined],
      ['ping', 's2', undefined],
    ])
  })

  test('a server that has forgotten it is told as 404, also when it puts that into JSON-RPC', async () => {
    await using server = await serve((one) => {
      if (one.message?.method === 'initialize') {
        one.response.setHeader('mcp-session-id', 's1')
        sendResult(one)
      } else if (one.method === 'POST')
        sendJson(one, { jsonrpc: '2.0', id: one.message.id, error: { code: -32001, message: 'gone' } }, 404)
      else one.response.end()
    })
    await using said = open(server.url)
    await ask(said, request(1, 'initialize'))
    expect(await ask(said, request(2, 'ping'))).toMatchObject({ kind: 'http', status: 404 })
    expect(said.ear.messages()).toHaveLength(1)
  })

  test('closing ends it with a DELETE, ends every stream, and is told once', async () => {
    await using server = await serve((one) => {
      if (one.message?.method === 'initialize') one.response.setHeader('mcp-session-id', 's1')
      if (one.message?.method === 'tools/call') startEvents(one)
      else if (one.method === 'DELETE') one.response.end()
      else sendResult(one)
    })
    const said = open(server.url)
    await ask(said, request(1, 'initialize'))
    const failures: unknown[] = []
    said.wire.send(request(2, 'tools/call'), { onFailure: (failure) => failures.push(failure) })
    const call = await server.until('tools/call')
    await Promise.all([once(call.response, 'close'), said.wire.close(), said.wire.close()])
    expect((await server.until('DELETE')).headers['mcp-session-id']).toBe('s1')
    expect(said.ear.ends()).toEqual([{ kind: 'closed' }])
    expect(failures).toEqual([])
    await new Promise<void>((resolve) =>
      said.wire.send(request(3, 'ping'), {
        onFailure(failure) {
          expect(failure).toEqual({ kind: 'closed' })
          resolve()
        },
      }),
    )
  })

  test('closing sends nothing that still waited behind the greeting', async () => {
    await using server = await serve((one) => {
      // The greeting has no answer.
      if (one.message?.method !== 'notifications/initialized') sendResult(one)
    })
    const said = open(server.url)
    await ask(said, request(1, 'initialize'))
    said.wire.send(INITIALIZED)
    const failures: unknown[] = []
    said.wire.send(request(2, 'tools/call'), { onFailure: (failure) => failures.push(failure) })
    await server.until('notifications/initialized')
    await said.wire.close()
    // Whatever had been sent before this one would have come before it.
    await using other = open(server.url)
    await settle(other)
    expect(server.received.map(({ message }) => message?.method)).not.toContain('tools/call')
    expect(failures).toEqual([])
  })

  test('what is no JSON is found out at once, also behind the greeting', async () => {
    await using server = await serve((one) => {
      // The greeting has no answer.
      if (one.message?.method !== 'notifications/initialized') sendResult(one)
    })
    await using said = open(server.url)
    await ask(said, request(1, 'initialize'))
    said.wire.send(INITIALIZED)
    expect(() => said.wire.send(request(2, 'tools/call', { big: 1n }))).toThrow(TypeError)
  })

  test('closing waits a second for the server, and no longer', async () => {
    await using server = await serve((one) => {
      if (one.method === 'DELETE') return
      one.response.setHeader('mcp-session-id', 's1')
      sendResult(one)
    })
    const clock = createHastyClock()
    const said = open(server.url, { clock })
    await ask(said, request(1, 'initialize'))
    await said.wire.close()
    expect(clock.waits).toEqual([1000])
    expect(said.ear.ends()).toEqual([{ kind: 'closed' }])
  })

  test('without one there is nothing to delete', async () => {
    await using server = await serve((one) => sendResult(one))
    const said = open(server.url)
    await ask(said, request(1, 'initialize'))
    await said.wire.close()
    expect(server.received.map(({ method }) => method)).toEqual(['POST'])
  })
})

/** What other messages wait for the stream, at most. */
const OPENING = 100

describe("the server's own stream", () => {
  test.each(['opened', 'refused', 'late'])('messages do not overtake it, until it is %s', async (how) => {
    await using server = await serve((one) => {
      if (one.method === 'POST') sendResult(one)
    })
    let isLate: (() => void) | undefined
    const clock: Clock = {
      ...nodeClock,
      after(_, step) {
        isLate = step
        return () => undefined
      },
    }
    await using said = open(server.url, { clock })
    await ask(said, request(1, 'initialize'))
    said.wire.send(INITIALIZED)
    const asked = ask(said, request(2, 'tools/list'))
    const stream = await server.until('GET')
    expect(server.received.map(({ message }) => message?.method)).toEqual([
      'initialize',
      'notifications/initialized',
      undefined,
    ])
    if (how === 'opened') startEvents(stream)
    else if (how === 'refused') stream.response.writeHead(405).end()
    else isLate!()
    expect(await asked).toEqual(pong(2))
  })

  test('is opened after the handshake, and what it says is told', async () => {
    const question = { jsonrpc: '2.0', id: 'q1', method: 'roots/list' }
    await using server = await serve((one) => {
      if (one.method === 'GET') startEvents(one).write(toEvent(question))
      else {
        one.response.setHeader('mcp-session-id', 's1')
        sendResult(one)
      }
    })
    await using said = open(server.url, { headers: { 'x-team': 'core' } })
    await ask(said, request(1, 'initialize'))
    said.wire.setVersion!('2025-11-25')
    said.wire.send(INITIALIZED)
    await said.ear.until(() => said.ear.messages().length === 2)
    expect(said.ear.messages()[1]).toEqual(question)
    expect((await server.until('GET')).headers).toMatchObject({
      accept: 'text/event-stream',
      'mcp-session-id': 's1',
      'mcp-protocol-version': '2025-11-25',
      'x-team': 'core',
    })
    said.wire.send({ jsonrpc: '2.0', id: 'q1', result: { roots: [] } })
    await server.until('POST', 3)
    expect(server.received.at(-1)!.message).toEqual({ jsonrpc: '2.0', id: 'q1', result: { roots: [] } })
  })

  test.each([405, 404, 400])('a server that answers %i has none, and all is well', async (status) => {
    await using server = await serve((one) => {
      if (one.method === 'GET') one.response.writeHead(status).end()
      else sendResult(one)
    })
    const clock = createHastyClock()
    await using said = open(server.url, { clock })
    said.wire.send(INITIALIZED)
    await server.until('GET')
    await settle(said)
    expect(server.received.filter(({ method }) => method === 'GET')).toHaveLength(1)
    expect([clock.waits, said.ear.ends()]).toEqual([[OPENING], []])
  })

  test('when it drops it is taken up where it was, after the time that the server asked for', async () => {
    await using server = await serve((one) => {
      if (one.method !== 'GET') return sendResult(one)
      const stream = startEvents(one)
      if (one.headers['last-event-id'] === undefined) stream.end(`retry: 70\n${toEvent(PROGRESS, 'e1')}`)
      else if (one.headers['last-event-id'] === 'e1') {
        stream.write(toEvent({ ...PROGRESS, params: { progress: 2 } }, 'e2'), () => stream.destroy())
      }
    })
    const clock = createHastyClock()
    await using said = open(server.url, { clock })
    said.wire.send(INITIALIZED)
    const third = await server.until('GET', 3)
    expect(third.headers['last-event-id']).toBe('e2')
    expect(clock.waits).toEqual([OPENING, 70, 70])
    expect(said.ear.messages()).toHaveLength(2)
  })

  test('a door that stays shut is tried five times, ever more slowly', async () => {
    await using server = await serve((one) => {
      if (one.method === 'GET') one.response.writeHead(503).end()
      else sendResult(one)
    })
    const clock = createHastyClock()
    await using said = open(server.url, { clock })
    said.wire.send(INITIALIZED)
    await server.until('GET', 5)
    await settle(said)
    expect(server.received.filter(({ method }) => method === 'GET')).toHaveLength(5)
    expect(clock.waits).toEqual([OPENING, 1000, 1500, 2250, 3375])
    expect(said.ear.ends()).toEqual([])
  })

  test('a server that hangs up on everyone and asks to be called back at once is called ever more slowly', async () => {
    await using server = await serve((one) => {
      if (one.method === 'GET') startEvents(one).end('retry: 0\n\n')
      else sendResult(one)
    })
    const clock = createHastyClock()
    await using said = open(server.url, { clock })
    said.wire.send(INITIALIZED)
    await server.until('GET', 12)
    expect(clock.waits.slice(0, 5)).toEqual([OPENING, 0, 1500, 2250, 3375])
    expect(Math.max(...clock.waits)).toBe(30_000)
  })
})

describe('an answer that breaks off', () => {
  test('is taken up with GET after the first event, no earlier than the server said', async () => {
    let endedAt = 0
    await using server = await serve((one) => {
      if (one.method === 'GET') startEvents(one).write(toEvent(PROGRESS) + toEvent(pong(1), 'e2'))
      else
        startEvents(one).end('id: e1\nretry: 150\ndata: \n\n', () => {
          endedAt = performance.now()
        })
    })
    await using said = open(server.url)
    expect(await ask(said, request(1, 'tools/call'))).toEqual(pong(1))
    const get = await server.until('GET')
    expect(get.headers['last-event-id']).toBe('e1')
    // A timer of Node may be a millisecond early.
    expect(get.at - endedAt).toBeGreaterThanOrEqual(149)
    expect(said.ear.messages()).toEqual([PROGRESS, pong(1)])
    // Nobody needs the rest of it.
    if (!get.response.destroyed) await once(get.response, 'close')
  })

  test('is taken up also when the connection broke', async () => {
    await using server = await serve((one) => {
      const stream = startEvents(one)
      if (one.method === 'GET') stream.end(toEvent(pong(1)))
      else stream.write(toEvent(PROGRESS, 'e1'), () => stream.destroy())
    })
    await using said = open(server.url, { clock: createHastyClock() })
    expect(await ask(said, request(1, 'tools/call'))).toEqual(pong(1))
  })

  test('without an event to go on from is a failure', async () => {
    await using server = await serve((one) => {
      const stream = startEvents(one)
      stream.write(toEvent(PROGRESS), () => stream.destroy())
    })
    await using said = open(server.url)
    expect(await ask(said, request(1, 'tools/call'))).toMatchObject({
      kind: 'network',
      code: 'UND_ERR_SOCKET',
    })
  })

  test.each([400, 401, 403, 404, 405])(
    'that the server does not go on with (%i) is a failure after it was sent',
    async (status) => {
      await using server = await serve((one) => {
        if (one.method === 'GET') one.response.writeHead(status).end()
        else startEvents(one).end('id: e1\ndata: \n\n')
      })
      await using said = open(server.url, { clock: createHastyClock() })
      expect(await ask(said, request(1, 'tools/call'))).toEqual({
        kind: 'protocol',
        message: `its answer broke off, and it refused to go on with it (HTTP ${status})`,
      })
    },
  )

  test('whose server is gone is a failure after it was sent', async () => {
    const server = await serve((one) => {
      startEvents(one).write('id: e1\ndata: \n\n', () => void server[Symbol.asyncDispose]())
    })
    await using said = open(server.url, { clock: createHastyClock() })
    expect(await ask(said, request(1, 'tools/call'))).toEqual({
      kind: 'protocol',
      message: expect.stringMatching(/^its answer broke off, and the rest could not be had: /),
    })
  })
})

describe('refusals', () => {
  test('401 comes with its challenge', async () => {
    await using server = await serve(({ response }) => {
      response.writeHead(401, { 'www-authenticate': 'Bearer scope="a"' }).end('{"error":"no"}')
    })
    await using said = open(server.url)
    expect(await ask(said, request(1, 'initialize'))).toEqual({
      kind: 'http',
      status: 401,
      body: '{"error":"no"}',
      challenge: 'Bearer scope="a"',
    })
  })

  test('500 comes with the beginning of what the server said', async () => {
    await using server = await serve(({ response }) => void response.writeHead(500).end('x'.repeat(5000)))
    await using said = open(server.url)
    const failure = { kind: 'http', status: 500, body: 'x'.repeat(2048) }
    expect(await ask(said, request(1, 'ping'))).toEqual(failure)
  })

  test('of a notification are told as well', async () => {
    await using server = await serve(({ response }) => void response.writeHead(400).end('bad'))
    await using said = open(server.url)
    const failure = await new Promise((resolve) => said.wire.send(INITIALIZED, { onFailure: resolve }))
    expect(failure).toEqual({ kind: 'http', status: 400, body: 'bad' })
  })

  const error = { code: -32601, message: 'Method not found' }
  test.each([
    ['modern', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }],
    ['legacy', undefined],
  ])('a JSON-RPC error with the id of the %s request is its answer', async (_, params) => {
    await using server = await serve((one) =>
      sendJson(one, { jsonrpc: '2.0', id: one.message.id, error }, 404),
    )
    await using said = open(server.url)
    expect(await ask(said, request(1, 'tasks/get', params))).toEqual({ jsonrpc: '2.0', id: 1, error })
  })

  test('a JSON-RPC error for nobody is a refusal', async () => {
    const body = { jsonrpc: '2.0', id: null, error }
    await using server = await serve((one) => sendJson(one, body, 400))
    await using said = open(server.url)
    const failure = { kind: 'http', status: 400, body: JSON.stringify(body) }
    expect(await ask(said, request(1, 'ping'))).toEqual(failure)
  })

  test('a port where nobody listens is the failure of the message, not the end', async () => {
    const server = await serve(() => undefined)
    await server[Symbol.asyncDispose]()
    await using said = open(server.url)
    expect(await ask(said, request(1, 'ping'))).toMatchObject({ kind: 'network', code: 'ECONNREFUSED' })
    expect(said.ear.ends()).toEqual([])
  })

  test('an address that is none is told without being repeated', async () => {
    await using said = open('ht tp://secret')
    const message = 'the address is not an http or https URL'
    expect(await ask(said, request(1, 'ping'))).toEqual({ kind: 'network', code: 'ERR_INVALID_URL', message })
  })

  test('a name and password in the address become a header', async () => {
    await using server = await serve((one) => sendResult(one))
    await using said = open(server.url.replace('//', '//ada:p%40ss@'))
    await ask(said, request(1, 'ping'))
    expect(server.received[0]!.headers.authorization).toBe(`Basic ${btoa('ada:p@ss')}`)
  })

  test.each([
    ['with its length', true],
    ['without', false],
  ])('a body of more than 64 MB, announced %s, is refused', async (_, isAnnounced) => {
    const size = 65 * 1024 * 1024
    await using server = await serve(({ response }) => {
      const headers = {
        'content-type': 'application/json',
        ...(isAnnounced ? { 'content-length': size } : {}),
      }
      response.writeHead(200, headers)
      if (isAnnounced) response.flushHeaders()
      else response.end(Buffer.alloc(size, 32))
    })
    await using said = open(server.url)
    const message = 'the answer is larger than 64 MB'
    expect(await ask(said, request(1, 'ping'))).toEqual({ kind: 'protocol', message })
    if (!server.received[0]!.response.destroyed) await once(server.received[0]!.response, 'close')
  })

  test.each([
    ['with its length', true],
    ['without', false],
  ])(
    'a body of many pieces, announced %s, is read whole, characters of several bytes included',
    async (_, isAnnounced) => {
      const text = 'aé€😀'.repeat(100_000)
      await using server = await serve(({ response }) => {
        const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text } }))
        const headers = {
          'content-type': 'application/json',
          ...(isAnnounced ? { 'content-length': body.length } : {}),
        }
        response.writeHead(200, headers)
        response.write(body.subarray(0, 300_001))
        response.end(body.subarray(300_001))
      })
      await using said = open(server.url)
      expect(await ask(said, request(1, 'ping'))).toMatchObject({ result: { text } })
    },
  )

  test('an event of more than 64 MB is refused', async () => {
    await using server = await serve((one) => {
      startEvents(one).write(`data: ${' '.repeat(65 * 1024 * 1024)}`)
    })
    await using said = open(server.url)
    const message = 'an event is larger than 64 MB'
    expect(await ask(said, request(1, 'ping'))).toEqual({ kind: 'protocol', message })
  })
})

describe('redirects', () => {
  test.each([307, 308])('within the origin are followed, with the body (%i)', async (status) => {
    await using server = await serve((one) => {
      if (one.path === '/mcp') one.response.writeHead(status, { location: '/mcp/?a=1' }).end()
      else sendResult(one)
    })
    await using said = open(server.url, { headers: { authorization: 'Bearer x' } })
    expect(await ask(said, request(1, 'tools/call'))).toEqual(pong(1))
    const { path, headers, message } = server.received[1]!
    expect([path, headers.authorization, message.method]).toEqual(['/mcp/?a=1', 'Bearer x', 'tools/call'])
  })

  test('are followed with a body that is long', async () => {
    await using server = await serve((one) => {
      if (one.path === '/mcp') one.response.writeHead(307, { location: '/other' }).end()
      else sendResult(one, one.message.params)
    })
    await using said = open(server.url)
    expect(await ask(said, request(1, 'tools/call', LONG_CALL))).toEqual({ ...pong(1), result: LONG_CALL })
  })

  test('to another origin are not followed', async () => {
    await using other = await serve((one) => sendResult(one))
    await using server = await serve(({ response }) => {
      response.writeHead(307, { location: `${other.url}?token=1` }).end()
    })
    await using said = open(server.url, { headers: { authorization: 'Bearer x' } })
    expect(await ask(said, request(1, 'ping'))).toEqual({
      kind: 'protocol',
      message: `it redirects to \`${other.url}\`, which is not followed; if that is the right server, use this address`,
    })
    expect(other.received).toEqual([])
  })

  test('that would turn a POST into a GET are not followed', async () => {
    await using server = await serve(({ response }) => {
      response.writeHead(302, { location: '/login' }).end()
    })
    await using said = open(server.url)
    expect(await ask(said, request(1, 'ping'))).toMatchObject({ kind: 'protocol' })
    expect(server.received).toHaveLength(1)
  })

  test('in circles end after five', async () => {
    await using server = await serve(
      ({ response }) => void response.writeHead(307, { location: '/mcp' }).end(),
    )
    await using said = open(server.url)
    expect(await ask(said, request(1, 'ping'))).toEqual({
      kind: 'protocol',
      message: 'it redirects in circles',
    })
    expect(server.received).toHaveLength(6)
  })
})

describe('aborting', () => {
  test('ends the stream at the server, and nothing is told', async () => {
    await using server = await serve((one) => void startEvents(one))
    await using said = open(server.url)
    const failures: unknown[] = []
    const sent = said.wire.send(request(1, 'tools/call'), {
      onFailure: (failure) => failures.push(failure),
    })
    await said.ear.until(() => said.ear.heard.length > 0)
    sent!.abort()
    await once(server.received[0]!.response, 'close')
    expect([failures, said.ear.messages()]).toEqual([[], []])
  })

  test('also ends the wait for the rest of an answer', async () => {
    await using server = await serve((one) => void startEvents(one).end('id: e1\ndata: \n\n'))
    let isCancelled = false
    const sent = await new Promise<Sent>((resolve) => {
      let going: Sent | undefined
      const clock: Clock = {
        ...nodeClock,
        after() {
          resolve(going!)
          return () => (isCancelled = true)
        },
      }
      going = open(server.url, { clock }).wire.send(request(1, 'tools/call')) ?? undefined
    })
    sent.abort()
    expect(isCancelled).toBe(true)
  })

  test('before it was sent means that it is not sent', async () => {
    await using server = await serve((one) => sendResult(one))
    await using said = open(server.url)
    said.wire.send(request(1, 'tools/call'))!.abort()
    await ask(said, request(2, 'ping'))
    expect(server.received.map(({ message }) => message.id)).toEqual([2])
  })
})

describe('the headers of the modern revision', () => {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
  test.each([
    ['tools/call', { name: 'echo' }, 'echo'],
    ['prompts/get', { name: ' spaced ' }, `=?base64?${btoa(' spaced ')}?=`],
    ['resources/read', { uri: 'file:///ä' }, '=?base64?ZmlsZTovLy/DpA==?='],
    ['tasks/cancel', { taskId: 't1' }, 't1'],
    ['prompts/get', { name: '' }, '=?base64??='],
    ['tools/list', { name: 'echo' }, undefined],
  ])('%s %j is about %s', async (method, params, name) => {
    await using server = await serve((one) => sendResult(one))
    await using said = open(server.url, { headers: { 'Mcp-Method': 'mine' } })
    said.wire.setVersion!('2025-11-25')
    await ask(said, request(1, method, { ...params, _meta: meta }))
    const { headers } = server.received[0]!
    expect([headers['mcp-protocol-version'], headers['mcp-method'], headers['mcp-name']]).toEqual([
      '2026-07-28',
      method,
      name,
    ])
  })

  test('a caller may add parameters and its own, but not change what the protocol says', async () => {
    await using server = await serve((one) => sendResult(one))
    await using said = open(server.url, { headers: { authorization: 'Bearer x', 'x-trace': 'all' } })
    await ask(said, request(1, 'tools/call', { name: 'echo', _meta: meta }), {
      headers: {
        'Mcp-Param-Region': 'eu',
        'X-Trace': 'this',
        Authorization: 'Bearer y',
        'Content-Type': 'text/plain',
        'Mcp-Name': 'other',
        'mcp-session-id': 'theirs',
      },
    })
    expect(server.received[0]!.headers).toMatchObject({
      'mcp-param-region': 'eu',
      'x-trace': 'this',
      authorization: 'Bearer x',
      'content-type': 'application/json',
      'mcp-name': 'echo',
    })
    expect(server.received[0]!.headers).not.toHaveProperty('mcp-session-id')
  })
})

describe('a connection that the server had given up', () => {
  /** Answers the first request and resets the connection of the second. */
  const serveOneThenReset = () => {
    let count = 0
    return serve((one) => {
      if (++count === 2) one.response.socket!.resetAndDestroy()
      else sendResult(one)
    })
  }

  test.each(['tools/list', 'resources/read', 'initialize', 'ping'])('%s is sent again', async (method) => {
    await using server = await serveOneThenReset()
    await using said = open(server.url)
    await ask(said, request(1, 'ping'))
    expect(await ask(said, request(2, method))).toEqual(pong(2))
    expect(server.received).toHaveLength(3)
  })

  test('what is long is sent again as it was', async () => {
    await using server = await serveOneThenReset()
    await using said = open(server.url)
    await ask(said, request(1, 'ping'))
    expect(await ask(said, request(2, 'ping', LONG_CALL))).toEqual(pong(2))
    expect(server.received[2]!.message.params).toEqual(LONG_CALL)
  })

  test.each(['tools/call', 'tasks/cancel', 'logging/setLevel'])('%s is not', async (method) => {
    await using server = await serveOneThenReset()
    await using said = open(server.url)
    await ask(said, request(1, 'ping'))
    expect(await ask(said, request(2, method))).toMatchObject({ kind: 'network', code: 'ECONNRESET' })
    expect(server.received).toHaveLength(2)
  })

  test('is tried once more, not for ever', async () => {
    let count = 0
    await using server = await serve((one) => {
      if (++count > 1) one.response.socket!.resetAndDestroy()
      else sendResult(one)
    })
    await using said = open(server.url)
    await ask(said, request(1, 'ping'))
    expect(await ask(said, request(2, 'ping'))).toMatchObject({ kind: 'network' })
    expect(server.received).toHaveLength(3)
  })

  test('a new one that is reset is no reason to try again', async () => {
    let connections = 0
    const server = createTcpServer((socket) => {
      connections++
      socket.once('data', () => socket.resetAndDestroy())
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    await using said = open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
    expect(await ask(said, request(1, 'initialize'))).toMatchObject({ kind: 'network', code: 'ECONNRESET' })
    expect(connections).toBe(1)
    server.close()
  })
})

describe('many at once', () => {
  test('what the server waits for gets through, however many calls wait for the server', async () => {
    await using server = await serve((one) => {
      if (one.message.id === undefined) one.response.writeHead(202).end()
    })
    await using said = open(server.url)
    for (let id = 1; id <= 200; id++) said.wire.send(request(id, 'tools/call'))
    await server.until('tools/call', 128)
    said.wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    await server.until('notifications/cancelled')
    expect(server.received.filter(({ message }) => message.method === 'tools/call')).toHaveLength(128)
  })

  test('a server that never ends its streams does not use up the connections', async () => {
    await using server = await serve(
      (one) => void startEvents(one).write(toEvent(pong(one.message.id as number))),
    )
    await using said = open(server.url)
    for (let id = 1; id <= 200; id++) expect(await ask(said, request(id, 'tools/call'))).toEqual(pong(id))
    const stillOpen = server.received.filter(({ response }) => !response.destroyed)
    expect(stillOpen.length).toBeLessThanOrEqual(66)
  })
})

test('the official example server speaks with it', async () => {
  await using server = await startProgram('everything-http')
  const said = open(`${server.origin}/mcp`)
  const hello = await ask(
    said,
    request(1, 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }),
  )
  expect(hello).toMatchObject({ id: 1, result: { protocolVersion: '2025-11-25' } })
  said.wire.setVersion!('2025-11-25')
  said.wire.send(INITIALIZED)
  expect(await ask(said, request(2, 'tools/list', {}))).toMatchObject({
    result: { tools: expect.arrayContaining([expect.objectContaining({ name: 'echo' })]) },
  })
  const call = { name: 'echo', arguments: { message: 'grüße' } }
  expect(await ask(said, request(3, 'tools/call', call))).toMatchObject({
    result: { content: [{ type: 'text', text: 'Echo: grüße' }] },
  })
  await said.wire.close()
  expect(said.ear.ends()).toEqual([{ kind: 'closed' }])
})
