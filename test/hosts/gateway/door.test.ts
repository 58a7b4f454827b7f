/**
 * door: who gets in, and what happens to those who do not, or who do not behave.
 */
import { connect } from 'node:net'
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { MODERN_VERSION } from '../../../src/model/session.ts'
import { serverEntry } from '../../boards/open.ts'
import { openTestGateway, TOKEN } from './open.ts'

const DISCOVER = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'server/discover',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
})

const HEADERS = {
  authorization: `Bearer ${TOKEN}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': MODERN_VERSION,
  'mcp-method': 'server/discover',
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** Not `fetch`, which would not let anyone say another host. */
function ask(
  url: URL,
  {
    headers = {},
    body = DISCOVER,
    method = 'POST',
  }: { headers?: object; body?: string; method?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const all = Object.entries({ ...HEADERS, ...headers }).filter(([, value]) => value !== undefined)
    const sent = request(
      url,
      { method, headers: Object.fromEntries(all) as Record<string, string> },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(method === 'POST' ? body : undefined)
  })
}

/** The status of the answer to exactly this. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  socket.write(text)
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  return answer.split(' ')[1] ?? answer
}

describe('how often', () => {
  it('one client may ask is limited where that is wanted, whatever it calls its session', async () => {
    const rate = { perSecond: 0.01, burst: 3 }
    await using gateway = await openTestGateway({}, { http: { rate } })
    const asked = async (session?: string): Promise<Answer> =>
      ask(gateway.url(), { headers: { 'mcp-session-id': session } })
    for (const _ of [1, 2, 3]) expect((await asked()).status).toBe(200)
    const { status, headers } = await asked()
    expect(status).toBe(429)
    expect(Number(headers['retry-after'])).toBeGreaterThan(50)
    // What it calls its session makes nobody of it.
    expect((await asked('another')).status).toBe(429)
    expect((await ask(gateway.url('/healthz'), { method: 'GET' })).status).toBe(200)
  })

  it('somebody may guess is limited always, and who has the token is not held up by it', async () => {
    await using gateway = await openTestGateway({})
    const guesses = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        ask(gateway.url(), { headers: { authorization: `Bearer guess-${i}` } }),
      ),
    )
    const statuses = guesses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(30)
    expect(statuses).toContain(429)
    expect((await ask(gateway.url())).status).toBe(200)
  })
})

describe('the door', () => {
  it('lets in who has the token, and nobody else', async () => {
    await using gateway = await openTestGateway({})
    const statusWith = async (authorization: string | undefined): Promise<number> =>
      (await ask(gateway.url(), { headers: { authorization } })).status
    expect(await statusWith(`Bearer ${TOKEN}`)).toBe(200)
    for (const wrong of [
      undefined,
      'Bearer',
      'Bearer x',
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(1)}`,
      `Basic ${TOKEN}`,
    ])
      expect(await statusWith(wrong), String(wrong)).toBe(401)
    const { headers } = await ask(gateway.url(), { headers: { authorization: undefined } })
    expect(headers['www-authenticate']).toBe('Bearer')
    const wrong = await ask(gateway.url(), { headers: { authorization: 'Bearer x' } })
    expect(wrong.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
  })

  it('does not open to web pages of others', async () => {
    await using gateway = await openTestGateway({})
    const statusWith = async (headers: object): Promise<number> =>
      (await ask(gateway.url(), { headers })).status
    expect(await statusWith({ host: 'evil.example' })).toBe(403)
    expect(await statusWith({ host: '127.0.0.1.evil.example' })).toBe(403)
    expect(await statusWith({ origin: 'https://evil.example' })).toBe(403)
    expect(await statusWith({ origin: 'null' })).toBe(403)
    expect(await statusWith({ origin: 'http://localhost:5173' })).toBe(200)
    expect(await statusWith({ host: 'localhost:1' })).toBe(200)
  })

  it.each([
    ['localhost', 200],
    ['LocalHost:7777', 200],
    ['127.0.0.1', 200],
    ['[::1]:7777', 200],
    ['::1', 403],
    ['localhost.', 403],
    ['localhost.:7777', 403],
    ['127.0.0.1.', 403],
    ['0.0.0.0', 403],
    ['127.0.0.2', 403],
    ['[::ffff:127.0.0.1]', 403],
    ['10.0.0.1', 403],
    ['evil.example:127.0.0.1', 403],
    ['user@localhost', 403],
    ['localhost:7777:7777', 403],
    ['localhost, evil.example', 403],
  ])('knows the host %j: %i', async (host, status) => {
    await using gateway = await openTestGateway({})
    expect((await ask(gateway.url(), { headers: { host } })).status).toBe(status)
  })

  it.each([
    ['http://localhost', 200],
    ['https://LOCALHOST:5173', 200],
    ['http://[::1]:80', 200],
    ['http://localhost.', 403],
    ['http://localhost/path', 403],
    ['http://localhost.evil.example', 403],
    ['http://evil.example#localhost', 403],
    ['http://evil.example@localhost', 403],
    ['file://', 403],
    ['vscode-webview://localhost', 403],
    ['', 403],
  ])('knows the origin %j: %i', async (origin, status) => {
    await using gateway = await openTestGateway({})
    expect((await ask(gateway.url(), { headers: { origin } })).status).toBe(status)
  })

  it('takes the host of an absolute target for what it is', async () => {
    await using gateway = await openTestGateway({})
    const { port } = new URL(gateway.origin)
    const statusOf = (target: string, host: string): Promise<string> =>
      raw(Number(port), `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    expect(await statusOf('http://localhost/healthz', 'localhost')).toBe('200')
    expect(await statusOf('http://evil.example/healthz', 'localhost')).toBe('403')
    expect(await statusOf('http://localhost/healthz', 'evil.example')).toBe('403')
    expect(await statusOf('http://evil.example', 'localhost')).toBe('403')
    expect(await statusOf('//evil.example/healthz', 'localhost')).toBe('404')
    expect(await statusOf('/healthz', 'localhost\r\nHost: evil.example')).toBe('400')
    expect(await statusOf('/healthz', '')).toBe('403')
  })

  it('knows other names, and addresses, where other machines can come in', async () => {
    const http = { host: '0.0.0.0', hosts: ['MCP.example.com'] }
    await using gateway = await openTestGateway({}, { http })
    const statusWith = async (headers: object): Promise<number> =>
      (await ask(gateway.url(), { headers })).status
    expect(await statusWith({ host: 'mcp.example.com:7777' })).toBe(200)
    expect(await statusWith({ host: '10.0.0.1:7777' })).toBe(200)
    expect(await statusWith({ host: '[fe80::1]' })).toBe(200)
    expect(await statusWith({ host: 'evil.example' })).toBe(403)
    expect(await statusWith({ origin: 'https://mcp.example.com' })).toBe(200)
    expect(await statusWith({ origin: 'https://other.example.com' })).toBe(403)
    for (const origin of ['http://10.0.0.1', 'http://10.0.0.1:8080', 'http://[fe80::1]'])
      expect(await statusWith({ origin }), origin).toBe(403)
    expect(await statusWith({ origin: 'http://127.0.0.1:6274' })).toBe(200)
  })

  it('unpacks nothing', async () => {
    await using gateway = await openTestGateway({})
    for (const encoding of ['gzip', 'br', 'x'])
      expect((await ask(gateway.url(), { headers: { 'content-encoding': encoding } })).status).toBe(415)
    expect((await ask(gateway.url(), { headers: { 'content-encoding': 'identity' } })).status).toBe(200)
  })

  it('says what it does not have', async () => {
    await using gateway = await openTestGateway({})
    expect((await ask(gateway.url('/elsewhere'))).status).toBe(404)
    expect((await ask(gateway.url('/mcp/none'))).status).toBe(404)
    expect((await ask(gateway.url(), { method: 'GET' })).status).toBe(405)
    expect((await ask(gateway.url(), { method: 'PUT' })).status).toBe(405)
    expect((await ask(gateway.url(), { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
    expect((await ask(gateway.url(), { body: '{' })).status).toBe(400)
    expect((await ask(gateway.url(), { body: '[]' })).status).toBe(400)
    expect(
      (await ask(gateway.url('/healthz'), { method: 'GET', headers: { authorization: undefined } })).status,
    ).toBe(200)
  })

  it('takes no more than a request may have', async () => {
    await using gateway = await openTestGateway({})
    const large = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'x',
      params: { a: 'x'.repeat(17 * 1024 * 1024) },
    })
    // The connection is closed on the rest of it, perhaps before the answer was read.
    const refused = await ask(gateway.url(), { body: large }).then(
      ({ status }) => status,
      ({ code }: { readonly code: string }) => code,
    )
    expect([413, 'EPIPE', 'ECONNRESET']).toContain(refused)
    expect((await ask(gateway.url(), { headers: { 'x-large': 'x'.repeat(70_000) } })).status).toBe(431)
    expect((await ask(gateway.url())).status).toBe(200)
  })

  it('is not held open by half a request', async () => {
    await using gateway = await openTestGateway({})
    const half = connect(Number(new URL(gateway.origin).port), '127.0.0.1')
    half.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Le')
    expect((await ask(gateway.url())).status).toBe(200)
    half.destroy()
  })
})

describe('a session', () => {
  const initialize = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  })
  const LEGACY = { 'mcp-protocol-version': '2025-11-25', 'mcp-method': undefined }

  it('is its own, ends when its client says so, and is not known at another endpoint', async () => {
    await using gateway = await openTestGateway({ x: serverEntry('well-behaved') })
    const { headers } = await ask(gateway.url(), { body: initialize, headers: LEGACY })
    const id = String(headers['mcp-session-id'])
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })
    const statusOf = async (options: object, path?: string): Promise<number> =>
      (await ask(gateway.url(path), { headers: { ...LEGACY, 'mcp-session-id': id }, body: ping, ...options }))
        .status
    expect(await statusOf({})).toBe(200)
    for (const method of ['POST', 'GET', 'DELETE'])
      expect(await statusOf({ method }, '/mcp/x'), method).toBe(404)
    expect(await statusOf({ headers: { ...LEGACY, 'mcp-session-id': 'guessed' } })).toBe(404)
    expect(await statusOf({ headers: LEGACY })).toBe(400)
    expect(await statusOf({ method: 'DELETE' })).toBe(200)
    expect(await statusOf({})).toBe(404)
  })

  it('of somebody with a thousand of them takes the place of its own longest idle one', async () => {
    await using gateway = await openTestGateway({})
    const open = async (): Promise<string> =>
      String((await ask(gateway.url(), { body: initialize, headers: LEGACY })).headers['mcp-session-id'])
    const first = await open()
    const second = await open()
    for (let i = 2; i < 1000; i += 50)
      await Promise.all(Array.from({ length: Math.min(50, 1000 - i) }, () => open()))
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })
    const statusOf = async (id: string): Promise<number> =>
      (await ask(gateway.url(), { headers: { ...LEGACY, 'mcp-session-id': id }, body: ping })).status
    expect(await statusOf(first)).toBe(200)
    const last = await open()
    expect([await statusOf(second), await statusOf(first), await statusOf(last)]).toEqual([404, 200, 200])
  }, 60_000)
})
