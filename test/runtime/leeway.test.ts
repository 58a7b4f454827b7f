/**
 * leeway: an authorization server in a private network, for a server of the internet. Signing in, renewing and signing out
 * decide the same way: where the user's own entry names it, and nowhere else.
 */
import { describe, expect, test } from 'vitest'
import { Secret } from '../../src/base/secret.ts'
import { authorizationLimitsOf } from '../../src/model/leeway.ts'
import { loadCatalog } from '../../src/runtime/load-catalog.ts'
import { openSignInStore } from '../../src/runtime/sign-in-store.ts'
import { signOut, type SignedOut } from '../../src/runtime/sign-out.ts'
import type { World } from '../../src/world/world.ts'
import { openTestBoard } from '../boards/open.ts'
import { stateOf } from '../boards/signed-in.ts'
import { connectionOf } from '../boards/watch.ts'
import { answerLegacy, serve } from '../servers/http/loopback.ts'
import { onTheInternet } from '../worlds/internet.ts'
import { lend } from '../worlds/observed.ts'
import { comeBack, openLoginStage, problemOf, send, serveForms, type LoginStage } from './login-stage.ts'

const SERVER = 'https://mcp.test/mcp'
const HOME = 'https://auth.home.test'
const NAMED = { type: 'http', url: SERVER, oauth: { issuer: HOME } }
const UNNAMED = { type: 'http', url: SERVER }
const REFUSED =
  'auth.home.test is at 192.168.0.9, in the network of this machine, where a server of the internet has no business'

interface Setting extends AsyncDisposable {
  readonly stage: LoginStage
  readonly world: World
  /** What the authorization server was asked for, beside its metadata. */
  readonly asked: string[]
  /** A board with this entry, opened and closed; says in which state the server was. */
  connect(entry: object): Promise<string>
  signOut(entry: object): Promise<SignedOut['revocation'] | undefined>
}

async function set(): Promise<Setting> {
  const asked: string[] = []
  const authorization = await serveForms((path, form, response) => {
    if (path.startsWith('/.well-known/oauth-authorization-server'))
      return send(response, {
        issuer: HOME,
        authorization_endpoint: `${HOME}/auth`,
        token_endpoint: `${HOME}/token`,
        registration_endpoint: `${HOME}/register`,
        revocation_endpoint: `${HOME}/revoke`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      })
    asked.push([path, form['grant_type']].filter((one) => one !== undefined).join(' '))
    if (path === '/register')
      return send(response, { client_id: 'ours', redirect_uris: form['redirect_uris'] }, 201)
    if (path === '/token')
      return send(response, {
        access_token: `access-${asked.length}`,
        refresh_token: `refresh-${asked.length}`,
        token_type: 'Bearer',
        expires_in: 3600,
      })
    return response.writeHead(200).end()
  })
  const server = await serve((request) => {
    if (request.path.startsWith('/.well-known/oauth-protected-resource'))
      return send(request.response, { resource: SERVER, authorization_servers: [HOME] })
    if (request.headers.authorization?.startsWith('Bearer access-') === true) return answerLegacy(request)
    request.response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
  })
  const { change } = onTheInternet(
    { 'mcp.test': server.origin, 'auth.home.test': authorization.origin },
    { 'auth.home.test': '192.168.0.9' },
  )
  const stage = openLoginStage({
    change,
    browse: async (url) => {
      const { searchParams } = new URL(url)
      const back = new URL(searchParams.get('redirect_uri')!)
      back.search = new URLSearchParams({ code: 'a-code', state: searchParams.get('state')! }).toString()
      return comeBack(back)
    },
  })
  const world = change(stage.scratch.world)
  return {
    stage,
    world,
    asked,
    async connect(entry) {
      const scratch = { ...lend(stage.scratch), world }
      await using test = await openTestBoard({ one: entry }, { wait: 'all', scratch })
      return connectionOf(test.board, 'one').state
    },
    async signOut(entry) {
      const loaded = await loadCatalog(world, { servers: { one: entry }, strict: true })
      return (await signOut(world, loaded, 'one'))[0]?.revocation
    },
    async [Symbol.asyncDispose]() {
      stage[Symbol.dispose]()
      await server[Symbol.asyncDispose]()
      await authorization[Symbol.asyncDispose]()
    },
  }
}

/** Signs in as the entry says, and leaves a sign-in whose time is over. */
async function signInAtHome({ stage, world, asked }: Setting): Promise<void> {
  await stage.login(NAMED)
  const [signIn] = stage.saved
  await openSignInStore(world, stateOf(stage.scratch)).save({
    ...signIn!,
    tokens: { ...signIn!.tokens, access: new Secret('over'), expiresAt: 1 },
  })
  asked.length = 0
}

describe('an authorization server at home, for a server of the internet', () => {
  test('that the entry names is asked by login, renewal and logout', async () => {
    await using setting = await set()
    await signInAtHome(setting)
    expect(await setting.connect(NAMED)).toBe('ready')
    expect(setting.asked).toEqual(['/token refresh_token'])
    expect(await setting.signOut(NAMED)).toEqual({ kind: 'revoked' })
    expect(setting.asked).toEqual(['/token refresh_token', '/revoke', '/revoke'])
  })

  test('that only the server names is asked by none of them', async () => {
    await using setting = await set()
    expect((await problemOf(setting.stage.login(UNNAMED))).message).toBe(
      `OAuth authentication failed: ${REFUSED}`,
    )
    await signInAtHome(setting)
    expect(await setting.connect(UNNAMED)).toBe('waiting')
    expect(await setting.signOut(UNNAMED)).toEqual({ kind: 'failed', why: REFUSED })
    expect(setting.asked).toEqual([])
  })
})

describe('the origins that an entry may choose', () => {
  const oauth = {
    issuer: 'https://a.test/tenant',
    authorizationUrl: 'https://b.test/auth',
    tokenUrl: 'https://c.test:8443/token',
    authServerMetadataUrl: 'https://a.test/.well-known/x',
    idpIssuer: 'https://d.test',
    idpTokenUrl: 'not an address',
  }

  test.each([
    ['user', ['https://a.test', 'https://b.test', 'https://c.test:8443', 'https://d.test']],
    ['managed', ['https://a.test', 'https://b.test', 'https://c.test:8443', 'https://d.test']],
    // Somebody else wrote it: a repository must not send its readers to machines in their network.
    ['project', []],
    ['plugin', []],
  ] as const)('in the scope %s', async (scope, chosenOrigins) => {
    await using setting = await set()
    const servers = { one: { ...UNNAMED, oauth } }
    const { catalog } = await loadCatalog(setting.world, { servers, strict: true })
    const [server] = catalog.servers
    const { found } = server!
    expect(
      authorizationLimitsOf({ ...server!, found: { ...found, origin: { ...found.origin, scope } } }),
    ).toEqual({
      allowsHttp: false,
      chosenOrigins,
    })
  })
})
