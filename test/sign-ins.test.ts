/**
 * Sign-ins as people and scripts meet them: the built command, real processes, a real authorization server.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { serverEntry } from './boards/open.ts'
import { noteIssued } from './leaks/secrets.ts'
import { pasteLogin } from './processes/paste-login.ts'
import { DIST, openMachine, type Machine, type Ran } from './processes/plugboard.ts'
import { runInTerminal } from './processes/terminal.ts'
import { send, serveForms } from './runtime/login-stage.ts'
import {
  startAuthorizationServer,
  type AuthorizationServer,
  type GivenSignIn,
} from './servers/authorization-server.ts'
import { startProtectedServer, type ProtectedServer } from './servers/protected-server.ts'

interface Stage extends AsyncDisposable {
  readonly authorization: AuthorizationServer
  readonly server: ProtectedServer
  readonly machine: Machine
  readonly given: GivenSignIn
  /** What a script would put into `--token-file`. */
  readonly seed: Readonly<Record<string, unknown>>
  plugboard(...args: readonly string[]): Promise<Ran>
}

const KEYCHAIN = '~/.local/state/plugboard/sign-ins/keychain.json'
const STORE = '~/.local/state/plugboard/sign-ins/sign-ins.json'

async function openStage(env: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const authorization = await startAuthorizationServer()
  const server = await startProtectedServer({ authorization })
  const machine = openMachine({
    '~/.config/plugboard/mcp.json': { mcpServers: { guarded: { type: 'http', url: server.url } } },
  })
  const given = await authorization.signIn({ resource: server.url, scopes: ['mcp:read'] })
  return {
    authorization,
    server,
    machine,
    given,
    seed: {
      access_token: given.accessToken,
      refresh_token: given.refreshToken,
      expires_in: given.expiresInSeconds,
      scope: given.scopes.join(' '),
      client_id: given.clientId,
      token_endpoint: `${authorization.issuer}/token`,
      revocation_endpoint: `${authorization.issuer}/token/revocation`,
      issuer: authorization.issuer,
      resource: server.url,
    },
    plugboard: (...args) => machine.run(args, { env }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await authorization[Symbol.asyncDispose]()
      machine[Symbol.dispose]()
    },
  }
}

async function signIn(stage: Stage, seed: object = stage.seed): Promise<Ran> {
  stage.machine.write({ './token.json': seed })
  return stage.plugboard('login', 'guarded', '--token-file', 'token.json')
}

const CALL = ['call', 'guarded', 'echo', 'text=hi'] as const

