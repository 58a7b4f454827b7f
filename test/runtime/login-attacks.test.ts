/**
 * login-attacks: what somebody between us and the account can try, and what comes of it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { World } from '../../src/world/world.ts'
import { startAuthorizationServer, type AuthorizationServer } from '../servers/authorization-server.ts'
import { startProtectedServer, type ProtectedServerOptions } from '../servers/protected-server.ts'
import { onTheInternet } from '../worlds/internet.ts'
import {
  agreeing,
  comeBack,
  openLoginStage,
  pageOf,
  problemOf,
  serveForms,
  send,
  withMetadata,
  type LoginStage,
} from './login-stage.ts'

const FAILED = 'OAuth authentication failed: '

interface Setting extends AsyncDisposable {
  readonly authorization: AuthorizationServer
  readonly entry: { readonly type: 'http'; readonly url: string }
}

async function set(options: Partial<ProtectedServerOptions> = {}): Promise<Setting> {
  const authorization = await startAuthorizationServer()
  const server = await startProtectedServer({ authorization, ...options })
  return {
    authorization,
    entry: { type: 'http', url: server.url },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await authorization[Symbol.asyncDispose]()
    },
  }
}

/** A sign-in whose page is open. */
async function begin(
  stage: LoginStage,
  { entry }: Setting,
  way: 'browser' | 'paste' = 'browser',
): Promise<{ page: URL; done: Promise<unknown> }> {
  const page = pageOf()
  const done = stage.login(entry, { way, onStep: page.onStep })
  // What becomes of it is looked at later.
  done.catch(() => undefined)
  return { page: (await page.opened).url, done }
}

function nothingKept(stage: LoginStage): void {
  expect([stage.saved, stage.ports.now]).toEqual([[], 0])
}

describe('mix-up', () => {
  test('an answer in the name of another authorization server is not exchanged', async () => {
    await using setting = await set()
    const { authorization } = setting
    using stage = openLoginStage()
    const { page, done } = await begin(stage, setting)
    const back = await authorization.approve(page)
    back.searchParams.set('iss', 'https://evil.test')
    await comeBack(back)
    expect(await problemOf(done)).toMatchObject({
      message: `${FAILED}the answer came from another authorization server than the one that was asked`,
      notes: [`expected ${authorization.issuer}`, 'got "https://evil.test"'],
    })
    expect(authorization.count('token')).toBe(0)
    nothingKept(stage)
  })

  test('an answer without a name is not exchanged, where one was promised', async () => {
    await using setting = await set()
    using stage = openLoginStage()
    const { page, done } = await begin(stage, setting)
    const back = await setting.authorization.approve(page)
    back.searchParams.delete('iss')
    await comeBack(back)
    expect((await problemOf(done)).notes).toContain('the answer did not say whose it is')
    expect(setting.authorization.count('token')).toBe(0)
  })

  test('the words of an error in the name of another are not repeated', async () => {
    await using setting = await set()
    using stage = openLoginStage()
    const { page, done } = await begin(stage, setting)
    const back = new URL(page.searchParams.get('redirect_uri')!)
    back.search = new URLSearchParams({
      error: 'call 0900-1234',
      iss: 'https://evil.test',
      state: page.searchParams.get('state')!,
    }).toString()
    await comeBack(back)
    expect(JSON.stringify(await problemOf(done))).not.toContain('0900')
  })

  test('metadata of another issuer is not used', async () => {
    await using setting = await set()
    setting.authorization.answer = withMetadata(setting.authorization, { issuer: 'https://evil.test' })
    using stage = openLoginStage()
    expect(await problemOf(stage.login(setting.entry))).toMatchObject({
      message: `${FAILED}the authorization server describes itself as another one than was asked`,
    })
    expect(setting.authorization.count('registration')).toBe(0)
    nothingKept(stage)
  })
})

