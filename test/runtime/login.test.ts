/**
 * login: signing in at a real authorization server, in every way that needs a person.
 */
import { createHash, generateKeyPairSync } from 'node:crypto'
import type { ClientMetadata } from 'oidc-provider'
import { describe, expect, test } from 'vitest'
import type { SignIn } from '../../src/model/sign-in.ts'
import type { World } from '../../src/world/world.ts'
import { startAuthorizationServer } from '../servers/authorization-server.ts'
import { answerLegacy, serve } from '../servers/http/loopback.ts'
import { startProtectedServer } from '../servers/protected-server.ts'
import { inTime } from '../worlds/observed.ts'
import {
  agreeing,
  comeBack,
  freePort,
  openLoginStage,
  pageOf,
  problemOf,
  refusal,
  send,
  serveForms,
  withMetadata,
} from './login-stage.ts'

function shown({ tokens, ...rest }: SignIn): object {
  const { expiresAt, ...others } = tokens
  return { ...rest, tokens: { ...others, hasTime: expiresAt !== undefined } }
}

describe('a browser', () => {
  test('discovery, registration with the real port, PKCE, resource, exchange, and a token that is good', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage({ browse: agreeing(authorization.approve) })
    const outcome = await stage.login({ type: 'http', url: server.url })

    const [port] = stage.ports.ever
    const redirectUri = `http://127.0.0.1:${port}/callback`
    expect(stage.steps.map(({ kind }) => kind)).toEqual([
      'asking-server',
      'registering',
      'page',
      'browser',
      'exchanging',
    ])
    expect(outcome.kind).toBe('signed-in')
    expect(stage.saved.map(shown)).toEqual([
      {
        key: { url: server.url, issuer: authorization.issuer },
        client: {
          id: expect.any(String) as string,
          from: 'registered',
          method: 'none',
          redirectUris: [redirectUri],
        },
        endpoints: {
          token: `${authorization.issuer}/token`,
          revocation: `${authorization.issuer}/token/revocation`,
        },
        resource: server.url,
        tokens: {
          access: expect.anything() as object,
          refresh: expect.anything() as object,
          type: 'bearer',
          scopes: expect.arrayContaining(['mcp:read']) as string[],
          hasTime: true,
        },
      },
    ])
    expect(await authorization.check(stage.saved[0]!.tokens.access.reveal())).toMatchObject({
      audience: server.url,
    })
    const page = new URL(stage.pages[0]!)
    expect(Object.fromEntries(page.searchParams)).toMatchObject({
      redirect_uri: redirectUri,
      code_challenge_method: 'S256',
      resource: server.url,
      scope: 'mcp:read offline_access',
    })
    // The port is bound before the registration names it, and free when all is over.
    expect(
      authorization.requests.find(({ what }) => what === 'registration')?.params['redirect_uris'],
    ).toEqual([redirectUri])
    expect(stage.ports.now).toBe(0)
  })
})

test('the verifier and the port survive strangers and people who try again, until the code is exchanged', async () => {
  await using authorization = await startAuthorizationServer()
  await using server = await startProtectedServer({ authorization })
  using stage = openLoginStage()
  const page = pageOf()
  const signingIn = stage.login({ type: 'http', url: server.url }, { onStep: page.onStep })
  const { url, redirectUri } = await page.opened
  // Somebody looks at the page twice, comes back with nothing first, and with the code of the second time.
  const first = await authorization.approve(url)
  expect((await comeBack(redirectUri)).status).toBe(400)
  const second = await authorization.approve(url)
  expect(second.searchParams.get('code')).not.toBe(first.searchParams.get('code'))
  expect((await comeBack(second)).status).toBe(200)
  expect((await signingIn).kind).toBe('signed-in')
  const exchanges = authorization.requests.filter(({ what }) => what === 'token authorization_code')
  expect(exchanges).toHaveLength(1)
  const { code, code_verifier: verifier, redirect_uri: named } = exchanges[0]!.params
  expect([code, named]).toEqual([second.searchParams.get('code'), redirectUri])
  expect(createHash('sha256').update(String(verifier)).digest('base64url')).toBe(
    url.searchParams.get('code_challenge'),
  )
})