describe('20 processes with one sign-in', () => {
  test.each([
    ['that its giver calls over', (stage: Stage) => stage.authorization.expireAccessTokens()],
    [
      'that is over by the clock',
      ({ machine }: Stage) => {
        const file = machine.at(STORE)
        const text = readFileSync(file, 'utf8').replace(
          /"expiresAt": \d+/,
          `"expiresAt": ${Date.now() - 1000}`,
        )
        writeFileSync(file, text)
      },
    ],
  ])('%s renew it once, and all of them work', async (_, end) => {
    await using stage = await openStage()
    expect(await signIn(stage)).toMatchObject({ code: 0 })
    expect(stage.authorization.count('token refresh_token')).toBe(0)
    end(stage)
    const runs = await Promise.all(Array.from({ length: 20 }, () => stage.plugboard(...CALL)))
    expect(runs.map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual(
      runs.map(() => [0, 'hi\n', '']),
    )
    expect(stage.authorization.count('token refresh_token')).toBe(1)
    // And the one that is kept is the one that works.
    stage.authorization.expireAccessTokens()
    expect(await stage.plugboard(...CALL)).toMatchObject({ code: 0, stdout: 'hi\n' })
  })
})

test('10 processes whose sign-in is refused for good ask once, and each says what to run', async () => {
  await using stage = await openStage()
  expect(await signIn(stage)).toMatchObject({ code: 0 })
  stage.authorization.expireAccessTokens()
  let refusals = 0
  stage.authorization.answer = (request, response) => {
    if (request.url !== '/token') return false
    refusals++
    send(response, { error: 'invalid_grant' }, 400)
    return true
  }
  const runs = await Promise.all(Array.from({ length: 10 }, () => stage.plugboard(...CALL)))
  expect(runs.map(({ code }) => code)).toEqual(runs.map(() => 4))
  for (const { stderr } of runs) expect(stderr).toContain('hint: run `plugboard login guarded`')
  expect(refusals).toBe(1)
})

describe('10 processes with an entry that needs nobody', () => {
  const CLIENT = { clientId: 'robot', clientSecret: 'a-secret-of-the-robot' }

  test.each([
    ['client credentials', () => ({ grantType: 'client_credentials', ...CLIENT })],
    [
      'workload identity',
      () => ({ grantType: 'jwt_bearer', ...CLIENT, assertion: 'an-assertion-of-the-platform' }),
    ],
    [
      'an identity provider of a company',
      ({ origin }: AloneStage) => ({
        grantType: 'enterprise_managed',
        ...CLIENT,
        idToken: 'an-id-token-of-its-user',
        idpTokenUrl: `${origin}/provider`,
        idpClientId: 'robot-there',
      }),
    ],
  ])('(%s) ask for one token, and all of them work; when that is over, for one more', async (_, oauthOf) => {
    await using stage = await openAloneStage()
    const entry = { type: 'http', url: stage.server.url, oauth: oauthOf(stage) }
    stage.machine.write({ '~/.config/plugboard/mcp.json': { mcpServers: { guarded: entry } } })
    for (const asked of [1, 2]) {
      const runs = await Promise.all(Array.from({ length: 10 }, () => stage.machine.run(CALL)))
      expect(runs).toEqual(runs.map(() => ({ code: 0, stdout: 'hi\n', stderr: '' })))
      expect(stage.tokens).toHaveLength(asked)
      // As after a restart of the authorization server.
      stage.tokens[asked - 1] = 'over'
    }
  })
})

interface AloneStage extends AsyncDisposable {
  readonly origin: string
  readonly server: ProtectedServer
  readonly machine: Machine
  /** Those that it gave; the ones in it are good. */
  readonly tokens: string[]
}

/** An authorization server, and an identity provider, that give a token for everything that vouches for somebody. */
async function openAloneStage(): Promise<AloneStage> {
  const tokens: string[] = []
  const authorization = await serveForms((path, form, response) => {
    const { origin } = authorization
    noteIssued(form)
    if (path.startsWith('/.well-known/oauth-authorization-server'))
      return send(response, {
        issuer: origin,
        authorization_endpoint: `${origin}/auth`,
        token_endpoint: `${origin}/token`,
        response_types_supported: ['code'],
      })
    if (path === '/provider')
      return send(response, {
        access_token: 'an-assertion-of-the-provider',
        issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
        token_type: 'N_A',
      })
    if (path !== '/token') return response.writeHead(404).end()
    const given = { access_token: `given-${randomUUID()}`, token_type: 'Bearer', expires_in: 3600 }
    noteIssued(given)
    tokens.push(given.access_token)
    return send(response, given)
  })
  const server = await startProtectedServer({
    authorization: {
      issuer: authorization.origin,
      check: async (token) =>
        tokens.includes(token)
          ? { audience: server.url, scopes: ['mcp:read'], clientId: 'robot' }
          : undefined,
    },
  })
  const machine = openMachine()
  return {
    origin: authorization.origin,
    server,
    machine,
    tokens,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await authorization[Symbol.asyncDispose]()
      machine[Symbol.dispose]()
    },
  }
}

/** A server that is started, and asks for a credential that nobody has. */
const ASKING = { ...serverEntry('well-behaved'), auth: { type: 'oauth', credentialId: 'wanted' } }

