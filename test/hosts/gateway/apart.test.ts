/**
 * apart: clients that share a gateway, and what of one another they must not get: processes, questions, logs.
 */
import { describe, expect, it } from 'vitest'
import { server } from './daemon.ts'
import { LEGACY_VERSIONS } from '../../../src/model/session.ts'
import { Relay } from '../../../src/hosts/gateway/relay.ts'
import type { OpenRequest } from '../../../src/hosts/gateway/open-request.ts'
import { serverEntry } from '../../boards/open.ts'
import { startSigningIssuer } from '../../servers/signing-issuer.ts'
import { createScratch } from '../../worlds/scratch.ts'
import { connectClient, httpTransport, openTestGateway, textOf, TOKEN, type TestClient } from './open.ts'
import { connectRaw, overHttp, type RawClient } from './raw-client.ts'

async function who({ client }: TestClient): Promise<{ readonly pid: number; readonly cwd: string }> {
  return JSON.parse(textOf(await client.callTool({ name: 'who', arguments: {} }))) as never
}

describe('a gateway that runs by itself', () => {
  it('keeps clients apart where the entry says so, up to the limit of the settings', async () => {
    const one = server('tells-who', { isolation: 'session' })
    await using gateway = await openTestGateway({ one }, { gateway: { maxPerServer: 2 } })
    const connect = (): Promise<TestClient> =>
      connectClient(httpTransport(gateway.url('/mcp/one')), { era: 'legacy' })
    await using a = await connect()
    await using b = await connect()
    await using c = await connect()
    const [first, second, again] = [await who(a), await who(b), await who(a)]
    expect(again.pid).toBe(first.pid)
    expect(second.pid).not.toBe(first.pid)
    const refused = await c.client.callTool({ name: 'who', arguments: {} })
    expect(textOf(refused)).toContain('2 clients have this server for themselves already, which is the limit')
  })

  it('starts servers where it was started itself', async () => {
    await using gateway = await openTestGateway({ one: server('tells-who') })
    await using a = await connectClient(httpTransport(gateway.url('/mcp/one')), { era: 'legacy' })
    expect((await who(a)).cwd).toBe(gateway.scratch.project)
  })
})

const ask = { name: 'ask', arguments: { only: ['elicitation'] } }

describe('a question', () => {
  it('that a client has no stream for is refused with the reason', async () => {
    await using gateway = await openTestGateway({ one: server('asks-back', { protocol: 'legacy' }) })
    const post = async (message: object, more: Record<string, string> = {}): Promise<Response> =>
      fetch(gateway.url('/mcp/one'), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${TOKEN}`,
          'content-type': 'application/json',
          accept: 'application/json',
          ...more,
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      })
    const params = { protocolVersion: LEGACY_VERSIONS[0], capabilities: { elicitation: {} } }
    const greeted = await post({ id: 1, method: 'initialize', params })
    const session = { 'mcp-session-id': greeted.headers.get('mcp-session-id')! }
    const answer = await post({ id: 2, method: 'tools/call', params: ask }, session)
    const { result } = (await answer.json()) as { readonly result: unknown }
    expect(textOf(result)).toContain('the client has no stream open to hear it on')
  })

  it('that a command of the user caused goes to no client', async () => {
    await using gateway = await openTestGateway({ one: server('asks-back', { protocol: 'legacy' }) })
    await using a = await connectClient(httpTransport(gateway.url('/mcp/one')), { era: 'legacy' })
    const slow = a.client.callTool({ name: 'slow', arguments: { ms: 3000 } })
    // It is under way before the other one is.
    await a.client.ping()
    const { text } = await gateway.serving.board.call({ server: 'one', tool: 'ask' }, ask.arguments)
    expect(text).toContain('nobody can tell which is meant')
    await slow
    expect(a.asked).toEqual([])
  })
})

describe('a log line that names no request', () => {
  /** Of a client that wants to hear everything. */
  function openRequest(key: string, heard: string[]): OpenRequest {
    const caller = { era: 'legacy', client: {}, sighting: { begun: { principal: { key } } } }
    return { caller, notify: () => heard.push(key) } as unknown as OpenRequest
  }

  it.each([
    ['one', ['ada', 'ada'], ['ada', 'ada']],
    ['two', ['ada', 'bob'], []],
  ])('is told where %s may be meant', async (_, keys, told) => {
    using scratch = createScratch()
    const relay = new Relay(scratch.world)
    const heard: string[] = []
    const [a, b] = keys.map((key) => openRequest(key, heard))
    const isHeard = await relay.whileAt('x', a!, () =>
      relay.whileAt('x', b!, async () =>
        relay.tellLog({ server: 'x', params: { level: 'info', data: 'secret' } }),
      ),
    )
    expect({ isHeard, heard }).toEqual({ isHeard: true, heard: told })
    relay.close()
  })

  const logs = ({ told }: RawClient): unknown[] =>
    told.filter(({ method }) => method === 'notifications/message').map(({ params }) => params!['data'])

  it('and comes while nobody waits is told to all whose gateway it is', async () => {
    await using gateway = await openTestGateway({ x: serverEntry('rich', '--says-level') })
    const connect = (): Promise<RawClient> => connectRaw('legacy', overHttp(gateway.url('/mcp/x'), TOKEN))
    await using a = await connect()
    await using b = await connect()
    await a.request('logging/setLevel', { level: 'debug' })
    await Promise.all([a, b].map((one) => one.untilTold('notifications/message')))
    expect([a, b].map(logs)).toEqual([['heard'], ['heard']])
  })

  it('and comes while nobody waits is told to nobody else: it may be about somebody', async () => {
    await using issuer = await startSigningIssuer()
    const wish = { issuer: issuer.issuer, audiences: [], scopes: undefined, publicUrl: undefined }
    // By default each person has a process of their own.
    const servers = { x: { ...serverEntry('rich', '--says-level'), isolation: 'shared' } }
    await using gateway = await openTestGateway(servers, { http: { issuer: wish } })
    const connect = async (sub: string): Promise<RawClient> => {
      const token = await issuer.sign({ aud: gateway.url().href, sub })
      return connectRaw('legacy', overHttp(gateway.url('/mcp/x'), token))
    }
    await using ada = await connect('ada')
    await using bob = await connect('bob')
    for (const one of [ada, bob]) {
      await one.request('logging/setLevel', { level: 'debug' })
      // What belongs to a call of theirs they hear, after all that came before it.
      await one.request('tools/call', { name: 'log', arguments: {} })
      await one.untilTold('notifications/message')
    }
    expect([ada, bob].map(logs)).toEqual([[{ pots: [1, 2] }], [{ pots: [1, 2] }]])
  })
})
