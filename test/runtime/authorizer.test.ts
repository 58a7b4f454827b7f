/**
 * authorizer: requests of a board speak for whoever signed in, for as long as that can be.
 */
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../src/base/secret.ts'
import type { SignIn } from '../../src/model/sign-in.ts'
import { createAuthorizer } from '../../src/runtime/authorizer.ts'
import type { World } from '../../src/world/world.ts'
import { openTestBoard, type TestBoard, type TestOptions } from '../boards/open.ts'
import { openSignedIn, stateOf, type SignedIn } from '../boards/signed-in.ts'
import { allowAll } from '../boards/permits.ts'
import { call, connectionOf, problemOf, untilState } from '../boards/watch.ts'
import { openSignInStore } from '../../src/runtime/sign-in-store.ts'
import { startAuthorizationServer } from '../servers/authorization-server.ts'
import { answerLegacy, serve, type Received } from '../servers/http/loopback.ts'
import { startProtectedServer } from '../servers/protected-server.ts'
import { lend } from '../worlds/observed.ts'
import { createScratch, type Scratch } from '../worlds/scratch.ts'

function openOn(signedIn: SignedIn, options: TestOptions = {}): Promise<TestBoard> {
  const servers = { x: { type: 'http', url: signedIn.server.url } }
  return openTestBoard(servers, { wait: 'all', scratch: lend(signedIn.scratch), ...options })
}

const echo = (test: TestBoard, text = 'hi'): Promise<string> => call(test.board, 'x', ['echo', { text }])

/** A scratch whose clock shows another time. */
function atTime(offsetMs: () => number): Scratch {
  const scratch = createScratch()
  const { world } = scratch
  const clock: World['clock'] = { ...world.clock, now: () => world.clock.now() + offsetMs() }
  return { ...scratch, world: { ...world, clock } }
}

describe('a token', () => {
  test('is on every request, and nothing is renewed while it is good', async () => {
    await using signedIn = await openSignedIn()
    await using test = await openOn(signedIn)
    expect(await echo(test)).toBe('hi')
    expect(signedIn.server.tokens).toEqual([signedIn.given.accessToken])
    expect(signedIn.server.answered(401)).toBe(0)
    expect(signedIn.authorization.count('token refresh_token')).toBe(0)
  })

  test('is on the requests of the older transport, too', async () => {
    await using signedIn = await openSignedIn()
    const servers = { x: { type: 'sse', url: signedIn.server.url } }
    await using test = await openTestBoard(servers, { wait: 'all', scratch: lend(signedIn.scratch) })
    // The server has no such transport; but it has seen who asks.
    expect(connectionOf(test.board, 'x').state).not.toBe('needs-auth')
    expect(signedIn.server.tokens).toEqual([signedIn.given.accessToken])
  })

  test('goes nowhere else: not to another path, port or host, and not along with a redirect', async () => {
    await using signedIn = await openSignedIn()
    const seen: (string | undefined)[] = []
    await using other = await serve((request) => {
      seen.push(request.headers.authorization)
      answerLegacy(request)
    })
    await using lured = await serve(({ response }) => {
      response.writeHead(307, { location: other.url }).end()
    })
    const servers = {
      path: { type: 'http', url: `${signedIn.server.origin}/other` },
      port: { type: 'http', url: other.url },
      redirect: { type: 'http', url: lured.url },
    }
    await using test = await openTestBoard(servers, { wait: 'all', scratch: lend(signedIn.scratch) })
    expect(connectionOf(test.board, 'path').state).toBe('needs-auth')
    expect(signedIn.server.tokens).toEqual([])
    expect(seen.filter((one) => one !== undefined)).toEqual([])
    expect(lured.received.filter(({ headers }) => headers.authorization !== undefined)).toEqual([])
  })

  test('does not stand in for one that the entry brings', async () => {
    await using signedIn = await openSignedIn()
    const headers = { Authorization: 'Bearer of-the-entry' }
    const servers = { x: { type: 'http', url: signedIn.server.url, headers } }
    await using test = await openTestBoard(servers, { wait: 'all', scratch: lend(signedIn.scratch) })
    expect(signedIn.server.tokens).toEqual(['of-the-entry'])
    expect((await untilState(test.board, 'x', 'needs-auth')).problem.hints).toEqual([
      'check the token in its entry, under `"headers": { "Authorization": … }`',
    ])
  })

  test.each([
    ['in its headers', (value: string) => ({ headers: { Authorization: value } })],
    [
      'from a command of it',
      (value: string) => ({ headersHelper: `echo '${JSON.stringify({ Authorization: value })}'` }),
    ],
  ])('that the entry brings %s is all that the server sees', async (_, toMore) => {
    const known = { scopes: ['mcp:read'], clientId: 'nobody' }
    await using server = await startProtectedServer({
      authorization: {
        issuer: 'https://auth.test',
        check: async (token) => (token === 'of-the-entry' ? { ...known, audience: server.url } : undefined),
      },
    })
    const more = toMore('Bearer of-the-entry')
    await using test = await openTestBoard({ x: { type: 'http', url: server.url, ...more } }, { wait: 'all' })
    expect(await echo(test)).toBe('hi')
    expect(server.tokens).toEqual(['of-the-entry'])
    expect(server.answered(401)).toBe(0)
  })

  test('without one nothing is asked of anybody: the server says what it wants, and the problem how', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization, scopes: ['mcp:read', 'mcp:write'] })
    await using test = await openTestBoard({ x: { type: 'http', url: server.url } }, { wait: 'all' })
    const { problem } = await untilState(test.board, 'x', 'needs-auth')
    expect(problem).toMatchObject({
      code: 'connect/needs-auth',
      message: '`x` needs you to sign in',
      notes: [`${server.url} asked for scopes: mcp:read, mcp:write`, 'it said: "unauthorized"'],
      hints: [
        'run `plugboard login x`',
        'on a machine with no browser, run `plugboard login x --no-browser` and follow the link it prints',
      ],
    })
    expect(authorization.requests).toEqual([])
  })
})