describe('login --token-file', () => {
  test('takes the JSON of a token endpoint, and says what it gives', async () => {
    await using stage = await openStage()
    expect(await signIn(stage)).toEqual({
      code: 0,
      stdout: 'signed in to `guarded` (scopes: mcp:read); it has 2 tools\n',
      stderr: '',
    })
    expect(statSync(stage.machine.at(STORE)).mode & 0o777).toBe(0o600)
  })

  test('a refresh token alone is enough', async () => {
    await using stage = await openStage()
    const { access_token: _, expires_in: __, ...seed } = stage.seed
    expect(await signIn(stage, seed)).toMatchObject({ code: 0 })
    expect(stage.authorization.count('token refresh_token')).toBe(1)
  })

  test('takes a bare token, which nobody can renew', async () => {
    await using stage = await openStage()
    stage.machine.write({ './token.json': `Bearer ${stage.given.accessToken}\n` })
    expect(await stage.plugboard('login', 'guarded', '--token-file', 'token.json')).toMatchObject({ code: 0 })
    stage.authorization.expireAccessTokens()
    const { code, stderr } = await stage.plugboard(...CALL)
    expect(code).toBe(4)
    expect(stderr).toContain('error: `guarded` needs you to sign in')
    expect(stderr).toContain('hint: run `plugboard login guarded`')
  })

  test.each([
    ['nothing', '', 'it is empty'],
    ['two words', 'one two', 'it is neither JSON nor a token in one piece'],
    ['broken JSON', '{"access_token": "s3cret-in-json', 'it begins like JSON, and is none'],
    ['another JSON', '{"token": "s3cret-in-json"}', 'it has no `access_token`'],
    [
      'a refresh token without a client',
      '{"access_token": "s3cret-in-json", "refresh_token": "s3cret-in-json"}',
      'it has a `refresh_token`, but not the `token_endpoint` and `client_id` to use it with',
    ],
    [
      'an endpoint that anyone can listen at',
      '{"access_token": "s3cret-in-json", "token_endpoint": "http://auth.example.test/token"}',
      'its `token_endpoint` is not an https address',
    ],
  ])('refuses %s without repeating it', async (_, text, why) => {
    await using stage = await openStage()
    stage.machine.write({ './token.json': text })
    const { code, stdout, stderr } = await stage.plugboard('login', 'guarded', '--token-file', 'token.json')
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`error: the token was not taken: ${why}`)
    expect(stderr).not.toContain('s3cret')
  })

  test('fills a credential that becomes OAUTH_ACCESS_TOKEN of a server that is started', async () => {
    using machine = openMachine({ './token.txt': 'tok-1234567890' })
    const script = `process.stdin.setEncoding('utf8');let s='';process.stdin.on('data',c=>{s+=c;let i;while((i=s.indexOf('\\n'))>=0){const m=JSON.parse(s.slice(0,i));s=s.slice(i+1);if(m.id===undefined)continue;
const r={initialize:{protocolVersion:'2025-11-25',capabilities:{tools:{}},serverInfo:{name:'e',version:'1'}},'tools/list':{tools:[{name:'length',inputSchema:{type:'object'}}]},'tools/call':{content:[{type:'text',text:String((process.env.OAUTH_ACCESS_TOKEN??'').length)}]}}[m.method];
console.log(JSON.stringify(r===undefined?{jsonrpc:'2.0',id:m.id,error:{code:-32601,message:'no'}}:{jsonrpc:'2.0',id:m.id,result:r}))}})`
    machine.write({
      './server.cjs': script,
      '~/.config/plugboard/mcp.json': {
        mcpServers: {
          deploy: {
            command: process.execPath,
            args: [machine.at('./server.cjs')],
            auth: { type: 'oauth', credentialId: 'deploy-token' },
          },
        },
      },
    })
    const before = await machine.run(['call', 'deploy', 'length'])
    expect(before).toMatchObject({ code: 0, stdout: '0\n' })
    const warned = await machine.run(['test', 'deploy'])
    expect(warned.stderr).toContain('asks for the credential `deploy-token`, and there is none')
    const login = await machine.run(['login', 'deploy', '--token-file', 'token.txt'])
    expect(login).toMatchObject({ code: 0, stdout: 'signed in to `deploy`; it has 1 tool\n' })
    expect(await machine.run(['call', 'deploy', 'length'])).toMatchObject({
      code: 0,
      stdout: '14\n',
      stderr: '',
    })
    expect((await machine.run(['auth', 'status'])).stdout).toMatch(/deploy \(deploy-token\)/)
    expect(await machine.run(['logout', 'deploy'])).toMatchObject({ code: 0 })
    expect(await machine.run(['call', 'deploy', 'length'])).toMatchObject({ stdout: '0\n' })
  })

  test('reads stdin', async () => {
    await using stage = await openStage()
    const input = JSON.stringify(stage.seed)
    const args = ['login', 'guarded', '--token-file', '-']
    expect(await stage.machine.run(args, { input })).toMatchObject({ code: 0, stderr: '' })
    expect(await stage.plugboard(...CALL)).toMatchObject({ code: 0 })
  })

  test('a token that the server does not take is kept, and both is said', async () => {
    await using stage = await openStage()
    const args = ['login', 'guarded', '--token-file', '-']
    const { code, stdout, stderr } = await stage.machine.run(args, { input: 'not-a-good-one' })
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toMatch(
      /^the sign-in is kept, but `guarded` cannot be used with it yet:\nerror: `guarded` needs/,
    )
  })

  test('is not taken for an entry that has one of its own, nor for nobody', async () => {
    await using stage = await openStage()
    const own = { type: 'http', url: stage.server.url, headers: { Authorization: 'Bearer mine' } }
    stage.machine.write({ '~/.config/plugboard/mcp.json': { mcpServers: { own } } })
    const login = (name: string): Promise<Ran> =>
      stage.machine.run(['login', name, '--token-file', '-'], { input: 'tok' })
    expect((await login('own')).stderr).toContain(
      'error: the entry of `own` sends an `Authorization` of its own',
    )
    expect((await login('won')).stderr).toContain('hint: did you mean `own`?')
    expect(existsSync(stage.machine.at(STORE))).toBe(false)
  })

  test('a credential that no entry asks for is kept, said to be of no use, and can be forgotten by its name', async () => {
    using machine = openMachine({
      '~/.config/plugboard/mcp.json': {
        mcpServers: { local: serverEntry('well-behaved'), asking: ASKING },
      },
    })
    const login = ['login', 'local', '--credential', 'spare', '--token-file', '-']
    const { code, stderr } = await machine.run(login, { input: 'tok-1234567890' })
    expect(code, stderr).toBe(0)
    expect(stderr).toContain('does not ask for the credential `spare`, so it is kept, but not used')
    expect(stderr).toContain(
      'hint: put into its entry: `"auth": { "type": "oauth", "credentialId": "spare" }`',
    )
    expect((await machine.run(['auth', 'status'])).stdout).toContain('credential spare')
    expect(await machine.run(['logout', 'spare'])).toMatchObject({ code: 0 })
    expect((await machine.run(['auth', 'status'])).stdout).toContain('nobody is signed in anywhere')
    // What is said to whoever needs one leads to one.
    expect((await machine.run(['login', 'asking'])).stderr).toContain(
      'plugboard login --credential wanted asking`',
    )
    expect((await machine.run(['test', 'asking'])).stderr).toContain(
      'run `plugboard login --credential wanted asking`',
    )
  })

  test('a credential can be typed in, and is not seen', async () => {
    using machine = openMachine({ '~/.config/plugboard/mcp.json': { mcpServers: { asking: ASKING } } })
    const { code, raw } = await runInTerminal(machine, 'plugboard login asking --credential wanted', {
      columns: 100,
      answers: [{ when: 'Token:', keys: 'tok-1234567890\r' }],
      env: { PLUGBOARD_KEYCHAIN: 'off' },
    })
    expect(code, raw).toBe(0)
    expect(raw).not.toContain('tok-1234567890')
    expect(readFileSync(machine.at(STORE), 'utf8')).toContain('tok-1234567890')
  })

  test('a server that is started and asks for none wants a name', async () => {
    using machine = openMachine({
      './token.txt': 'tok',
      '~/.config/plugboard/mcp.json': { mcpServers: { local: { command: 'x' } } },
    })
    const { code, stderr } = await machine.run(['login', 'local', '--token-file', 'token.txt'])
    expect(code).toBe(2)
    expect(stderr).toContain('hint: give one with `--credential <id>`')
  })
})