describe('the client', () => {
  test('that the entry names is used, at the port that it is registered with', async () => {
    const port = await freePort()
    const redirectUri = `http://localhost:${port}/callback`
    await using authorization = await startAuthorizationServer({
      clients: [{ client_id: 'ours', client_secret: 'hush-hush-hush', redirect_uris: [redirectUri] }],
    })
    await using server = await startProtectedServer({ authorization })
    // As Claude Code has it: a port, and `localhost` goes without saying.
    using stage = openLoginStage({ browse: agreeing(authorization.approve) })
    const oauth = { clientId: 'ours', clientSecret: 'hush-hush-hush', callbackPort: port }
    await stage.login({ type: 'http', url: server.url, oauth })
    expect(stage.saved[0]!.client).toMatchObject({ id: 'ours', from: 'entry', redirectUris: [redirectUri] })
    expect(stage.ports.ever).toEqual([port])
    expect(authorization.count('registration')).toBe(0)
  })

  test('that the entry names is used with the whole address that it is registered with', async () => {
    const port = await freePort()
    const redirectUri = `http://127.0.0.1:${port}/oauth/back`
    await using authorization = await startAuthorizationServer({
      clients: [{ client_id: 'ours', token_endpoint_auth_method: 'none', redirect_uris: [redirectUri] }],
    })
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage({ browse: agreeing(authorization.approve) })
    await stage.login({ type: 'http', url: server.url, oauth: { clientId: 'ours', redirectUri } })
    expect(stage.saved[0]!.client).toMatchObject({ id: 'ours', method: 'none', redirectUris: [redirectUri] })
  })

  test('cannot come back to a port that somebody else has', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage()
    const oauth = { callbackPort: server.port }
    expect(await problemOf(stage.login({ type: 'http', url: server.url, oauth }))).toMatchObject({
      code: 'authorize/failed',
      message: `OAuth authentication failed: port ${server.port} of this machine, where the browser is to come back to, is in use`,
    })
    expect(authorization.count('registration')).toBe(0)
  })

  test('is the address of a document where the server takes one', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization })
    authorization.answer = withMetadata(authorization, { client_id_metadata_document_supported: true })
    using stage = openLoginStage()
    const oauth = { clientMetadataUrl: 'https://plugboard.test/client.json' }
    const page = pageOf()
    const signingIn = stage.login({ type: 'http', url: server.url, oauth }, { onStep: page.onStep })
    const { url } = await page.opened
    expect(url.searchParams.get('client_id')).toBe('https://plugboard.test/client.json')
    expect(authorization.count('registration')).toBe(0)
    const refused = problemOf(signingIn)
    await comeBack(refusal(url))
    await refused
  })

  test('is registered where the server does not take a document', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage({ browse: agreeing(authorization.approve) })
    const oauth = { clientMetadataUrl: 'https://plugboard.test/client.json' }
    await stage.login({ type: 'http', url: server.url, oauth })
    expect(stage.saved[0]!.client.from).toBe('registered')
  })

  test('must be in the entry where nobody is registered', async () => {
    await using authorization = await startAuthorizationServer({ registration: 'off' })
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage()
    expect(await problemOf(stage.login({ type: 'http', url: server.url }))).toMatchObject({
      message:
        'OAuth authentication failed: its authorization server does not register clients, and its entry names none',
      hints: [
        'register a client there yourself, and name it in the entry of `one`: `"oauth": { "clientId": "…" }`',
      ],
    })
    expect(stage.ports.now).toBe(0)
  })
})

describe('a server that moves to another authorization server', () => {
  test('has a client registered there, and nothing of the old one is sent to the new one', async () => {
    await using before = await startAuthorizationServer()
    await using after = await startAuthorizationServer()
    let now = before
    await using server = await startProtectedServer({
      authorization: { issuer: before.issuer, check: (token) => now.check(token) },
      describe: (usual) => ({ ...usual, authorization_servers: [now.issuer] }),
    })
    using stage = openLoginStage({ browse: (url) => agreeing(now.approve)(url) })
    await stage.login({ type: 'http', url: server.url })
    now = after
    await stage.login({ type: 'http', url: server.url })
    expect(stage.saved.map(({ key }) => key.issuer)).toEqual([before.issuer, after.issuer])
    const [old, fresh] = stage.saved.map(({ client }) => client.id)
    expect(old).not.toBe(fresh)
    expect(after.count('registration')).toBeGreaterThan(0)
    const sent = JSON.stringify(after.requests)
    expect(sent).not.toContain(old!)
    expect(sent).not.toContain(stage.saved[0]!.tokens.access.reveal())
  })
})

