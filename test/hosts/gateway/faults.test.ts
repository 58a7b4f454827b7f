/**
 * faults: what 32 clients get while servers, the way to them, the gateway itself or other clients fail. No answer is
 * ever another's, and every call has an outcome: an answer, words that say it failed, or a connection that broke.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { LEGACY_VERSIONS, MODERN_VERSION } from '../../../src/model/session.ts'
import { serverEntry } from '../../boards/open.ts'
import { openFaultyLink } from '../../servers/http/faulty-link.ts'
import { startProgram } from '../../servers/http/program.ts'
import { openDaemonMachine } from './daemon.ts'
import { openTestGateway, TOKEN } from './open.ts'

const ERAS = ['legacy', 'modern'] as const
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
}

interface Place {
  readonly url: URL
  readonly token: string
}

const at = (gateway: { url(path?: string): URL }, path = '/mcp/x'): Place => ({
  url: gateway.url(path),
  token: TOKEN,
})

function headersFor(token: string, name: string): Record<string, string> {
  return {
    ...plainHeaders(token),
    'mcp-protocol-version': MODERN_VERSION,
    'mcp-method': 'tools/call',
    'mcp-name': name,
  }
}

const plainHeaders = (token: string): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
})

const bodyOf = (name: string, args: object): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args, _meta: META },
  })

/** What became of a call: `broken` where there was no answer at all, `wrong` where it was not its own. */
type End = 'right' | 'failed' | 'broken' | `wrong: ${string}`

/** A text to be sent back. */
type Post = (marker: string) => Promise<Response>

const postModern =
  ({ url, token }: Place): Post =>
  (marker) =>
    fetch(url, {
      method: 'POST',
      headers: headersFor(token, 'echo'),
      body: bodyOf('echo', { text: marker }),
      signal: AbortSignal.timeout(40_000),
    })

/** A client with a session, which begins anew when it is told that there is none. */
function postLegacy({ url, token }: Place): Post {
  const version = LEGACY_VERSIONS[0]
  let session: string | undefined
  const post = (message: object): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: {
        ...plainHeaders(token),
        ...(session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': version }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      signal: AbortSignal.timeout(40_000),
    })
  return async (marker) => {
    if (session === undefined) {
      const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'a', version: '1' } }
      const greeted = await post({ id: 1, method: 'initialize', params })
      await greeted.text()
      session = greeted.headers.get('mcp-session-id') ?? undefined
    }
    const params = { name: 'echo', arguments: { text: marker } }
    const response = await post({ id: 2, method: 'tools/call', params })
    if (response.status === 404) session = undefined
    return response
  }
}

const POSTS = { modern: postModern, legacy: postLegacy }

async function callOnce(post: Post): Promise<End> {
  const marker = randomUUID()
  let text: string
  try {
    const response = await post(marker)
    text = await response.text()
    if (response.status !== 200) return 'failed'
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') return 'wrong: no outcome'
    return 'broken'
  }
  // A stream that was begun and never ended says nothing; nor does the first event of one that can be read on.
  const message = text.startsWith('{') ? text : (text.match(/^data: (.+)$/m)?.[1] ?? '{}')
  const { result, error } = JSON.parse(message) as {
    readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] }
    readonly error?: object
  }
  if (error !== undefined || result?.isError === true) return 'failed'
  if (result === undefined) return 'broken'
  return result.content[0]?.text === marker ? 'right' : `wrong: ${text}`
}

