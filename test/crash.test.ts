/**
 * crash: how the command ends when something breaks that nobody thought of, with tokens in its hands. A bug of ours is
 * played by a hook that throws what it finds, and attaches it as well, as the errors of some libraries do.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gone, openDaemonMachine, says } from './hosts/gateway/daemon.ts'
import { findSecrets } from './leaks/secrets.ts'
import { pasteLogin } from './processes/paste-login.ts'
import { BIN, type Machine, openMachine, type Ran } from './processes/plugboard.ts'
import { startAuthorizationServer, type AuthorizationServer } from './servers/authorization-server.ts'
import { startProtectedServer, type ProtectedServer } from './servers/protected-server.ts'

type Way = 'thrown' | 'thrown where nobody waits' | 'rejected where nobody waits'

const BUG = 'error: this is a bug in Plugboard, not in your configuration\n'
const MARK = '‹secret›'

/** Breaks when tokens are about to be kept, and when a code is about to be exchanged. */
function hookOf(machine: Machine, way: Way): Readonly<Record<string, string>> {
  machine.write({
    '~/hook.cjs': `const { stringify } = JSON
const crash = (what) => {
  const text = stringify(what)
  const error = Object.assign(new Error('lost ' + text), { what, request: { headers: ['authorization', 'Bearer ' + text] } })
  if (${JSON.stringify(way)} === 'thrown') throw error
  if (${JSON.stringify(way)} === 'thrown where nobody waits') setImmediate(() => { throw error })
  else void Promise.reject(error)
}
JSON.stringify = (value, ...rest) => {
  if (value?.access) crash(value)
  return stringify(value, ...rest)
}
const Params = globalThis.URLSearchParams
globalThis.URLSearchParams = class URLSearchParams extends Params {
  constructor(init) {
    super(init)
    if (init?.code_verifier) crash(init)
  }
}`,
  })
  return { NODE_OPTIONS: `--require ${machine.at('~/hook.cjs')}` }
}

interface Stage extends AsyncDisposable {
  readonly authorization: AuthorizationServer
  readonly server: ProtectedServer
  /** What a script would put into `--token-file`. */
  seed(): Promise<string>
}

async function openStage(): Promise<Stage> {
  const authorization = await startAuthorizationServer()
  const server = await startProtectedServer({ authorization })
  return {
    authorization,
    server,
    async seed() {
      const given = await authorization.signIn({ resource: server.url, scopes: ['mcp:read'] })
      return JSON.stringify({
        access_token: given.accessToken,
        refresh_token: given.refreshToken,
        expires_in: 0,
        client_id: given.clientId,
        token_endpoint: `${authorization.issuer}/token`,
        issuer: authorization.issuer,
        resource: server.url,
      })
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await authorization[Symbol.asyncDispose]()
    },
  }
}

function expectSilence({ stdout, stderr }: Pick<Ran, 'stdout' | 'stderr'>): void {
  expect(findSecrets(stdout + stderr)).toEqual([])
  // It was there, and was taken out.
  expect(stderr).toContain(MARK)
}

describe('a bug says that it is one, and repeats no secret', () => {
  test.each(['thrown', 'thrown where nobody waits', 'rejected where nobody waits'] as const)(
    'while tokens are kept: %s',
    async (way) => {
      await using stage = await openStage()
      const entry = { type: 'http', url: stage.server.url }
      using machine = openMachine({ '~/.config/plugboard/mcp.json': { mcpServers: { guarded: entry } } })
      const options = { env: hookOf(machine, way), input: await stage.seed() }
      for (const flags of [[], ['--json']]) {
        const ran = await machine.run(['login', 'guarded', '--token-file', '-', ...flags], options)
        expect(ran.code).toBe(1)
        expect(ran.stderr).toContain(BUG)
        expect(ran.stderr).toContain('lost {')
        expectSilence(ran)
        if (flags.length > 0) expect(JSON.parse(ran.stdout)).toMatchObject({ error: { code: 'cli/bug' } })
      }
    },
  )

  test.each(['thrown', 'thrown where nobody waits', 'rejected where nobody waits'] as const)(
    'while a code is exchanged: %s',
    async (way) => {
      await using stage = await openStage()
      const entry = { type: 'http', url: stage.server.url }
      using machine = openMachine({ '~/.config/plugboard/mcp.json': { mcpServers: { guarded: entry } } })
      const ran = await pasteLogin(machine, {
        args: ['guarded'],
        env: hookOf(machine, way),
        paste: async (page) => [(await stage.authorization.approve(page)).href],
      })
      expect(ran.code).toBe(1)
      expect(ran.stderr).toContain('lost {')
      expectSilence(ran)
    },
  )
})