describe('scopes', () => {
  async function askedFor(
    entry: object,
    options: { readonly scopes?: readonly string[] },
  ): Promise<string | null> {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({
      authorization,
      scopes: ['mcp:read', 'mcp:write'],
      namesScopes: 'named' in entry,
    })
    using stage = openLoginStage({ browse: agreeing(authorization.approve) })
    const { named: _, ...rest } = entry as { readonly named?: unknown }
    await stage.login({ type: 'http', url: server.url, ...rest }, options)
    return new URL(stage.pages[0]!).searchParams.get('scope')
  }

  test.each([
    ['are those of the challenge', { named: true }, {}, 'mcp:read mcp:write offline_access'],
    ['else those of the description', {}, {}, 'mcp:read mcp:write offline_access'],
    ['of the entry count alone', { oauth: { scopes: ['mcp:read'] } }, {}, 'mcp:read'],
    [
      'of the user count before all',
      { oauth: { scopes: ['mcp:read'] } },
      { scopes: ['mcp:admin'] },
      'mcp:admin',
    ],
  ])('%s', async (_, entry, options, expected) => {
    expect(await askedFor(entry, options)).toBe(expected)
  })

  test('that the server asked for since the last sign-in come on top of what there was', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage({ browse: agreeing(authorization.approve) })
    await stage.login({ type: 'http', url: server.url }, { scopes: ['mcp:read'] })
    await stage.store.save({ ...stage.saved[0]!, wantedScopes: ['mcp:admin'] })
    await stage.login({ type: 'http', url: server.url })
    expect(new URL(stage.pages[1]!).searchParams.get('scope')).toBe('mcp:read mcp:admin')
  })
})

describe('without a browser', () => {
  test('the address that the browser shows is pasted', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage()
    const page = pageOf()
    const signingIn = stage.login({ type: 'http', url: server.url }, { way: 'paste', onStep: page.onStep })
    const back = await authorization.approve((await page.opened).url)
    stage.type('')
    stage.type(` ${back.href}\n`)
    expect((await signingIn).kind).toBe('signed-in')
    expect([stage.pages, stage.steps.filter(({ kind }) => kind === 'ignored')]).toEqual([[], []])
  })

  test.each([
    ['without how it begins', (back: URL) => back.href.replace('http://', '')],
    ['from its question mark on, with a fragment', (back: URL) => `${back.search}#_=_`],
  ])('the address may be pasted %s', async (_, toPasted) => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage()
    const page = pageOf()
    const signingIn = stage.login({ type: 'http', url: server.url }, { way: 'paste', onStep: page.onStep })
    stage.type(toPasted(await authorization.approve((await page.opened).url)))
    expect((await signingIn).kind).toBe('signed-in')
  })

  test('the port still listens, for those who forward it', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage()
    const page = pageOf()
    const signingIn = stage.login({ type: 'http', url: server.url }, { way: 'paste', onStep: page.onStep })
    const { status, text } = await agreeing(authorization.approve)((await page.opened).url.href)
    expect([status, text]).toEqual([200, expect.stringContaining('You can close this page')])
    expect((await signingIn).kind).toBe('signed-in')
  })

  test('a code is typed in on another device', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage({ change: inTime(50) })
    await stage.login(
      { type: 'http', url: server.url },
      {
        way: 'device',
        onStep: (step) => {
          if (step.kind === 'device') void authorization.approveDevice(step.code.completeUrl!)
        },
      },
    )
    expect(stage.steps.map(({ kind }) => kind)).toEqual(['asking-server', 'device'])
    const [{ tokens }] = stage.saved as [SignIn]
    expect(await authorization.check(tokens.access.reveal())).toMatchObject({ audience: server.url })
    expect(stage.ports.ever).toEqual([])
  })

  test('a device code must be offered', async () => {
    await using authorization = await startAuthorizationServer({ device: 'off' })
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage()
    expect(await problemOf(stage.login({ type: 'http', url: server.url }, { way: 'device' }))).toMatchObject({
      message: 'OAuth authentication failed: its authorization server does not offer sign-in by device code',
    })
  })

  test('a device code that its user turns down ends the wait', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization })
    authorization.answer = (request, response) => {
      if (request.url !== '/token') return false
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"access_denied"}')
      return true
    }
    using stage = openLoginStage({ change: inTime(50) })
    const signingIn = stage.login({ type: 'http', url: server.url }, { way: 'device' })
    expect((await problemOf(signingIn)).message).toBe('OAuth authentication failed: access_denied')
  })
})