describe('callbacks', () => {
  test('of another sign-in (`state`) change nothing, and the right one is still taken', async () => {
    await using setting = await set()
    using stage = openLoginStage()
    const { page, done } = await begin(stage, setting)
    const back = await setting.authorization.approve(page)
    const forged = new URL(back)
    forged.searchParams.set('state', 'guessed')
    forged.searchParams.set('code', 'of the attacker')
    expect((await comeBack(forged)).status).toBe(400)
    forged.searchParams.delete('state')
    expect((await comeBack(forged)).status).toBe(400)
    expect(setting.authorization.count('token')).toBe(0)
    expect((await comeBack(back)).status).toBe(200)
    await done
    expect(stage.saved).toHaveLength(1)
    const why = 'it belongs to another sign-in (`state` differs)'
    expect(stage.steps.filter(({ kind }) => kind === 'ignored')).toEqual([
      { kind: 'ignored', why },
      { kind: 'ignored', why },
    ])
  })

  test.each(['browser', 'paste'] as const)(
    'of another sign-in are refused when pasted, and so is all that is no address of ours (%s)',
    async (way) => {
      await using setting = await set()
      // Where a code alone would be all that an answer has to have.
      setting.authorization.answer = withMetadata(setting.authorization, {
        authorization_response_iss_parameter_supported: false,
      })
      using stage = openLoginStage()
      const { page, done } = await begin(stage, setting, way)
      const back = await setting.authorization.approve(page)
      back.searchParams.delete('iss')
      const forge = (change: (url: URL) => void): string => {
        const forged = new URL(back)
        change(forged)
        return forged.href
      }
      const STATE = 'it belongs to another sign-in (`state` differs)'
      const PLACE = `not the whole address that the page ended at (${back.origin}${back.pathname}?…)`
      const pasted: readonly (readonly [line: string, why: string])[] = [
        [forge(({ searchParams }) => searchParams.set('state', 'guessed')), STATE],
        [forge(({ searchParams }) => searchParams.delete('state')), STATE],
        [`?code=${back.searchParams.get('code')!}`, STATE],
        // A code says of itself neither which sign-in it belongs to nor whose it is; and any word looks like one.
        [back.searchParams.get('code')!, PLACE],
        ['abcdefgh', PLACE],
        [`code=${back.searchParams.get('code')!}`, PLACE],
        [forge((url) => (url.host = 'evil.test')), PLACE],
        [forge((url) => (url.pathname = '/other')), PLACE],
        [page.href, PLACE],
        [forge(({ searchParams }) => searchParams.delete('code')), 'neither a code nor an error'],
      ]
      for (const [line] of pasted) stage.type(line)
      expect(stage.steps.flatMap((step) => (step.kind === 'ignored' ? [step.why] : []))).toEqual(
        pasted.map(([, why]) => why),
      )
      expect(setting.authorization.count('token')).toBe(0)
      stage.type(back.href)
      await done
    },
  )

  test.each([
    ['a script of another origin', { headers: { origin: 'https://evil.test' } }, 403],
    ['an image of another origin', { headers: { 'sec-fetch-mode': 'no-cors' } }, 403],
    ['a name that leads here (rebinding)', { headers: { host: 'evil.test' } }, 403],
    ['a form of another origin', { method: 'POST' }, 405],
  ])('by %s are refused, even with the right code and state', async (_, options, status) => {
    await using setting = await set()
    using stage = openLoginStage()
    const { page, done } = await begin(stage, setting)
    const back = await setting.authorization.approve(page)
    expect((await comeBack(back, options)).status).toBe(status)
    expect(setting.authorization.count('token')).toBe(0)
    await comeBack(back)
    await done
  })

  test('to other paths are not for us', async () => {
    await using setting = await set()
    using stage = openLoginStage()
    const { page, done } = await begin(stage, setting)
    const back = await setting.authorization.approve(page)
    const other = new URL(back)
    other.pathname = '/favicon.ico'
    expect((await comeBack(other)).status).toBe(404)
    await comeBack(back)
    await done
  })

  test('a second one is not taken', async () => {
    await using setting = await set()
    const { authorization } = setting
    using stage = openLoginStage()
    const { page, done } = await begin(stage, setting)
    const back = await authorization.approve(page)
    // The exchange takes its time, so that the port is still there.
    let proceed = (): void => undefined
    const second = new Promise<void>((resolve) => (proceed = resolve))
    authorization.answer = (request, response) => {
      if (request.url !== '/token') return false
      authorization.answer = undefined
      void second.then(() => response.writeHead(500).end())
      return true
    }
    expect((await comeBack(back)).status).toBe(200)
    const forged = new URL(back)
    forged.searchParams.set('code', 'of the attacker')
    expect((await comeBack(forged)).status).toBe(410)
    proceed()
    await problemOf(done)
    nothingKept(stage)
  })

  test('what the page shows is text, whatever was sent', async () => {
    await using setting = await set()
    using stage = openLoginStage()
    const { page, done } = await begin(stage, setting)
    const back = new URL(page.searchParams.get('redirect_uri')!)
    back.search = '?state=<script>alert(1)</script>&code=<b>'
    expect((await comeBack(back)).text).not.toContain('<script>')
    await comeBack(await setting.authorization.approve(page))
    await done
  })
})