describe('renewal', () => {
  test('comes before the first request when the time is over, and the server never sees the old token', async () => {
    await using signedIn = await openSignedIn({ endsInMs: -1000 })
    await using test = await openOn(signedIn)
    expect(await echo(test)).toBe('hi')
    expect(signedIn.server.answered(401)).toBe(0)
    expect(signedIn.server.tokens).not.toContain(signedIn.given.accessToken)
    expect(signedIn.authorization.count('token refresh_token')).toBe(1)
  })

  test('ahead of time, requests go on with the old token', async () => {
    await using signedIn = await openSignedIn({ endsInMs: 30_000 })
    await using test = await openOn(signedIn)
    expect(signedIn.server.tokens[0]).toBe(signedIn.given.accessToken)
    await echo(test)
    await expect.poll(() => signedIn.authorization.count('token refresh_token')).toBe(1)
    await expect.poll(async () => (await echo(test), signedIn.server.tokens.length)).toBe(2)
    expect(signedIn.server.answered(401)).toBe(0)
  })

  test('on 401 there is one for all requests, and each is sent again', async () => {
    await using signedIn = await openSignedIn()
    await using test = await openOn(signedIn)
    signedIn.authorization.expireAccessTokens()
    const texts = Array.from({ length: 20 }, (_, i) => String(i))
    expect(await Promise.all(texts.map((text) => echo(test, text)))).toEqual(texts)
    expect(signedIn.authorization.count('token refresh_token')).toBe(1)
    expect(connectionOf(test.board, 'x').state).toBe('ready')
  })

  test('what was renewed is kept for the next, with the new refresh token', async () => {
    await using signedIn = await openSignedIn({ endsInMs: -1000 })
    for (const _ of [1, 2, 3]) {
      await using test = await openOn(signedIn)
      await echo(test)
      signedIn.authorization.expireAccessTokens()
    }
    expect(signedIn.authorization.count('token refresh_token')).toBe(3)
    expect(
      signedIn.authorization.requests.filter(({ what, status }) => what.startsWith('token') && status >= 400),
    ).toEqual([])
  })

  test('several boards on one sign-in renew once', async () => {
    await using signedIn = await openSignedIn({ endsInMs: -1000 })
    const boards = await Promise.all(Array.from({ length: 5 }, () => openOn(signedIn)))
    expect(await Promise.all(boards.map((board) => echo(board)))).toEqual(Array(5).fill('hi'))
    expect(signedIn.authorization.count('token refresh_token')).toBe(1)
    for (const board of boards) await board[Symbol.asyncDispose]()
  })

  test('that is refused for good is a needs-auth, once, and nobody is asked again', async () => {
    await using signedIn = await openSignedIn({ endsInMs: -86_400_000 })
    signedIn.authorization.answer = (request, response) => {
      if (request.url !== '/token') return false
      refusals++
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end('{"error":"invalid_grant","error_description":"SECRET words"}')
      return true
    }
    let refusals = 0
    await using test = await openOn(signedIn)
    const { problem } = await untilState(test.board, 'x', 'needs-auth')
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    expect(problem.notes).toContain(`the saved sign-in expired on ${day} and could not be renewed`)
    for (const _ of [1, 2, 3]) await problemOf(test.board.connect('x'))
    await using second = await openOn(signedIn)
    await untilState(second.board, 'x', 'needs-auth')
    expect(refusals).toBe(1)
    expect(signedIn.store.look({ url: signedIn.server.url })?.ended?.error).toBe('invalid_grant')
  })

  test.each([
    [
      'hangs up',
      (response: Parameters<NonNullable<SignedIn['authorization']['answer']>>[1]) => response.destroy(),
    ],
    [
      'answers 503',
      (response: Parameters<NonNullable<SignedIn['authorization']['answer']>>[1]) =>
        response.writeHead(503).end(),
    ],
    [
      'answers with a page',
      (response: Parameters<NonNullable<SignedIn['authorization']['answer']>>[1]) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    ],
  ])('where the authorization server %s, the sign-in is kept and tried again later', async (_, answer) => {
    await using signedIn = await openSignedIn({ endsInMs: -1000 })
    signedIn.authorization.expireAccessTokens()
    signedIn.authorization.answer = (request, response) =>
      request.url === '/token' && (answer(response), true)
    await using test = await openOn(signedIn, { wait: 'moment' })
    const { problem } = await untilState(test.board, 'x', 'waiting')
    expect(problem.message).toContain('the sign-in has to be renewed')
    expect(signedIn.store.look({ url: signedIn.server.url })?.ended).toBeUndefined()
    signedIn.authorization.answer = undefined
    await untilState(test.board, 'x', 'ready')
    expect(await echo(test)).toBe('hi')
  })

  test('a server that refuses a new token, too, does not make for a third', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({
      authorization: { issuer: authorization.issuer, check: async () => undefined },
    })
    await using signedIn = await openSignedIn()
    const given = await authorization.signIn({ resource: server.url })
    const mine = await signedIn.signIn()
    await signedIn.store.save({
      ...mine,
      key: { url: server.url, issuer: authorization.issuer },
      client: { ...mine.client, id: given.clientId },
      tokens: {
        ...mine.tokens,
        access: new Secret(given.accessToken),
        refresh: new Secret(given.refreshToken),
      },
      endpoints: { token: `${authorization.issuer}/token` },
      resource: server.url,
    })
    const servers = { x: { type: 'http', url: server.url } }
    await using test = await openTestBoard(servers, { wait: 'all', scratch: lend(signedIn.scratch) })
    await untilState(test.board, 'x', 'needs-auth')
    for (const _ of [1, 2]) await problemOf(test.board.connect('x'))
    expect(authorization.count('token refresh_token')).toBe(1)
  })

  test('client credentials are asked for again', async () => {
    const client = {
      client_id: 'robot:1',
      client_secret: 'a secret: of some length',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_basic',
    } as const
    await using authorization = await startAuthorizationServer({
      clients: [{ ...client, grant_types: [...client.grant_types], redirect_uris: [], response_types: [] }],
    })
    await using server = await startProtectedServer({ authorization })
    using scratch = createScratch()
    await openSignInStore(scratch.world, stateOf(scratch)).save({
      key: { url: server.url, issuer: authorization.issuer },
      client: {
        id: client.client_id,
        secret: new Secret(client.client_secret),
        from: 'entry',
        method: 'client_secret_basic',
        redirectUris: [],
      },
      tokens: { access: new Secret('over'), type: 'bearer', scopes: ['mcp:read'] },
      endpoints: { token: `${authorization.issuer}/token` },
      resource: server.url,
      grant: 'client_credentials',
    })
    await using test = await openTestBoard(
      { x: { type: 'http', url: server.url } },
      { wait: 'all', scratch: lend(scratch) },
    )
    expect(await echo(test)).toBe('hi')
    expect(authorization.count('token client_credentials')).toBe(1)
  })
})