describe('auth status', () => {
  test('shows who is signed in where, and asks nobody', async () => {
    await using stage = await openStage()
    expect(await stage.plugboard('auth', 'status')).toMatchObject({
      code: 0,
      stdout: 'nobody is signed in anywhere; `plugboard login <server>` signs you in\n',
    })
    await signIn(stage)
    const asked = [stage.server.received.length, stage.authorization.requests.length]
    const { stdout } = await stage.plugboard('auth', 'status', '--json')
    const { credentials } = JSON.parse(stdout) as { readonly credentials: readonly Record<string, unknown>[] }
    expect(credentials).toEqual([
      {
        server: 'guarded',
        servers: ['guarded'],
        url: stage.server.url,
        issuer: stage.authorization.issuer,
        clientId: stage.given.clientId,
        expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
        scopes: ['mcp:read'],
        store: 'file',
        canRenew: true,
      },
    ])
    expect([stage.server.received.length, stage.authorization.requests.length]).toEqual(asked)
  })

  test('a store that others can read is not used, and says how to fix it', async () => {
    await using stage = await openStage()
    await signIn(stage)
    const file = stage.machine.at(STORE)
    chmodSync(file, 0o644)
    const { code, stderr } = await stage.plugboard('auth', 'status')
    expect(code).toBe(2)
    expect(stage.machine.shorten(stderr)).toContain(`hint: run \`chmod 600 ${STORE}\``)
    const called = await stage.plugboard(...CALL)
    expect(called.code).toBe(4)
    // Signing in again would not help, so it is not what is said.
    const { stderr: said } = called
    expect(said).toContain(
      'your sign-ins are not used, because other users of this machine can read the file',
    )
    expect(stage.machine.shorten(said)).toContain(`hint: run \`chmod 600 ${STORE}\``)
    expect(said).not.toContain('plugboard login')
    expect(stage.server.tokens).toHaveLength(1)
  })
})