describe('grants that need nobody', () => {
  test('a client with a secret', async () => {
    await using authorization = await startAuthorizationServer({ clients: [MACHINE] })
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage()
    const oauth = {
      grantType: 'client_credentials',
      clientId: 'machine',
      clientSecret: 'hush-hush-hush',
      issuer: authorization.issuer,
    }
    await stage.login({ type: 'http', url: server.url, oauth })
    const [{ tokens, client }] = stage.saved as [SignIn]
    expect(client).toMatchObject({ id: 'machine', from: 'entry', method: 'client_secret_basic' })
    expect(await authorization.check(tokens.access.reveal())).toEqual({
      audience: server.url,
      clientId: 'machine',
      scopes: ['mcp:read'],
    })
    expect([stage.pages, stage.ports.ever]).toEqual([[], []])
  })

  test('a client that signs with a key from a file', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    await using authorization = await startAuthorizationServer({
      clients: [
        {
          ...MACHINE,
          client_secret: undefined,
          token_endpoint_auth_method: 'private_key_jwt',
          token_endpoint_auth_signing_alg: 'ES256',
          jwks: { keys: [publicKey.export({ format: 'jwk' })] },
        } as typeof MACHINE,
      ],
    })
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage()
    stage.scratch.write('home/key.pem', privateKey.export({ format: 'pem', type: 'pkcs8' }) as string)
    const oauth = { grantType: 'client_credentials', clientId: 'machine', privateKeyFile: '~/key.pem' }
    await stage.login({ type: 'http', url: server.url, oauth })
    expect(stage.saved[0]!.client.method).toBe('private_key_jwt')
  })

  test('a secret goes to no other authorization server than the entry allows', async () => {
    await using authorization = await startAuthorizationServer({ clients: [MACHINE] })
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage()
    const oauth = {
      grantType: 'client_credentials',
      clientId: 'machine',
      clientSecret: 'hush-hush-hush',
      issuer: 'https://login.test',
    }
    expect((await problemOf(stage.login({ type: 'http', url: server.url, oauth }))).message).toBe(
      'OAuth authentication failed: the server wants tokens of another authorization server than its entry allows',
    )
    expect(authorization.requests).toEqual([])
  })

  test.each([
    [{ grantType: 'jwt_bearer', clientId: 'x' }, 'assertionFile'],
    [{ grantType: 'enterprise_managed', clientId: 'x', idpClientId: 'y', idToken: 'z' }, 'idpIssuer'],
    [
      { grantType: 'enterprise_managed', clientId: 'x', idpIssuer: 'https://idp.test', idToken: 'z' },
      'idpClientId',
    ],
    [
      { grantType: 'enterprise_managed', clientId: 'x', idpIssuer: 'https://idp.test', idpClientId: 'y' },
      'idTokenFile',
    ],
  ])('what is missing in the entry is said before anybody is asked: %j', async (oauth, key) => {
    using stage = openLoginStage()
    expect(await problemOf(stage.login({ type: 'http', url: 'http://127.0.0.1:1/', oauth }))).toMatchObject({
      code: 'resolve/oauth-incomplete',
      message: `server \`one\` cannot sign in as its entry says: \`oauth.${key}\` is missing`,
    })
  })

  test('without a client there is nobody to speak for', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage()
    const oauth = { grantType: 'client_credentials' }
    expect((await problemOf(stage.login({ type: 'http', url: server.url, oauth }))).message).toBe(
      'OAuth authentication failed: its entry has no client',
    )
  })
})