/** Of 32 clients, each with one call after the other until `work` is over, and some more. */
async function endsWhile(open: () => Post, work: () => Promise<void>): Promise<readonly End[]> {
  let isOver = false
  const ends: End[] = []
  const oneClient = async (): Promise<void> => {
    const post = open()
    for (let left = 3; left > 0;) {
      ends.push(await callOnce(post))
      if (isOver) left -= 1
      // A gateway that is gone refuses at once.
      if (ends.at(-1) === 'broken') await pause(20)
    }
  }
  const clients = Array.from({ length: 32 }, oneClient)
  await work()
  isOver = true
  await Promise.all(clients)
  return ends
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const wrongOf = (ends: readonly End[]): readonly End[] => ends.filter((end) => end.startsWith('wrong'))
const countOf = (ends: readonly End[], end: End): number => ends.filter((one) => one === end).length

describe.each(ERAS)('while 32 %s clients call', (era) => {
  const open = POSTS[era]

  it('a server is killed, again and again', async () => {
    await using gateway = await openTestGateway({ x: serverEntry('well-behaved') })
    expect(await callOnce(open(at(gateway)))).toBe('right')
    const { children } = gateway.scratch
    const ends = await endsWhile(
      () => open(at(gateway)),
      async () => {
        for (let i = 0; i < 3; i++) {
          await pause(150)
          process.kill(children.at(-1)!.pid, 'SIGKILL')
          await gateway.scratch.whenStarted(i + 2)
        }
      },
    )
    expect(wrongOf(ends)).toEqual([])
    expect(countOf(ends, 'broken')).toBe(0)
    expect(countOf(ends, 'right')).toBeGreaterThan(ends.length / 2)
    expect(await callOnce(open(at(gateway)))).toBe('right')
  })

  it('the way to a remote server stalls, resets and drops', async () => {
    await using server = await startProgram('sdk')
    await using link = await openFaultyLink(server.port)
    const url = `http://127.0.0.1:${link.port}/mcp`
    await using gateway = await openTestGateway({ x: { type: 'http', url, timeout: 1000 } })
    expect(await callOnce(open(at(gateway)))).toBe('right')
    const ends = await endsWhile(
      () => open(at(gateway)),
      async () => {
        for (const mode of ['reset', 'drop', 'stall'] as const) {
          link.mode = mode
          await pause(mode === 'stall' ? 1500 : 300)
          link.mode = 'pass'
          await pause(200)
        }
      },
    )
    expect(wrongOf(ends)).toEqual([])
    expect(countOf(ends, 'broken')).toBe(0)
    expect(countOf(ends, 'right')).toBeGreaterThan(32)
    expect(await untilRight(open(at(gateway)))).toBe('right')
  })

  it('the gateway is stopped and started again', async () => {
    const servers = { x: serverEntry('well-behaved') }
    const rules = { permissions: { rules: [{ tool: 'mcp__*', action: 'allow' }] } }
    await using daemon = openDaemonMachine(servers, { '~/.config/plugboard/settings.json': rules })
    const { machine } = daemon
    const start = async (port: string): Promise<Place> => {
      const { code, stderr } = await machine.run(['serve', '--daemon', '--http', port])
      if (code !== 0) throw new Error(stderr)
      const { gateway } = await daemon.status()
      const token = readFileSync(machine.at('~/.local/state/plugboard/gateway-token'), 'utf8').trim()
      return { url: new URL('/mcp/x', gateway.address), token }
    }
    const place = await start('0')
    expect(await callOnce(open(place))).toBe('right')
    const ends = await endsWhile(
      () => open(place),
      async () => {
        expect(await machine.run(['stop'])).toMatchObject({ code: 0 })
        expect(await start(place.url.port)).toEqual(place)
      },
    )
    expect(wrongOf(ends)).toEqual([])
    expect(countOf(ends, 'broken')).toBeGreaterThan(0)
    expect(await callOnce(open(place))).toBe('right')
  })

  it('others never read, send half a request, or hang up in the middle', async () => {
    const servers = { x: serverEntry('well-behaved'), p: serverEntry('progress') }
    // What is too long for a model would not be long.
    await using gateway = await openTestGateway(servers, { gateway: { maxResultTokens: 0 } })
    const { port } = new URL(gateway.origin)
    const write = (text: string): ReturnType<typeof connect> => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => undefined).pause()
      socket.write(text)
      return socket
    }
    const rawOf = (path: string, name: string, body: string): string => {
      const headers = { host: 'localhost', ...headersFor(TOKEN, name), 'content-length': body.length }
      const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}`)
      return [`POST ${path} HTTP/1.1`, ...lines, '', body].join('\r\n')
    }
    const large = rawOf('/mcp/x', 'echo', bodyOf('echo', { text: 'x'.repeat(4_000_000) }))
    const talkative = bodyOf('work', { steps: 300_000, ms: 0 }).replace(
      '"_meta":{',
      '"_meta":{"progressToken":1,',
    )
    const before = process.memoryUsage().rss
    const sockets = [
      ...Array.from({ length: 10 }, () => write(large)),
      write(rawOf('/mcp/p', 'work', talkative)),
      ...Array.from({ length: 10 }, () => write(large.slice(0, 1_000_000))),
      write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Le'),
    ]
    const ends = await endsWhile(
      () => open(at(gateway)),
      async () => {
        for (let i = 0; i < 10; i++) {
          const quitter = request(gateway.url('/mcp/x'), {
            method: 'POST',
            headers: headersFor(TOKEN, 'echo'),
          })
          quitter.on('error', () => undefined)
          quitter.write('{ "jsonrpc"')
          await pause(50)
          quitter.destroy()
        }
      },
    )
    expect(new Set(ends)).toEqual(new Set(['right']))
    // Whatever nobody reads is at most the answers themselves, once each, and 16 MB of a stream.
    expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(400)
    for (const socket of sockets) socket.destroy()
  })
})

/** A connection that was broken is made again a moment later. */
async function untilRight(post: Post): Promise<End> {
  for (let i = 0; i < 100; i++) {
    if ((await callOnce(post)) === 'right') return 'right'
    await pause(100)
  }
  return 'broken'
}

describe('500 clients', () => {
  it('that come all at once are all served, each with its own answer', async () => {
    await using gateway = await openTestGateway({ x: serverEntry('well-behaved') })
    const initialize = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    })
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    const greet = async (): Promise<string | null> => {
      const response = await fetch(gateway.url('/mcp/x'), { method: 'POST', headers, body: initialize })
      await response.text()
      const id = response.headers.get('mcp-session-id')
      const text = randomUUID()
      const call = {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'echo', arguments: { text } },
      }
      const answer = await fetch(gateway.url('/mcp/x'), {
        method: 'POST',
        headers: { ...headers, 'mcp-session-id': id!, 'mcp-protocol-version': '2025-11-25' },
        body: JSON.stringify(call),
      })
      expect(await answer.json()).toEqual({
        jsonrpc: '2.0',
        id: 2,
        result: { content: [{ type: 'text', text }] },
      })
      return id
    }
    const ids = await Promise.all(Array.from({ length: 500 }, greet))
    expect(new Set(ids).size).toBe(500)
  })
})