describe('an entry that needs nobody', () => {
  const secret = 'a secret: of some length'
  const robot = {
    client_id: 'robot',
    client_secret: secret,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  }
  const oauth = { grantType: 'client_credentials', clientId: 'robot', clientSecret: secret }
  const COUNTED = 'token client_credentials'

  test('is signed in when the board opens, and what it got is renewed ahead of its end', async () => {
    let offset = 0
    await using authorization = await startAuthorizationServer({ clients: [robot], accessTokenSeconds: 600 })
    await using server = await startProtectedServer({ authorization })
    using scratch = atTime(() => offset)
    const servers = { x: { type: 'http', url: server.url, oauth } }
    await using test = await openTestBoard(servers, { wait: 'all', scratch: lend(scratch) })
    expect(await echo(test)).toBe('hi')
    expect(authorization.count(COUNTED)).toBe(1)
    const refused = server.answered(401)
    offset = 570_000
    expect(await echo(test)).toBe('hi')
    await expect.poll(() => authorization.count(COUNTED)).toBe(2)
    expect(await echo(test)).toBe('hi')
    expect(server.answered(401)).toBe(refused)
  })

  test('an authorization server that does not answer is no refusal: it is tried again by itself', async () => {
    await using authorization = await startAuthorizationServer({ clients: [robot] })
    await using server = await startProtectedServer({ authorization })
    authorization.answer = (request) => {
      request.socket.destroy()
      return true
    }
    await using test = await openTestBoard({ x: { type: 'http', url: server.url, oauth } }, { wait: 'all' })
    expect(connectionOf(test.board, 'x').state).not.toBe('needs-auth')
    authorization.answer = undefined
    await untilState(test.board, 'x', 'ready')
    expect(await echo(test)).toBe('hi')
  })

  test('is its own client, whatever another entry was given at the same address: at once, and later', async () => {
    const clients = ['a', 'b', 'c'].map((id) => ({ ...robot, client_id: id }))
    await using authorization = await startAuthorizationServer({ clients })
    await using server = await startProtectedServer({ authorization })
    using scratch = createScratch()
    const entryOf = (clientId: string) => ({ type: 'http', url: server.url, oauth: { ...oauth, clientId } })
    const seen = async (): Promise<unknown> => {
      const found = await Promise.all(server.tokens.map((token) => authorization.check(token)))
      return [...new Set(found.map((one) => one?.clientId))].sort()
    }
    const together = { x: entryOf('a'), y: entryOf('b') }
    await using test = await openTestBoard(together, { wait: 'all', scratch: lend(scratch) })
    expect(await echo(test)).toBe('hi')
    expect(await call(test.board, 'y', ['echo', { text: 'ho' }])).toBe('ho')
    expect(await seen()).toEqual(['a', 'b'])
    const before = server.tokens.length
    await using later = await openTestBoard({ x: entryOf('c') }, { wait: 'all', scratch: lend(scratch) })
    expect(await echo(later)).toBe('hi')
    expect(await seen()).toEqual(['a', 'b', 'c'])
    // Neither of the others' tokens was tried by it first.
    expect(server.tokens.length).toBe(before + 1)
  })

  test('does not take what another process left, if that is over as well', async () => {
    using scratch = createScratch()
    const url = 'https://mcp.test/mcp'
    const { now } = scratch.world.clock
    const signInOf = (token: string, expiresAt: number): SignIn => ({
      key: { url, issuer: 'https://auth.test' },
      client: { id: 'robot', from: 'entry', method: 'none', redirectUris: [] },
      tokens: { access: new Secret(token), type: 'bearer', scopes: [], expiresAt },
      endpoints: { token: 'https://auth.test/token' },
    })
    const signIn = signInOf('new', now() + 3_600_000)
    const alone = { clientId: 'robot', signIn: async () => ({ kind: 'signed-in', signIn }) as const }
    const dirs = stateOf(scratch)
    const authorizer = createAuthorizer({ world: scratch.world, dirs, aloneFor: () => alone })
    const held = (await authorizer.authorize({ server: 'x', url }))!
    await held.prepare()
    await openSignInStore(scratch.world, dirs).save(signInOf('old', now() - 1000))
    expect(await held.renew({ status: 401, scopes: [] }, [])).toBe('renewed')
    expect(held.headersFor({ method: 'POST', url })).toEqual(['authorization', 'Bearer new'])
  })

  test('a lock that cannot be had is no refusal: it is tried again by itself', async () => {
    await using authorization = await startAuthorizationServer({ clients: [robot] })
    await using server = await startProtectedServer({ authorization })
    const own = createScratch()
    let isHeld = true
    const locked: World['files']['locked'] = (file, step) =>
      isHeld && basename(file).startsWith('lock-')
        ? Promise.reject(Object.assign(new Error(`${file}.lock is held`), { code: 'ELOCKED' }))
        : own.world.files.locked(file, step)
    using scratch = { ...own, world: { ...own.world, files: { ...own.world.files, locked } } }
    const servers = { x: { type: 'http', url: server.url, oauth } }
    await using test = await openTestBoard(servers, { wait: 'moment', scratch: lend(scratch) })
    const { problem } = await untilState(test.board, 'x', 'waiting')
    expect(problem.message).toContain('another process has been at it for too long')
    isHeld = false
    await untilState(test.board, 'x', 'ready')
  })

  test('all that has to be asked must be answered within a minute, and who is slower is tried again', async () => {
    await using authorization = await startAuthorizationServer({ clients: [robot] })
    await using server = await startProtectedServer({ authorization })
    const own = createScratch()
    const { clock } = own.world
    let endMinute: () => void = () => undefined
    const after: World['clock']['after'] = (ms, step, hold) => {
      if (ms === 60_000) endMinute = step
      return clock.after(ms, step, hold)
    }
    using scratch = { ...own, world: { ...own.world, clock: { ...clock, after } } }
    authorization.answer = () => {
      endMinute()
      return true
    }
    const servers = { x: { type: 'http', url: server.url, oauth } }
    await using test = await openTestBoard(servers, { wait: 'moment', scratch: lend(scratch) })
    const { problem } = await untilState(test.board, 'x', 'waiting')
    expect(problem.message).toContain('signing in took longer than 60 s')
    authorization.answer = undefined
    await untilState(test.board, 'x', 'ready')
  })

  test('gives its secret to no other authorization server than the one before, whatever the server names', async () => {
    await using authorization = await startAuthorizationServer({ clients: [robot] })
    await using other = await startAuthorizationServer({ clients: [robot] })
    await using server = await startProtectedServer({ authorization: other })
    using scratch = createScratch()
    await openSignInStore(scratch.world, stateOf(scratch)).save({
      key: { url: server.url, issuer: authorization.issuer },
      client: {
        id: 'robot',
        secret: new Secret(secret),
        from: 'entry',
        method: 'client_secret_basic',
        redirectUris: [],
      },
      tokens: { access: new Secret('over'), type: 'bearer', scopes: ['mcp:read'] },
      endpoints: { token: `${authorization.issuer}/token` },
      resource: server.url,
    })
    const servers = { x: { type: 'http', url: server.url, oauth } }
    await using test = await openTestBoard(servers, { wait: 'all', scratch: lend(scratch) })
    const { problem } = await untilState(test.board, 'x', 'needs-auth')
    expect(JSON.stringify(problem)).toContain('another authorization server than before')
    expect(other.count(COUNTED)).toBe(0)
  })
})