describe('tokens that are bound to a key', () => {
  test('where the server says that it takes no others', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({
      authorization,
      describe: (usual) => ({ ...usual, dpop_bound_access_tokens_required: true }),
    })
    using stage = openLoginStage({ browse: agreeing(authorization.approve) })
    await stage.login({ type: 'http', url: server.url })
    const [{ tokens }] = stage.saved as [SignIn]
    expect(tokens.type).toBe('dpop')
    const { kty, crv, x, y } = JSON.parse(tokens.dpopKey!.reveal()) as Record<string, string>
    // RFC 7638.
    const jkt = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
    expect(await authorization.check(tokens.access.reveal())).toMatchObject({ jkt })
  })
})

describe('older servers', () => {
  test('that do not describe themselves are their own authorization servers', async () => {
    await using authorization = await startAuthorizationServer()
    using stage = openLoginStage({ browse: agreeing(authorization.approve) })
    authorization.answer = (request, response) => {
      if (request.url !== '/mcp') return false
      response.writeHead(401).end()
      return true
    }
    await stage.login({ type: 'http', url: `${authorization.issuer}/mcp`, oauth: { scopes: 'openid' } })
    const [{ key, resource }] = stage.saved as [SignIn]
    expect([key.issuer, resource]).toEqual([authorization.issuer, undefined])
  })

  test('that have no metadata either have everything at its usual place', async () => {
    const asked: string[] = []
    await using server = await serveForms((path, form, response) => {
      asked.push(path)
      if (path === '/mcp') return response.writeHead(401).end()
      if (path === '/register')
        return send(response, { client_id: 'old', redirect_uris: form['redirect_uris'] }, 201)
      if (path === '/token') return send(response, { access_token: 'old-token', token_type: 'Bearer' })
      return response.writeHead(404).end()
    })
    using stage = openLoginStage({
      browse: async (url) => {
        const { searchParams } = new URL(url)
        const back = new URL(searchParams.get('redirect_uri')!)
        back.search = new URLSearchParams({ code: 'old-code', state: searchParams.get('state')! }).toString()
        return comeBack(back)
      },
    })
    await stage.login({ type: 'http', url: `${server.origin}/mcp` })
    expect(new URL(stage.pages[0]!).pathname).toBe('/authorize')
    expect(stage.saved[0]!.tokens).toMatchObject({ type: 'bearer', scopes: [] })
    expect(asked.filter((path) => !path.startsWith('/.well-known'))).toEqual(['/mcp', '/register', '/token'])
  })
})