describe('resources', () => {
  test.each(['https://other.test/mcp', 'http://127.0.0.1:1/mcp'])(
    'a server that says that it is %s gets no token for that one',
    async (resource) => {
      await using setting = await set({ describe: (usual) => ({ ...usual, resource }) })
      using stage = openLoginStage()
      expect(await problemOf(stage.login(setting.entry))).toMatchObject({
        message: `${FAILED}the server describes itself as another one`,
        notes: [`its address is ${setting.entry.url}`, `it says that it is ${resource}`],
      })
      expect(setting.authorization.requests).toEqual([])
      nothingKept(stage)
    },
  )
})

describe('redirects', () => {
  test.each(['http://[::1]:8765/callback', 'http://127.0.0.2:8765/callback'])(
    'to %s would be waited for in vain, since nobody listens there',
    async (redirectUri) => {
      await using setting = await set()
      using stage = openLoginStage()
      const { hostname } = new URL(redirectUri)
      expect(await problemOf(stage.login({ ...setting.entry, oauth: { redirectUri } }))).toMatchObject({
        message: `${FAILED}the \`redirectUri\` of its entry is at ${hostname}, where nobody listens`,
      })
      nothingKept(stage)
    },
  )

  test.each([
    'https://evil.test/callback',
    'http://evil.test:8765/callback',
    'http://127.0.0.1.evil.test/',
    'nonsense',
  ])('an entry cannot have codes sent to %s', async (redirectUri) => {
    await using setting = await set()
    using stage = openLoginStage()
    expect(await problemOf(stage.login({ ...setting.entry, oauth: { redirectUri } }))).toMatchObject({
      message: `${FAILED}the \`redirectUri\` of its entry does not lead back to this machine`,
    })
    expect(setting.authorization.count('registration')).toBe(0)
    nothingKept(stage)
  })

  test('a token endpoint cannot send codes on to another host', async () => {
    const seen: string[] = []
    await using evil = await serveForms((path, _, response) => {
      seen.push(path)
      send(response, { access_token: 'x', token_type: 'bearer' })
    })
    await using setting = await set()
    setting.authorization.answer = (request, response) => {
      if (request.url !== '/token') return false
      response.writeHead(307, { location: `${evil.origin}/token` }).end()
      return true
    }
    using stage = openLoginStage({ browse: agreeing(setting.authorization.approve) })
    expect((await problemOf(stage.login(setting.entry))).message).toMatch(
      /redirects to 127\.0\.0\.1:\d+, which is not followed$/,
    )
    expect(seen).toEqual([])
    nothingKept(stage)
  })

  test.each(['file:///etc/passwd', 'javascript:alert(1)', 'http://login.evil.test/'])(
    'a browser is not sent to %s',
    async (page) => {
      await using setting = await set()
      setting.authorization.answer = withMetadata(setting.authorization, { authorization_endpoint: page })
      using stage = openLoginStage()
      expect((await problemOf(stage.login(setting.entry))).message).toContain(FAILED)
      expect(stage.pages).toEqual([])
      nothingKept(stage)
    },
  )
})