describe('processes that wait', () => {
  test('pick up a sign-in that is made in another', async () => {
    await using stage = await openStage()
    await using waiting = await startBoard(stage)
    await waiting.until('needs-auth')
    expect(await signIn(stage)).toMatchObject({ code: 0 })
    await waiting.until('ready')
    expect(stage.server.tokens).toEqual([stage.given.accessToken])
  })

  test('and the threads of one renew once', async () => {
    await using stage = await openStage()
    await signIn(stage, { ...stage.seed, expires_in: 0 })
    const renewed = stage.authorization.count('token refresh_token')
    stage.authorization.expireAccessTokens()
    await using threads = await startBoard(stage, 8)
    await threads.until('ready', 8)
    expect(stage.authorization.count('token refresh_token')).toBe(renewed + 1)
  })
})

/** A program that embeds the library, in so many threads; each tells the states of its server. */
async function startBoard({ machine }: Stage, threads = 1): Promise<Waiting & AsyncDisposable> {
  const library = JSON.stringify(pathToFileURL(join(DIST, 'index.js')).href)
  machine.write({
    './board.mjs': `import { isMainThread, threadId, Worker } from 'node:worker_threads'
if (isMainThread && ${threads} > 1) for (let i = 0; i < ${threads}; i++) new Worker(new URL(import.meta.url))
else {
  const { openPlugboard } = await import(${library})
  const board = await openPlugboard({ cwd: ${JSON.stringify(machine.project)} })
  const tell = () => console.log(threadId + ' ' + board.snapshot().servers[0].connection.state)
  board.on('change', tell)
  tell()
  setInterval(() => undefined, 1000)
}`,
  })
  const child = spawn(process.execPath, [machine.at('./board.mjs')], {
    cwd: machine.project,
    env: { PATH: process.env['PATH'] ?? '', HOME: machine.home, PLUGBOARD_KEYCHAIN: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const told = new Set<string>()
  let look = (): void => undefined
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.trim().split('\n')) told.add(line)
    look()
  })
  return {
    until: (state, count = 1) =>
      new Promise((resolve) => {
        look = () => [...told].filter((line) => line.endsWith(` ${state}`)).length >= count && resolve()
        look()
      }),
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'close')
      child.kill()
      await gone
    },
  }
}

interface Waiting {
  /** Resolves when so many have told of this state. */
  until(state: string, count?: number): Promise<void>
}