test('a bug while a first token is kept is told where somebody has to sign in, without that token', async () => {
  const robot = { client_id: 'robot', client_secret: 'a-secret-of-the-robot' }
  await using authorization = await startAuthorizationServer({
    clients: [{ ...robot, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
  })
  await using server = await startProtectedServer({ authorization })
  const client = { clientId: robot.client_id, clientSecret: robot.client_secret }
  const entry = { type: 'http', url: server.url, oauth: { grantType: 'client_credentials', ...client } }
  using machine = openMachine({ '~/.config/plugboard/mcp.json': { mcpServers: { guarded: entry } } })
  const env = hookOf(machine, 'thrown')
  const ran = await machine.run(['call', 'guarded', 'echo', 'text=hi'], { env })
  expect(ran.code).toBe(4)
  expect(ran.stderr).toContain('lost {')
  expectSilence(ran)
})

test('a bug in the hiding of secrets itself is told as a bug, with no word of what could not be hidden', async () => {
  await using stage = await openStage()
  const entry = { type: 'http', url: stage.server.url }
  using machine = openMachine({ '~/.config/plugboard/mcp.json': { mcpServers: { guarded: entry } } })
  const { NODE_OPTIONS } = hookOf(machine, 'thrown')
  // What V8 does when a regular expression is too large: its error quotes all of it.
  machine.write({
    '~/hides-nothing.cjs': `const { includes } = String.prototype
String.prototype.includes = function (part, ...rest) {
  if (includes.call(this, 'lost {')) throw new SyntaxError('cannot look for ' + part)
  return includes.call(this, part, ...rest)
}`,
  })
  const env = { NODE_OPTIONS: `${NODE_OPTIONS} --require ${machine.at('~/hides-nothing.cjs')}` }
  const ran = await machine.run(['login', 'guarded', '--token-file', '-'], { env, input: await stage.seed() })
  expect(ran.code).toBe(1)
  expect(ran.stderr).toContain(BUG)
  expect(ran.stderr).toContain('the error is not shown')
  expect(findSecrets(ran.stdout + ran.stderr)).toEqual([])
})

describe('a report that cannot be written ends the command all the same, as failed', () => {
  const ways = ['thrown', 'thrown where nobody waits', 'rejected where nobody waits'] as const

  test.runIf(process.platform === 'linux').each(ways)('the disk under stderr is full: %s', async (way) => {
    await using stage = await openStage()
    const entry = { type: 'http', url: stage.server.url }
    using machine = openMachine({ '~/.config/plugboard/mcp.json': { mcpServers: { guarded: entry } } })
    const ran = await machine.run(['login', 'guarded', '--token-file', '-'], {
      env: hookOf(machine, way),
      input: await stage.seed(),
      start: ['sh', '-c', 'exec "$0" "$@" 2>/dev/full', process.execPath, BIN],
    })
    expect(ran.code).toBe(1)
  })

  test.each(ways.slice(1))('nobody reads stderr any more: %s', async (way) => {
    await using stage = await openStage()
    const entry = { type: 'http', url: stage.server.url }
    using machine = openMachine({ '~/.config/plugboard/mcp.json': { mcpServers: { guarded: entry } } })
    const child = spawn(process.execPath, [BIN, 'login', 'guarded', '--token-file', '-'], {
      cwd: machine.project,
      env: { HOME: machine.home, PLUGBOARD_KEYCHAIN: 'off', ...hookOf(machine, way) },
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    child.stderr.destroy()
    await once(child.stderr, 'close')
    // It waits for this, and breaks only then.
    child.stdin.end(await stage.seed())
    expect(await once(child, 'exit')).toEqual([1, null])
  })
})

test('a gateway in the background that crashes says so in its log, and repeats no secret there', async () => {
  await using stage = await openStage()
  await using daemon = openDaemonMachine({ guarded: { type: 'http', url: stage.server.url } })
  const { machine, folder } = daemon
  const seeded = await machine.run(['login', 'guarded', '--token-file', '-'], { input: await stage.seed() })
  expect(seeded.code, seeded.stderr).toBe(0)
  const env = hookOf(machine, 'thrown where nobody waits')
  expect(await machine.run(['serve', '--daemon'], { env })).toMatchObject({ code: 0 })
  const { gateway } = await daemon.status()
  const log = join(folder, 'gateway.log')
  // What it got is over, so that it gets another, and breaks when it keeps that.
  stage.authorization.expireAccessTokens()
  await machine.run(['call', 'guarded', 'echo', 'text=hi'])
  await says(log, BUG)
  await gone(gateway.pid!)
  expectSilence({ stdout: '', stderr: readFileSync(log, 'utf8') })
})