describe('nobody signs in', () => {
  test('at a server that does not ask for it', async () => {
    await using server = await serve((request) => answerLegacy(request, {}))
    using stage = openLoginStage()
    expect(await stage.login({ type: 'http', url: server.url })).toEqual({ kind: 'not-needed' })
    expect([stage.ports.ever, stage.saved]).toEqual([[], []])
  })

  test('at a server that wants it and does not say where', async () => {
    await using server = await serve(({ response }) => response.writeHead(401).end())
    using stage = openLoginStage()
    expect(await problemOf(stage.login({ type: 'http', url: server.url }))).toEqual({
      code: 'authorize/no-endpoints',
      severity: 'error',
      message: 'Authentication required for "one", but OAuth endpoints could not be discovered',
      notes: [
        `looked at ${server.origin}/.well-known/oauth-authorization-server`,
        `looked at ${server.origin}/.well-known/openid-configuration`,
      ],
      hints: [
        'if it takes a token, give its entry one: `"headers": { "Authorization": "Bearer …" }`',
        'if you know where to sign in, say so in its entry: `"oauth": { "authorizationUrl": "…", "tokenUrl": "…" }`',
      ],
    })
    expect(stage.ports.now).toBe(0)
  })

  test.each([
    ['a page', 200, { 'content-type': 'text/html' }],
    ['a way to somewhere else', 302, { location: 'https://www.example.test/' }],
  ])('at a server that answers everything else with %s', async (_, status, headers) => {
    await using server = await serve(({ path, response }) => {
      if (path === '/mcp') response.writeHead(401).end()
      else response.writeHead(status, headers).end('<html>')
    })
    using stage = openLoginStage()
    expect((await problemOf(stage.login({ type: 'http', url: server.url }))).code).toBe(
      'authorize/no-endpoints',
    )
  })

  test('at an address with a hole in it, which is named', async () => {
    using stage = openLoginStage()
    expect(await problemOf(stage.login({ type: 'http', url: '${NOPE}/mcp' }))).toMatchObject({
      code: 'authorize/no-address',
      notes: ['`NOPE` is not set, and server `one` needs it for `url`'],
      hints: ['set it in your shell, or give a default in the file: `${NOPE:-…}`'],
    })
  })

  test('at a server that names an authorization server which is none', async () => {
    await using nobody = await serve(({ response }) => response.writeHead(404).end())
    await using server = await startProtectedServer({
      authorization: { issuer: nobody.origin, check: async () => undefined },
    })
    using stage = openLoginStage()
    expect((await problemOf(stage.login({ type: 'http', url: server.url }))).message).toBe(
      'Authentication required for "one", but OAuth endpoints could not be discovered',
    )
  })

  test('at a server that is not there', async () => {
    using stage = openLoginStage()
    expect(await problemOf(stage.login({ type: 'http', url: 'http://127.0.0.1:1/mcp' }))).toMatchObject({
      code: 'authorize/unreachable',
      message: 'Failed to connect to "one": nobody answers at `127.0.0.1:1` (connection refused)',
    })
  })

  test.each([
    [{ command: 'x' }, 'authorize/no-oauth'],
    [{ type: 'ws', url: 'ws://127.0.0.1:1/' }, 'authorize/no-oauth'],
    [
      { type: 'http', url: 'http://127.0.0.1:1/', headers: { authorization: 'Bearer x' } },
      'authorize/own-header',
    ],
  ])('where no sign-in would be used: %j', async (entry, code) => {
    using stage = openLoginStage()
    expect((await problemOf(stage.login(entry))).code).toBe(code)
  })

  test('who takes too long', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage()
    const { message, hints } = await problemOf(
      stage.login({ type: 'http', url: server.url }, { timeoutMs: 500 }),
    )
    expect(message).toBe('OAuth flow timed out. Please try again.')
    expect(hints).toHaveLength(1)
    expect([stage.ports.now, stage.saved]).toEqual([0, []])
  })

  test('who lets five minutes pass', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization })
    // Only the wait for people is shortened.
    const hurried = (world: World): World => {
      const { clock } = world
      return {
        ...world,
        clock: { ...clock, after: (ms, ...rest) => clock.after(ms === 300_000 ? 500 : ms, ...rest) },
      }
    }
    using stage = openLoginStage({ change: hurried })
    const { message, hints } = await problemOf(
      stage.login({ type: 'http', url: server.url }, { way: 'paste' }),
    )
    expect([message, hints]).toEqual(['OAuth flow timed out. Please try again.', []])
  })

  test('who thinks better of it', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage()
    const controller = new AbortController()
    const page = pageOf()
    const signingIn = stage.login(
      { type: 'http', url: server.url },
      { signal: controller.signal, onStep: page.onStep },
    )
    await page.opened
    controller.abort(new Error('enough'))
    await expect(signingIn).rejects.toThrow('enough')
    expect([stage.ports.now, stage.saved]).toEqual([0, []])
  })

  test('who says no on the page', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage({
      browse: (url) => comeBack(refusal(new URL(url), { iss: authorization.issuer })),
    })
    const { message, notes } = await problemOf(stage.login({ type: 'http', url: server.url }))
    expect(message).toBe('OAuth authentication failed: access_denied')
    expect(notes).toEqual(['it said: "Ada said no"'])
    expect(authorization.count('token')).toBe(0)
  })
})

test('a machine without a browser is told, and it is in the log', async () => {
  await using authorization = await startAuthorizationServer()
  await using server = await startProtectedServer({ authorization })
  using stage = openLoginStage({
    change: (world) => ({
      ...world,
      browser: { open: async () => ({ kind: 'no-opener', tried: ['xdg-open', 'gio open'] }) },
    }),
  })
  const page = pageOf()
  const signingIn = stage.login({ type: 'http', url: server.url }, { onStep: page.onStep })
  await agreeing(authorization.approve)((await page.opened).url.href)
  await signingIn
  expect(stage.steps).toContainEqual({
    kind: 'browser',
    outcome: { kind: 'no-opener', tried: ['xdg-open', 'gio open'] },
  })
  expect(stage.logged).toEqual(['mcp.browser-open-no-opener: tried xdg-open, gio open'])
})

const MACHINE: ClientMetadata = {
  client_id: 'machine',
  client_secret: 'hush-hush-hush',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
}
