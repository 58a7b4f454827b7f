/**
 * issuer: a gateway for several people, whose tokens come from elsewhere: who gets in, how far, and who does not.
 */
import { describe, expect, it } from 'vitest'
import { MODERN_VERSION, type Era } from '../../../src/model/session.ts'
import { startAuthorizationServer } from '../../servers/authorization-server.ts'
import { answerLegacy, serve } from '../../servers/http/loopback.ts'
import { startSigningIssuer, type SigningIssuer } from '../../servers/signing-issuer.ts'
import { connectClient, httpTransport, openTestGateway, sdkEntry, TOKEN, type TestGateway } from './open.ts'

/** On a busy machine. */
const SOON = { timeout: 20_000 }

const ERAS: readonly Era[] = ['legacy', 'modern']

const SCOPES: ReadonlyMap<string, readonly string[]> = new Map([
  ['mcp:one', ['one']],
  ['mcp:all', ['*']],
])

const TWO = { one: sdkEntry('modern'), two: sdkEntry('modern') }

function openShared(
  { issuer }: Pick<SigningIssuer, 'issuer'>,
  {
    scopes = SCOPES,
    servers = {},
  }: { scopes?: typeof SCOPES | undefined; servers?: Record<string, object> } = {},
): Promise<TestGateway> {
  return openTestGateway(servers, {
    http: { issuer: { issuer, audiences: [], scopes, publicUrl: undefined } },
  })
}

interface Answer {
  readonly status: number
  readonly challenge: string
}

async function knock(gateway: TestGateway, token: string | undefined, path = '/mcp'): Promise<Answer> {
  const response = await fetch(gateway.url(path), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    }),
  })
  await response.text()
  return { status: response.status, challenge: response.headers.get('www-authenticate') ?? '' }
}

const goodFor = (gateway: TestGateway): Readonly<Record<string, unknown>> => ({
  aud: gateway.url().href,
  scope: 'mcp:all',
})

describe('the tokens of a real authorization server', () => {
  it('open what their scopes name, to clients of both eras', async () => {
    await using authorization = await startAuthorizationServer({ tokens: 'jwt', scopes: [...SCOPES.keys()] })
    await using gateway = await openShared(authorization, { servers: TWO })
    const resource = gateway.url().href
    const { accessToken } = await authorization.signIn({ resource, scopes: ['mcp:one'] })
    for (const era of ERAS) {
      await using test = await connectClient(httpTransport(gateway.url(), accessToken), { era })
      await expect.poll(async () => (await test.client.listTools()).tools.length, SOON).toBeGreaterThan(1)
      const names = (await test.client.listTools()).tools.map(({ name }) => name)
      expect(names).toContain('mcp__one__echo')
      expect(names.filter((name) => name.includes('two'))).toEqual([])
      const ok = await test.client.callTool({ name: 'mcp__one__echo', arguments: { text: 'well' } })
      expect(ok.content).toEqual([{ type: 'text', text: 'well' }])
      await expect(
        test.client.callTool({ name: 'mcp__two__echo', arguments: { text: 'well' } }),
      ).rejects.toThrow('Unknown tool')
    }
  })

  it('are no good at another gateway', async () => {
    await using authorization = await startAuthorizationServer({ tokens: 'jwt', scopes: [...SCOPES.keys()] })
    await using gateway = await openShared(authorization)
    const other = await authorization.signIn({ resource: 'http://127.0.0.1:1/mcp', scopes: ['mcp:all'] })
    expect(await knock(gateway, other.accessToken)).toMatchObject({
      status: 401,
      challenge: expect.stringContaining('the token is for another audience') as string,
    })
  })
})

it('a token of more than 16 KB is refused before it is read', async () => {
  await using issuer = await startSigningIssuer()
  await using gateway = await openShared(issuer)
  const long = await issuer.sign({ ...goodFor(gateway), filler: 'x'.repeat(17 * 1024) })
  expect(await knock(gateway, long)).toMatchObject({
    status: 401,
    challenge: expect.stringContaining('the token is longer than 16 KB') as string,
  })
})