describe('logout', () => {
  test('takes the tokens back, forgets them, and says so', async () => {
    await using stage = await openStage()
    await signIn(stage)
    expect(await stage.plugboard('logout', 'guarded')).toEqual({
      code: 0,
      stdout: `signed out of \`guarded\`: the tokens were taken back at ${stage.authorization.issuer}, and are forgotten here\n`,
      stderr: '',
    })
    expect(await stage.authorization.check(stage.given.accessToken)).toBeUndefined()
    expect(await stage.plugboard(...CALL)).toMatchObject({ code: 4 })
    expect((await stage.plugboard('logout', 'guarded')).stderr).toContain('nobody is signed in to `guarded`')
  })

  test('forgets them also when they cannot be taken back, and says what that means', async () => {
    await using stage = await openStage()
    await signIn(stage)
    stage.authorization.answer = (_, response) => (response.writeHead(503).end(), true)
    const { code, stdout } = await stage.plugboard('logout', 'guarded')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /could not be taken back: it answered with HTTP 503; whoever has a copy can use it\n/,
    )
    expect(readFileSync(stage.machine.at(STORE), 'utf8')).not.toContain(stage.given.accessToken)
  })

  test('works by address for a server that is in no file any more', async () => {
    await using stage = await openStage()
    await signIn(stage)
    stage.machine.write({ '~/.config/plugboard/mcp.json': {} })
    expect((await stage.plugboard('logout', 'guarded')).stderr).toContain('no server is named `guarded`')
    expect(await stage.plugboard('logout', stage.server.url)).toMatchObject({ code: 0 })
  })
})

/** Where programs look for a browser, and what tells that they have found one. */
function putOpeners({ machine }: Stage): string {
  const marker = machine.at('~/opened')
  for (const name of ['xdg-open', 'gio', 'wslview', 'kde-open', 'gnome-open', 'open', 'rundll32']) {
    machine.write({ [`~/openers/${name}`]: `#!/bin/sh\necho "$0 $@" >> ${marker}\n` })
    chmodSync(machine.at(`~/openers/${name}`), 0o755)
  }
  return marker
}