describe('a clock that is wrong', () => {
  test.each([
    ['an hour ahead', 3_600_000],
    ['an hour behind', -3_600_000],
  ])('by %s changes nothing', async (_, offset) => {
    await using signedIn = await openSignedIn({ scratch: atTime(() => offset), accessTokenSeconds: 600 })
    await using test = await openOn(signedIn)
    expect(await echo(test)).toBe('hi')
    expect(signedIn.authorization.count('token refresh_token')).toBe(0)
    signedIn.authorization.expireAccessTokens()
    for (const _ of [1, 2, 3]) expect(await echo(test)).toBe('hi')
    expect(signedIn.authorization.count('token refresh_token')).toBe(1)
  })

  test.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('that is set %s while a session lives costs one renewal at most', async (_, jump) => {
    let offset = 0
    await using signedIn = await openSignedIn({ scratch: atTime(() => offset), accessTokenSeconds: 600 })
    await using test = await openOn(signedIn)
    offset = jump
    for (const _ of [1, 2, 3]) expect(await echo(test)).toBe('hi')
    expect(signedIn.authorization.count('token refresh_token')).toBe(jump > 0 ? 1 : 0)
  })

  test('a token that is said to last no time at all is not renewed for every request', async () => {
    await using signedIn = await openSignedIn({ accessTokenSeconds: 1, endsInMs: 0 })
    await using test = await openOn(signedIn)
    for (const _ of [1, 2, 3, 4, 5]) await echo(test).catch(() => undefined)
    expect(signedIn.authorization.count('token refresh_token')).toBeLessThanOrEqual(2)
  })
})