describe('what a token is not for', () => {
  it.each(ERAS)('is nowhere to be seen or reached: %s', async (era) => {
    await using issuer = await startSigningIssuer()
    await using gateway = await openShared(issuer, { servers: TWO })
    const all = await issuer.sign(goodFor(gateway))
    await using everything = await connectClient(httpTransport(gateway.url(), all), { era })
    await expect
      .poll(async () => (await everything.client.listTools()).tools.map(({ name }) => name), SOON)
      .toEqual(expect.arrayContaining(['mcp__one__echo', 'mcp__two__echo']))
    const { prompts } = await everything.client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(expect.arrayContaining(['mcp__two__greet']))

    const little = await issuer.sign({ ...goodFor(gateway), scope: 'mcp:one' })
    await using test = await connectClient(httpTransport(gateway.url(), little), { era })
    const { client } = test
    const status = await client.callTool({ name: 'plugboard_status', arguments: {} })
    expect(JSON.stringify(status)).not.toContain('two')
    const read = await client.readResource({ uri: 'plugboard://status' })
    expect(JSON.stringify(read)).not.toContain('two')
    const mine = await client.listPrompts()
    expect(mine.prompts.map(({ name }) => name)).not.toContain('mcp__two__greet')
    await expect(client.getPrompt({ name: 'mcp__two__greet', arguments: {} })).rejects.toThrow(
      'Unknown prompt',
    )
    await expect(
      client.complete({
        ref: { type: 'ref/prompt', name: 'mcp__two__greet' },
        argument: { name: 'name', value: 'a' },
      }),
    ).rejects.toThrow('Unknown prompt')
    expect(client.getInstructions() ?? '').not.toContain('## two')
  })

  it('is said at its own address, with the scope that would do', async () => {
    await using issuer = await startSigningIssuer()
    await using gateway = await openShared(issuer, { servers: TWO })
    const token = await issuer.sign({ ...goodFor(gateway), scope: 'mcp:one' })
    expect((await knock(gateway, token, '/mcp/one')).status).toBe(200)
    const metadata = `${gateway.origin}/.well-known/oauth-protected-resource/mcp/two`
    expect(await knock(gateway, token, '/mcp/two')).toEqual({
      status: 403,
      challenge: `Bearer error="insufficient_scope", scope="mcp:all", resource_metadata="${metadata}"`,
    })
    const nothing = await issuer.sign({ ...goodFor(gateway), scope: 'profile' })
    expect(await knock(gateway, nothing)).toMatchObject({
      status: 403,
      challenge: expect.stringContaining('scope="mcp:one mcp:all"') as string,
    })
    const narrow = await issuer.sign({ aud: gateway.url('/mcp/two').href, scope: 'mcp:all' })
    expect((await knock(gateway, narrow, '/mcp/two')).status).toBe(200)
    expect((await knock(gateway, narrow, '/mcp/one')).status).toBe(401)
    expect((await knock(gateway, narrow)).status).toBe(401)
  })

  it('includes the sessions of others', async () => {
    await using issuer = await startSigningIssuer()
    await using gateway = await openShared(issuer)
    const post = (token: string, session?: string): Promise<Response> =>
      fetch(gateway.url(), {
        method: session === undefined ? 'POST' : 'DELETE',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
        },
        ...(session === undefined
          ? {
              body: JSON.stringify({
                jsonrpc: '2.0',
                id: 1,
                method: 'initialize',
                params: {
                  protocolVersion: '2025-11-25',
                  capabilities: {},
                  clientInfo: { name: 'a', version: '1' },
                },
              }),
            }
          : {}),
      })
    const ada = await issuer.sign(goodFor(gateway))
    const eve = await issuer.sign({ ...goodFor(gateway), sub: 'eve' })
    const session = (await post(ada)).headers.get('mcp-session-id')!
    expect((await post(eve, session)).status).toBe(404)
    expect((await post(ada, session)).status).toBe(200)
  })
})