describe('passive', () => {
  test('nothing but login opens a browser or binds a port', async () => {
    await using stage = await openStage()
    const opened = putOpeners(stage)
    const bound = stage.machine.at('~/bound')
    stage.machine.write({
      '~/hook.cjs': `const net=require('node:net'),fs=require('node:fs');const listen=net.Server.prototype.listen;
net.Server.prototype.listen=function(...a){fs.appendFileSync(${JSON.stringify(bound)},JSON.stringify(process.argv)+'\\n');return listen.apply(this,a)}`,
    })
    const env = {
      PATH: `${stage.machine.at('~/openers')}:${process.env['PATH'] ?? ''}`,
      NODE_OPTIONS: `--require ${stage.machine.at('~/hook.cjs')}`,
      BROWSER: 'xdg-open',
      DISPLAY: ':0',
    }
    for (const args of [
      ['list'],
      ['list', '--check'],
      ['test', 'guarded'],
      ['tools', 'guarded'],
      CALL,
      ['auth', 'status'],
      ['doctor'],
    ]) {
      await stage.machine.run(args, { env })
    }
    expect([existsSync(opened), existsSync(bound)]).toEqual([false, false])
    const ask = (id: number, method: string, params: object): string =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
    const call = { name: 'mcp__guarded__echo', arguments: {} }
    const input = ask(1, 'initialize', hello) + ask(2, 'tools/list', {}) + ask(3, 'tools/call', call)
    const served = await stage.machine.run(['serve', '--stdio'], { env, input })
    expect(served.stdout).toContain('"id":3')
    expect(existsSync(opened)).toBe(false)
    // The server was reached, and nobody was registered for it.
    expect(stage.server.answered(401)).toBeGreaterThan(0)
    expect(stage.authorization.count('registration')).toBe(1)
    // The traps work.
    await stage.machine.run(['login', 'guarded', '--timeout', '6000'], { env })
    expect([existsSync(opened), existsSync(bound)]).toEqual([true, true])
  })

  test('list does not load the keychain', async () => {
    await using stage = await openStage()
    await signIn(stage)
    const loaded = stage.machine.at('~/loaded')
    stage.machine.write({
      '~/hook.mjs': `import { register } from 'node:module'
register('./resolve.mjs', import.meta.url)`,
      '~/resolve.mjs': `import { appendFileSync } from 'node:fs'
export function resolve(name, context, next) {
  if (/keyring|modelcontextprotocol/.test(name)) appendFileSync(${JSON.stringify(loaded)}, name + '\\n')
  return next(name, context)
}`,
    })
    const env = {
      NODE_OPTIONS: `--import ${stage.machine.at('~/hook.mjs')}`,
      PLUGBOARD_KEYCHAIN: '',
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${stage.machine.at('~/no-bus')}`,
    }
    for (const args of [['list'], ['auth', 'status'], CALL]) {
      expect(await stage.machine.run(args, { env })).toMatchObject({ code: 0 })
    }
    expect(existsSync(loaded)).toBe(false)
    // The trap works: there it is asked, does not answer, and the file serves.
    await stage.machine.run(['login', 'guarded', '--token-file', 'token.json'], { env })
    expect(readFileSync(loaded, 'utf8')).toContain('keyring')
    expect(readFileSync(stage.machine.at(KEYCHAIN), 'utf8')).toContain('"verdict":"broken"')
  })
})

describe('secrets', () => {
  test('of a sign-in are in the store and nowhere else', async () => {
    await using stage = await openStage()
    const { machine, authorization } = stage
    const [clientSecret, said] = ['cl13nt-s3cret-of-the-seed', [] as Ran[]]
    const run = async (...args: readonly string[]): Promise<void> =>
      void said.push(await stage.plugboard(...args))
    await run('list', '--check', '--json')
    said.push(
      await signIn(stage, { ...stage.seed, client_secret: clientSecret, token_endpoint_auth_method: 'none' }),
    )
    await run(...CALL, '--json')
    await run('test', 'guarded', '--json')
    authorization.expireAccessTokens()
    await run(...CALL)
    await run('call', 'guarded', 'admin')
    // A token endpoint that repeats what it was given, and a server that does.
    authorization.expireAccessTokens()
    authorization.answer = (request, response) => {
      if (request.url !== '/token') return false
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () =>
        response
          .writeHead(500, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error: body, error_description: body })),
      )
      return true
    }
    await run(...CALL)
    await run('test', 'guarded', '--json')
    await run('list', '--check')
    await run('doctor', '--json')
    authorization.answer = undefined
    await run('auth', 'status', '--json')
    await run('get', 'guarded', '--json')
    const kept = readFileSync(machine.at(STORE), 'utf8')
    await run('logout', 'guarded', '--json')
    said.push(await signInByHand(stage))
    await run(...CALL, '--json')
    await run('logs', 'guarded')

    const { accessToken, refreshToken } = stage.given
    const refreshed = authorization.requests.flatMap(({ params }) => [
      params['refresh_token'],
      params['token'],
      params['code'],
      params['code_verifier'],
    ])
    const secrets = [clientSecret, accessToken, refreshToken, ...stage.server.tokens, ...refreshed].filter(
      (one) => typeof one === 'string',
    )
    expect(new Set(secrets).size).toBeGreaterThan(4)
    expect(secrets.some((secret) => kept.includes(secret))).toBe(true)
    const written = filesBelow(machine.home).filter(
      (file) => !/\/sign-ins\/sign-ins\.json$|\/token\.json$/.test(file),
    )
    expect(written.length).toBeGreaterThan(2)
    const texts = [
      ...said.map(({ stdout, stderr }) => stdout + stderr),
      ...written.map((file) => readFileSync(file, 'latin1')),
    ]
    const leaks = secrets.filter((secret) =>
      texts.some(
        (text) =>
          text.includes(secret) ||
          text.includes(encodeURIComponent(secret)) ||
          text.includes(btoa(secret).slice(0, 20)),
      ),
    )
    expect(leaks).toEqual([])
  })
})

/** By somebody who pastes the wrong thing first. */
async function signInByHand({ machine, authorization }: Stage): Promise<Ran> {
  const ran = await pasteLogin(machine, {
    args: ['guarded', '--json'],
    async paste(page) {
      const back = await authorization.approve(page)
      const wrong = new URL(back)
      wrong.searchParams.set('state', 'another')
      return [wrong.href, back.href]
    },
  })
  expect(ran.code, ran.stderr).toBe(0)
  return ran
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