describe('a public server', () => {
  async function publicServer(
    description: object,
    addresses: Readonly<Record<string, string>> = {},
  ): Promise<{ stage: LoginStage; sent(): readonly string[] } & AsyncDisposable> {
    const server = await serveForms((path, _, response) => {
      if (path === '/mcp') return response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
      if (path.startsWith('/.well-known/oauth-protected-resource'))
        return send(response, { resource: 'https://mcp.test/mcp', ...description })
      return response.writeHead(404).end()
    })
    const { change, places: sent } = onTheInternet({ 'mcp.test': server.origin }, addresses)
    const stage = openLoginStage({ change })
    return {
      stage,
      sent,
      async [Symbol.asyncDispose]() {
        stage[Symbol.dispose]()
        await server[Symbol.asyncDispose]()
      },
    }
  }

  const ENTRY = { type: 'http', url: 'https://mcp.test/mcp' }

  test.each([
    ['https://10.0.0.5', {}],
    ['https://169.254.169.254', {}],
    ['http://127.0.0.1:9999', {}],
    ['https://router.test', { 'router.test': '192.168.0.1' }],
  ])('cannot have us ask %s', async (issuer, addresses) => {
    await using setting = await publicServer({ authorization_servers: [issuer] }, addresses)
    const { message } = await problemOf(setting.stage.login(ENTRY))
    expect(message).toMatch(/in the network of this machine, where a server of the internet has no business$/)
    expect(setting.sent().filter((one) => !one.includes('https://mcp.test/'))).toEqual([])
    nothingKept(setting.stage)
  })

  test('cannot name a place of this network for its description either', async () => {
    await using setting = await publicServer({})
    const challenge = { status: 401, scopes: [], resourceMetadataUrl: 'https://10.0.0.5/x' } as const
    const { message } = await problemOf(setting.stage.login(ENTRY, { challenge }))
    expect(message).toMatch(/^OAuth authentication failed: 10\.0\.0\.5 is at 10\.0\.0\.5/)
  })

  test('cannot have secrets sent over plain HTTP', async () => {
    await using setting = await publicServer({ authorization_servers: ['http://login.test'] })
    const { message, hints } = await problemOf(setting.stage.login(ENTRY))
    expect(message).toMatch(/is not https, and what is secret would be sent there for all to read/)
    expect(hints).toEqual([
      'if that is what you want, say so in its entry: `"oauth": { "dangerouslyAllowHttp": true }`',
    ])
    expect(setting.sent().filter((one) => one.includes('login.test'))).toEqual([])
  })

  test('may have them sent over plain HTTP where its entry says so, in so many words', async () => {
    await using authorization = await startAuthorizationServer()
    const login = 'http://login.test'
    await using server = await serveForms((path, _, response) => {
      if (path === '/mcp')
        return response.writeHead(401, { 'www-authenticate': 'Bearer scope="openid"' }).end()
      if (path.startsWith('/.well-known/oauth-protected-resource'))
        return send(response, { resource: 'https://mcp.test/mcp', authorization_servers: [login] })
      return response.writeHead(404).end()
    })
    authorization.answer = (request: IncomingMessage, response: ServerResponse) => {
      if (!request.url!.startsWith('/.well-known/oauth-authorization-server')) return false
      void fetch(`${authorization.issuer}/.well-known/openid-configuration`)
        .then((usual) => usual.text())
        .then((usual) =>
          send(response, {
            ...(JSON.parse(usual.replaceAll(authorization.issuer, login)) as object),
            authorization_endpoint: `${authorization.issuer}/auth`,
            authorization_response_iss_parameter_supported: false,
          }),
        )
      return true
    }
    const { change, places: sent } = onTheInternet({
      'mcp.test': server.origin,
      'login.test': authorization.issuer,
    })
    using stage = openLoginStage({
      change,
      browse: async (url) => {
        const back = await authorization.approve(url)
        back.searchParams.delete('iss')
        return comeBack(back)
      },
    })
    await stage.login({ ...ENTRY, oauth: { dangerouslyAllowHttp: true } })
    expect(sent()).toContain('POST http://login.test/token')
    expect(stage.saved[0]!.endpoints.token).toBe('http://login.test/token')
  })
})