describe('a question that a call under way asks', () => {
  it('is answered by whoever made the call, and by nobody else', async () => {
    await using issuer = await startSigningIssuer()
    await using gateway = await openShared(issuer, { servers: { one: sdkEntry('legacy') } })
    const call = async (token: string, more: object = {}): Promise<Record<string, unknown>> => {
      const response = await fetch(gateway.url('/mcp/one'), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': MODERN_VERSION,
          'mcp-method': 'tools/call',
          'mcp-name': 'ask',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name: 'ask',
            arguments: { only: ['elicitation'] },
            ...more,
            _meta: {
              'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
              'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
            },
          },
        }),
      })
      return (await response.json()) as Record<string, unknown>
    }
    const ada = await issuer.sign(goodFor(gateway))
    const eve = await issuer.sign({ ...goodFor(gateway), sub: 'eve' })
    const { result } = (await call(ada)) as {
      readonly result: { readonly requestState: string; readonly inputRequests: object }
    }
    const [key] = Object.keys(result.inputRequests)
    const answer = {
      requestState: result.requestState,
      inputResponses: { [key!]: { action: 'accept', content: { name: 'Eve' } } },
    }
    expect(await call(eve, answer)).toMatchObject({ error: { code: -32602 } })
  })
})

describe('a token that is refused', () => {
  const FORGED: readonly (readonly [string, object, Parameters<SigningIssuer['sign']>[1], string])[] = [
    ['has expired', { exp: Math.floor(Date.now() / 1000) - 3600 }, undefined, 'the token has expired'],
    ['does not say until when it is good', { exp: null }, undefined, 'does not say what it must'],
    [
      'is not good yet',
      { nbf: Math.floor(Date.now() / 1000) + 3600 },
      undefined,
      'does not say what it must',
    ],
    ['is for somebody else', { aud: 'https://other.example/mcp' }, undefined, 'another audience'],
    ['is for nobody', { aud: null }, undefined, 'does not say what it must'],
    ['is of another issuer', { iss: 'https://evil.example' }, undefined, 'another issuer'],
    ['is not signed', {}, 'none', 'signed in a way that is not taken here'],
    ['is signed with the public key as a secret', {}, 'hs256', 'signed in a way that is not taken here'],
    ['is signed with a key of somebody else', {}, 'other-key', 'the signature does not match'],
    ['names a key that the issuer does not have', {}, 'unknown-key', 'the issuer has no such key'],
    ['is bound to a key', { cnf: { jkt: 'x' } }, undefined, 'bound to a key'],
  ]
  it.each(FORGED)('%s', async (_, claims, how, why) => {
    await using issuer = await startSigningIssuer()
    await using gateway = await openShared(issuer)
    expect((await knock(gateway, await issuer.sign(goodFor(gateway)))).status).toBe(200)
    const { status, challenge } = await knock(
      gateway,
      await issuer.sign({ ...goodFor(gateway), ...claims }, how),
    )
    expect({ status, challenge }).toEqual({
      status: 401,
      challenge: expect.stringContaining('error="invalid_token"') as string,
    })
    expect(challenge).toContain(why)
  })

  it.each(['nonsense', 'a.b.c', TOKEN])('is none at all: %s', async (token) => {
    await using issuer = await startSigningIssuer()
    await using gateway = await openShared(issuer)
    expect((await knock(gateway, token)).status).toBe(401)
  })

  it('leads whoever has none to the issuer', async () => {
    await using issuer = await startSigningIssuer()
    await using gateway = await openShared(issuer)
    const { status, challenge } = await knock(gateway, undefined)
    const metadata = `${gateway.origin}/.well-known/oauth-protected-resource/mcp`
    expect({ status, challenge }).toEqual({
      status: 401,
      challenge: `Bearer scope="mcp:one mcp:all", resource_metadata="${metadata}"`,
    })
    expect(await (await fetch(metadata)).json()).toEqual({
      resource: gateway.url().href,
      authorization_servers: [issuer.issuer],
      bearer_methods_supported: ['header'],
      resource_name: 'Plugboard',
      scopes_supported: ['mcp:one', 'mcp:all'],
    })
  })

  it('does not make the gateway ask for keys over and over', async () => {
    await using issuer = await startSigningIssuer()
    await using gateway = await openShared(issuer)
    expect(issuer.keysAsked()).toBe(1)
    const unknown = await issuer.sign(goodFor(gateway), 'unknown-key')
    const answers = await Promise.all(Array.from({ length: 20 }, () => knock(gateway, unknown)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
    expect(issuer.keysAsked()).toBe(2)
    await knock(gateway, await issuer.sign({ ...goodFor(gateway), sub: 'x' }, 'unknown-key'))
    expect(issuer.keysAsked()).toBe(2)
  })

  it('is good once the issuer has its key, and the issuer need not answer all the time', async () => {
    await using issuer = await startSigningIssuer()
    await using gateway = await openShared(issuer)
    const before = await issuer.sign(goodFor(gateway))
    issuer.rotate()
    const after = await issuer.sign(goodFor(gateway))
    expect((await knock(gateway, before)).status).toBe(200)
    expect((await knock(gateway, after)).status).toBe(200)
    issuer.fail()
    expect((await knock(gateway, await issuer.sign({ ...goodFor(gateway), sub: 'bob' }))).status).toBe(200)
  })
})

describe('how often somebody may ask', () => {
  it('is counted by who they are, whatever they call their session', async () => {
    await using issuer = await startSigningIssuer()
    const http = {
      issuer: { issuer: issuer.issuer, audiences: [], scopes: undefined, publicUrl: undefined },
      rate: { perSecond: 0.01, burst: 2 },
    }
    await using gateway = await openTestGateway({}, { http })
    const ask = async (sub: string, session: string): Promise<number> => {
      const authorization = `Bearer ${await issuer.sign({ ...goodFor(gateway), sub })}`
      const headers = { authorization, 'mcp-session-id': session }
      return (await fetch(gateway.url(), { method: 'DELETE', headers })).status
    }
    expect([await ask('ada', 'a'), await ask('ada', 'b'), await ask('ada', 'c')]).toEqual([404, 404, 429])
    expect(await ask('bob', 'a')).toBe(404)
  })
})

describe('our own token', () => {
  it('opens the numbers alone, where an issuer says who comes in', async () => {
    await using issuer = await startSigningIssuer()
    await using gateway = await openShared(issuer)
    const metricsWith = async (token: string): Promise<number> =>
      (await fetch(gateway.url('/metrics'), { headers: { authorization: `Bearer ${token}` } })).status
    expect(await metricsWith(TOKEN)).toBe(200)
    expect(await metricsWith(await issuer.sign(goodFor(gateway)))).toBe(401)
    expect((await knock(gateway, TOKEN)).status).toBe(401)
  })
})

describe('an issuer that is no use', () => {
  it.each([
    ['is not there', 'http://127.0.0.1:1', 'serve/issuer'],
    ['has an address that nobody can trust', 'http://login.example', 'serve/bad-issuer'],
    ['has no address', 'login', 'serve/bad-issuer'],
  ])('%s: nothing is served', async (_, issuer, code) => {
    await expect(openShared({ issuer })).rejects.toMatchObject({ problem: { code } })
  })

  it('calls itself otherwise: nothing is served', async () => {
    await using issuer = await startSigningIssuer()
    await expect(openShared({ issuer: `${issuer.issuer}/` })).rejects.toMatchObject({
      problem: { code: 'serve/issuer', notes: [expect.stringContaining('calls itself') as string] },
    })
  })
})

describe('the token of a client', () => {
  it('never reaches a server', async () => {
    await using issuer = await startSigningIssuer()
    await using upstream = await serve((request) =>
      answerLegacy(request, {
        'tools/list': () => ({ tools: [{ name: 'headers', inputSchema: { type: 'object' } }] }),
        'tools/call': () => ({ content: [{ type: 'text', text: JSON.stringify(request.headers) }] }),
      }),
    )
    const servers = { far: { type: 'http', url: upstream.url, protocol: 'legacy' } }
    await using gateway = await openShared(issuer, { servers })
    const token = await issuer.sign(goodFor(gateway))
    await using test = await connectClient(httpTransport(gateway.url('/mcp/far'), token), { era: 'legacy' })
    const result = await test.client.callTool({ name: 'headers', arguments: {} })
    expect(JSON.stringify(result)).toContain('content-type')
    const all = JSON.stringify(upstream.received.map(({ headers, message }) => ({ headers, message })))
    expect(all).not.toContain(token)
    expect(all.toLowerCase()).not.toContain('authorization')
  })
})