describe('a token that is bound to a key', () => {
  interface Proof {
    readonly htm: string
    readonly htu: string
    readonly iat: number
    readonly nonce?: string
  }

  function proofIn({ headers }: Received): Proof {
    const part = String(headers['dpop']).split('.')[1]!
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Proof
  }

  async function openBound(
    judge: (proof: Proof, request: Received) => Readonly<Record<string, string>> | undefined,
    offsetMs = 0,
  ): Promise<AsyncDisposable & { readonly proofs: readonly Proof[]; readonly board: TestBoard }> {
    const proofs: Proof[] = []
    const server = await serve((request) => {
      const proof = proofIn(request)
      proofs.push(proof)
      const refusal = request.headers.authorization === 'DPoP t0ken' ? judge(proof, request) : {}
      if (refusal === undefined) answerLegacy(request)
      else request.response.writeHead(401, refusal).end()
    })
    const scratch = atTime(() => offsetMs)
    const dpopKey = new Secret(scratch.world.keys.create())
    await openSignInStore(scratch.world, stateOf(scratch)).save({
      key: { url: server.url, issuer: 'https://auth.test' },
      client: { id: 'c', from: 'registered', method: 'none', redirectUris: [] },
      tokens: { access: new Secret('t0ken'), type: 'dpop', scopes: [], dpopKey },
      endpoints: { token: 'https://auth.test/token' },
    })
    const board = await openTestBoard({ x: { type: 'http', url: server.url } }, { wait: 'all', scratch })
    return {
      proofs,
      board,
      async [Symbol.asyncDispose]() {
        await board[Symbol.asyncDispose]()
        await server[Symbol.asyncDispose]()
      },
    }
  }

  test('comes with a proof for each request', async () => {
    await using bound = await openBound(() => undefined)
    expect(await echo(bound.board)).toBe('hi')
    expect(bound.proofs.map(({ htm }) => htm)).toContain('GET')
    expect(new Set(bound.proofs.map(({ htu }) => htu)).size).toBe(1)
  })

  test('gets the nonce that a server wants, and keeps it', async () => {
    await using bound = await openBound(({ nonce }) =>
      nonce === 'n1' ? undefined : { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'n1' },
    )
    expect(await echo(bound.board)).toBe('hi')
    expect(bound.proofs.filter(({ nonce }) => nonce === undefined)).toHaveLength(1)
  })

  test('is proven by the clock of the server, where ours is an hour off', async () => {
    await using bound = await openBound(
      ({ iat }) =>
        Math.abs(iat * 1000 - Date.now()) < 60_000
          ? undefined
          : { 'www-authenticate': 'DPoP error="invalid_dpop_proof"' },
      3_600_000,
    )
    expect(await echo(bound.board)).toBe('hi')
    expect(bound.proofs.filter(({ iat }) => iat * 1000 - Date.now() > 60_000)).toHaveLength(1)
  })
})