describe('token endpoints', () => {
  test.each([
    [
      '10 MB',
      'application/json',
      () => `{"access_token":"${'x'.repeat(10 * 1024 * 1024)}"}`,
      'more than 16 KB',
    ],
    [
      '17 KB',
      'application/json',
      () => `{"access_token":"${'x'.repeat(17 * 1024)}","token_type":"bearer"}`,
      'more than 16 KB',
    ],
    ['a web page', 'text/html', () => '<html>', 'did not answer with JSON'],
    ['nonsense', 'application/json', () => '{"token":1}', 'not what the specification asks for'],
    ['half of it', 'application/json', () => '{"access_token":', 'not what the specification asks for'],
  ])('that answer with %s give no token', async (_, type, body, message) => {
    await using setting = await set()
    setting.authorization.answer = (request, response) => {
      if (request.url !== '/token') return false
      response.on('error', () => undefined)
      response.writeHead(200, { 'content-type': type }).end(body())
      return true
    }
    using stage = openLoginStage({ browse: agreeing(setting.authorization.approve) })
    expect((await problemOf(stage.login(setting.entry))).message).toContain(message)
    nothingKept(stage)
  })

  test('that repeat what they were told do not get it into a message', async () => {
    await using setting = await set()
    let form = ''
    setting.authorization.answer = (request, response) => {
      if (request.url !== '/token') return false
      request.setEncoding('utf8').on('data', (piece: string) => (form += piece))
      request.on('end', () => {
        const told = Object.values(Object.fromEntries(new URLSearchParams(form))).join(' ')
        send(response, { error: 'invalid_grant', error_description: `no good: ${told}` }, 400)
      })
      return true
    }
    using stage = openLoginStage({ browse: agreeing(setting.authorization.approve) })
    const problem = await problemOf(stage.login(setting.entry))
    expect(problem.message).toBe(`${FAILED}invalid_grant`)
    const sent = new URLSearchParams(form)
    const text = JSON.stringify([problem, stage.steps.filter(({ kind }) => kind !== 'page'), stage.logged])
    for (const name of ['code', 'code_verifier']) expect(text).not.toContain(sent.get(name)!)
  })

  test('that do not know PKCE get no code', async () => {
    await using setting = await set()
    setting.authorization.answer = withMetadata(setting.authorization, {
      code_challenge_methods_supported: undefined,
    })
    using stage = openLoginStage()
    expect((await problemOf(stage.login(setting.entry))).message).toBe(
      `${FAILED}its authorization server does not say that it supports PKCE (S256)`,
    )
    expect(stage.pages).toEqual([])
  })
})

describe('a clock that is wrong by an hour', () => {
  const HOUR = 3_600_000
  const shifted =
    (by: number) =>
    (world: World): World => ({
      ...world,
      clock: { ...world.clock, now: () => world.clock.now() + by },
    })

  test.each([
    ['ahead', HOUR],
    ['behind', -HOUR],
  ])('%s: a sign-in works, and its time is told by that clock', async (_, by) => {
    await using setting = await set()
    using stage = openLoginStage({ browse: agreeing(setting.authorization.approve), change: shifted(by) })
    const before = Date.now()
    await stage.login(setting.entry)
    const { expiresAt } = stage.saved[0]!.tokens
    expect(expiresAt! - by - before).toBeGreaterThanOrEqual(HOUR - 1000)
    expect(expiresAt! - by - Date.now()).toBeLessThanOrEqual(HOUR)
  })

  test.each([
    ['ahead', HOUR],
    ['behind', -HOUR],
  ])('%s: signatures that have a time are still accepted', async (_, by) => {
    await using setting = await set({
      describe: (usual) => ({ ...usual, dpop_bound_access_tokens_required: true }),
    })
    using stage = openLoginStage({ browse: agreeing(setting.authorization.approve), change: shifted(by) })
    await stage.login(setting.entry)
    expect(stage.saved[0]!.tokens.type).toBe('dpop')
  })
})
