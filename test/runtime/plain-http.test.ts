/**
 * plain-http: no token is sent to another machine in a way that everybody in between can read, unless the entry says so.
 */
import { describe, expect, test } from 'vitest'
import { Secret } from '../../src/base/secret.ts'
import type { SignIn } from '../../src/model/sign-in.ts'
import { loadCatalog } from '../../src/runtime/load-catalog.ts'
import { seedSignIn } from '../../src/runtime/seed-sign-in.ts'
import { openSignInStore } from '../../src/runtime/sign-in-store.ts'
import { signOut } from '../../src/runtime/sign-out.ts'
import type { HttpRequest } from '../../src/world/world.ts'
import { openTestBoard, type TestBoard } from '../boards/open.ts'
import { stateOf } from '../boards/signed-in.ts'
import { connectionOf, untilState } from '../boards/watch.ts'
import { answerLegacy, serve, type Loopback } from '../servers/http/loopback.ts'
import { onTheInternet, type Internet } from '../worlds/internet.ts'
import { createScratch, type Scratch } from '../worlds/scratch.ts'
import { openLoginStage, problemOf, send, serveForms } from './login-stage.ts'

const URL = 'http://mcp.test/mcp'
const ALLOWED = { oauth: { dangerouslyAllowHttp: true } }
const TOKEN = 'tok-in-the-clear'

const BECAUSE = 'http://mcp.test is not https, and everybody on the way there could read it'
const HINTS = [
  'if the server can do that, begin its `url` with `https://`',
  'if that is what you want, say so in its entry: `"oauth": { "dangerouslyAllowHttp": true }`',
]

interface Setting extends AsyncDisposable {
  readonly server: Loopback
  readonly internet: Internet
  readonly scratch: Scratch
  save(change?: Partial<SignIn>): Promise<unknown>
  open(entry: object): Promise<TestBoard>
}