describe('more scopes', () => {
  test('a tool that wants them says so, with the command, and the session goes on', async () => {
    await using signedIn = await openSignedIn()
    await using test = await openOn(signedIn, { permit: allowAll })
    const result = await test.board.call({ server: 'x', tool: 'admin' })
    expect(result).toMatchObject({
      outcome: 'failed',
      problem: {
        code: 'call/needs-auth',
        message: '`x.admin` was not called: it wants more than you signed in for',
        notes: ['it asked for scopes: mcp:read, mcp:admin'],
        hints: ['run `plugboard login x`'],
      },
    })
    expect(await echo(test)).toBe('hi')
    // Once: a server that always wants more is not asked without end.
    expect(signedIn.server.answered(403)).toBe(1)
    expect(signedIn.store.look({ url: signedIn.server.url })?.wantedScopes).toEqual(['mcp:admin'])
  })

  test('once somebody has signed in for them, the same session has them', async () => {
    await using signedIn = await openSignedIn()
    await using test = await openOn(signedIn)
    const admin = (): Promise<string> => call(test.board, 'x', ['admin', { text: 'done' }])
    await expect(admin()).rejects.toThrow('HTTP 403')
    await signedIn.store.save(await signedIn.signIn(['mcp:read', 'mcp:admin']))
    expect(await admin()).toBe('done')
  })
})

describe('a sign-in that is made elsewhere', () => {
  test('is picked up by a board that waits for it', async () => {
    await using signedIn = await openSignedIn()
    const signIn = await signedIn.signIn()
    await signedIn.store.forget(signIn.key)
    await using test = await openOn(signedIn)
    await untilState(test.board, 'x', 'needs-auth')
    await signedIn.store.save(signIn)
    await untilState(test.board, 'x', 'ready')
    expect(await echo(test)).toBe('hi')
  })

  test('takes the place of one that could not be renewed', async () => {
    await using signedIn = await openSignedIn({ endsInMs: -1000 })
    signedIn.authorization.answer = (request, response) => {
      if (request.url !== '/token') return false
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}')
      return true
    }
    await using test = await openOn(signedIn)
    await untilState(test.board, 'x', 'needs-auth')
    signedIn.authorization.answer = undefined
    await signedIn.store.save(await signedIn.signIn())
    await untilState(test.board, 'x', 'ready')
  })

  test('gets a session of its own, since it may be somebody else', async () => {
    await using signedIn = await openSignedIn()
    await using test = await openOn(signedIn)
    signedIn.authorization.expireAccessTokens()
    await signedIn.store.save(await signedIn.signIn())
    await expect(echo(test)).rejects.toThrow('HTTP 401')
    await untilState(test.board, 'x', 'ready')
    expect(await echo(test)).toBe('hi')
    const greetings = signedIn.server.received.filter(({ message }) => message?.method === 'initialize')
    expect(greetings).toHaveLength(2)
    expect(signedIn.authorization.count('token refresh_token')).toBe(0)
  })

  test('who signs out is signed out everywhere', async () => {
    await using signedIn = await openSignedIn()
    await using test = await openOn(signedIn)
    await signedIn.store.forget((await signedIn.store.find({ url: signedIn.server.url }))!.key)
    signedIn.authorization.expireAccessTokens()
    await expect(echo(test)).rejects.toThrow('HTTP 401')
    await untilState(test.board, 'x', 'needs-auth')
    expect(signedIn.authorization.count('token refresh_token')).toBe(0)
  })
})