/** A server of the internet that wants a token, any token; and somebody who has one for it, from better days. */
async function set(): Promise<Setting> {
  const server = await serve((request) => {
    if (request.headers.authorization !== undefined) return answerLegacy(request)
    request.response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
  })
  // Nobody is at `login.test`: what is sent there is all that is looked at.
  const internet = onTheInternet({ 'mcp.test': server.origin })
  const plain = createScratch()
  const scratch: Scratch = { ...plain, world: internet.change(plain.world) }
  return {
    server,
    internet,
    scratch,
    save: (change = {}) => openSignInStore(scratch.world, stateOf(scratch)).save({ ...SIGN_IN, ...change }),
    open: (entry) =>
      openTestBoard(
        { x: entry },
        { wait: 'all', scratch: { ...scratch, [Symbol.dispose]: () => undefined } },
      ),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
}

const SIGN_IN: SignIn = {
  key: { url: URL, issuer: 'https://login.test' },
  client: { id: 'c', from: 'registered', method: 'none', redirectUris: [] },
  tokens: {
    access: new Secret(TOKEN),
    refresh: new Secret(`${TOKEN}-refresh`),
    type: 'bearer',
    scopes: [],
  },
  endpoints: { token: 'https://login.test/token' },
}

/** Requests with a token of ours anywhere in them. */
function telling({ sent }: Internet): readonly HttpRequest[] {
  return sent.filter((request) => JSON.stringify(request).includes(TOKEN))
}

describe('a token that is kept', () => {
  test.each(['http', 'sse'])('is not sent over plain HTTP: %s', async (type) => {
    await using setting = await set()
    await setting.save()
    await using test = await setting.open({ type, url: URL })
    const { problem } = await untilState(test.board, 'x', 'needs-auth')
    expect(problem).toMatchObject({ message: '`x` needs you to sign in', hints: HINTS })
    expect(problem.notes).toContain(`the sign-in of server \`x\` is not sent: ${BECAUSE}`)
    const [server] = test.board.snapshot().servers
    expect(server!.warnings).toMatchObject([
      {
        code: 'resolve/plain-http',
        message: `the sign-in of server \`x\` is not sent: ${BECAUSE}`,
        hints: HINTS,
      },
    ])
    expect(setting.internet.sent.length).toBeGreaterThan(0)
    expect(telling(setting.internet)).toEqual([])
  })

  test('need not be there for the advice', async () => {
    await using setting = await set()
    await using test = await setting.open({ type: 'http', url: URL })
    expect((await untilState(test.board, 'x', 'needs-auth')).problem.hints).toEqual(HINTS)
    expect(test.board.snapshot().servers[0]!.warnings).toEqual([])
  })

  test('is sent where the entry says so, in so many words', async () => {
    await using setting = await set()
    await setting.save()
    await using test = await setting.open({ type: 'http', url: URL, ...ALLOWED })
    expect(connectionOf(test.board, 'x').state).toBe('ready')
    expect(telling(setting.internet).length).toBeGreaterThan(0)
  })

  test('is not renewed over plain HTTP once the entry does not say so any more', async () => {
    await using setting = await set()
    const key = { url: 'https://mcp.test/mcp', issuer: 'http://login.test' }
    const tokens = { ...SIGN_IN.tokens, access: new Secret('gone'), expiresAt: 1 }
    await setting.save({ key, tokens, endpoints: { token: 'http://login.test/token' } })
    {
      await using test = await setting.open({ type: 'http', url: key.url })
      expect(connectionOf(test.board, 'x').state).not.toBe('connecting')
      expect(telling(setting.internet)).toEqual([])
    }
    await using test = await setting.open({ type: 'http', url: key.url, ...ALLOWED })
    expect(connectionOf(test.board, 'x').state).not.toBe('connecting')
    expect(telling(setting.internet)[0]).toMatchObject({ method: 'POST', origin: 'http://login.test' })
  })

  test('is not taken back over plain HTTP, but forgotten', async () => {
    await using setting = await set()
    const endpoints = { ...SIGN_IN.endpoints, revocation: 'http://login.test/revoke' }
    const key = { url: 'https://mcp.test/mcp', issuer: 'https://login.test' }
    const { world } = setting.scratch
    const out = async (more: object): Promise<unknown> => {
      await setting.save({ key, endpoints })
      const servers = { x: { type: 'http', url: key.url, ...more } }
      const [done] = await signOut(world, await loadCatalog(world, { servers, strict: true }), 'x')
      return done!.revocation
    }
    expect(await out({})).toEqual({
      kind: 'failed',
      why: 'http://login.test/revoke is not https, and what is secret would be sent there for all to read (asked for by mcp.test)',
    })
    expect(setting.internet.sent).toEqual([])
    expect(openSignInStore(world, stateOf(setting.scratch)).all().signIns).toEqual([])
    await out(ALLOWED)
    expect(telling(setting.internet)[0]).toMatchObject({ origin: 'http://login.test', path: '/revoke' })
  })
})

describe('a token from elsewhere', () => {
  test.each([
    ['http', URL, undefined],
    ['http', 'http://192.168.0.7/mcp', undefined],
    ['ws', 'ws://mcp.test/mcp', 'work'],
  ])('is not taken for a server of type %s at %s', async (type, url, credentialId) => {
    using scratch = createScratch()
    const { world } = scratch
    const { catalog } = await loadCatalog(world, { servers: { x: { type, url } }, strict: true })
    const store = openSignInStore(world, stateOf(scratch))
    const seed = { server: catalog.servers[0]!, text: TOKEN, credentialId }
    const { code, message } = await problemOf(seedSignIn(world, store, seed))
    expect([code, message]).toEqual([
      'authorize/plain-http',
      expect.stringMatching(/^no token is sent to `x`: /),
    ])
    expect(store.all().signIns).toEqual([])
  })

  test('is taken where the entry says so', async () => {
    using scratch = createScratch()
    const { world } = scratch
    const servers = { x: { type: 'http', url: URL, ...ALLOWED } }
    const { catalog } = await loadCatalog(world, { servers, strict: true })
    const store = openSignInStore(world, stateOf(scratch))
    await seedSignIn(world, store, { server: catalog.servers[0]!, text: TOKEN })
    expect(store.all().signIns).toHaveLength(1)
  })
})

describe('a sign-in', () => {
  test('is not begun, even where all but the server itself is https', async () => {
    const asked: string[] = []
    await using server = await serveForms((path, _, response) => {
      asked.push(path)
      const metadata = 'resource_metadata="https://mcp.test/.well-known/oauth-protected-resource/mcp"'
      if (path === '/mcp') return response.writeHead(401, { 'www-authenticate': `Bearer ${metadata}` }).end()
      return send(response, { resource: URL, authorization_servers: ['https://login.test'] })
    })
    const { change } = onTheInternet({ 'mcp.test': server.origin, 'login.test': server.origin })
    using stage = openLoginStage({ change })
    expect(await problemOf(stage.login({ type: 'http', url: URL }))).toMatchObject({
      code: 'authorize/plain-http',
      message: `no token is sent to \`one\`: ${BECAUSE}`,
      hints: HINTS,
    })
    expect(new Set(asked)).toEqual(new Set(['/mcp']))
    expect([stage.saved, stage.ports.ever, stage.pages]).toEqual([[], [], []])
  })

  test('is not needed at a server that answers without', async () => {
    await using server = await serve(answerLegacy)
    using stage = openLoginStage({ change: onTheInternet({ 'mcp.test': server.origin }).change })
    expect(await stage.login({ type: 'http', url: URL })).toEqual({ kind: 'not-needed' })
  })
})
