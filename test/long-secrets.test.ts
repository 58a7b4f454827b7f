/**
 * long-secrets: secrets far longer than a regular expression can hold. Servers that have them work as any other, and no
 * screen, log or report repeats them.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { openDaemonMachine, server } from './hosts/gateway/daemon.ts'
import { DIST, openMachine, runChild, type Machine, type Ran } from './processes/plugboard.ts'
import { answerLegacy, serve } from './servers/http/loopback.ts'

const USER_FILE = '~/.config/plugboard/mcp.json'

/** Linux takes no variable of 128 KB. */
const LONG = randomBytes(45_000).toString('hex')

/** It writes the secret to stderr when it starts. */
const leaky = server('leaks-secret', { env: { API_TOKEN: LONG } })

function expectNoSecret({ stdout, stderr }: Pick<Ran, 'stdout' | 'stderr'>): void {
  expect(stdout + stderr).not.toContain(LONG.slice(0, 40))
  expect(stdout + stderr).not.toContain(LONG.slice(-40))
}

describe('a secret of 90 KB in the environment of a server', () => {
  test.each([
    [['list', '--check'], 'leaky'],
    [['tools'], 'leak'],
    [['test', 'leaky'], 'leaky'],
    [['doctor', '--run'], ''],
    [['call', 'leaky', 'echo', 'text=hi'], 'hi'],
  ])('%j works', async (line, shown) => {
    using machine = openMachine({ [USER_FILE]: { mcpServers: { leaky } } })
    const ran = await machine.run(line)
    expectNoSecret(ran)
    expect(ran.code, ran.stderr).toBe(0)
    expect(ran.stdout).toContain(shown)
  })

  test('is in no log', async () => {
    using machine = openMachine({ [USER_FILE]: { mcpServers: { leaky } } })
    await machine.run(['call', 'leaky', 'echo', 'text=hi'])
    const ran = await machine.run(['logs', 'leaky'])
    expectNoSecret(ran)
    expect(ran.stdout).toContain('starting with token ‹secret›')
  })

  test('a gateway in the background starts, and serves it', async () => {
    await using daemon = openDaemonMachine({ leaky })
    const { machine } = daemon
    expect(await machine.run(['serve', '--daemon'])).toMatchObject({ code: 0 })
    expect(await machine.run(['call', 'leaky', 'echo', 'text=hi'])).toMatchObject({ code: 0, stdout: 'hi\n' })
    const { servers } = await daemon.status()
    expect(new Set(servers.map(({ name, state }) => `${name}: ${state}`))).toEqual(new Set(['leaky: ready']))
  })

  test('a host of the library gets its board, and its stderr stays clean', async () => {
    using machine = openMachine({ [USER_FILE]: { mcpServers: { leaky } } })
    const ran = await runHost(machine)
    expectNoSecret(ran)
    expect(ran).toMatchObject({ code: 0, stdout: 'ready\n', stderr: '' })
  })

  test('a server that fails with it in its last words is a problem without it', async () => {
    const script = 'console.error(`no ${process.env.API_TOKEN} here`); process.exit(3)'
    const broken = { command: process.execPath, args: ['-e', script], env: { API_TOKEN: LONG } }
    using machine = openMachine({ [USER_FILE]: { mcpServers: { broken } } })
    const ran = await machine.run(['test', 'broken'])
    expectNoSecret(ran)
    expect(ran.code).toBe(1)
    expect(ran.stdout + ran.stderr).toContain('no ‹secret› here')
    expect(await runHost(machine)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^(?:waiting|failed)\n$/),
    })
  })
})

test('a secret of 20 KB in a header reaches its server', async () => {
  const token = LONG.slice(0, 20_000)
  const seen: (string | undefined)[] = []
  await using remote = await serve(
    (request) => {
      seen.push(request.headers.authorization)
      answerLegacy(request, { 'tools/list': () => ({ tools: [] }) })
    },
    { maxHeaderSize: 64 * 1024 },
  )
  const entry = { type: 'http', url: remote.url, headers: { Authorization: `Bearer ${token}` } }
  using machine = openMachine({ [USER_FILE]: { mcpServers: { remote: entry } } })
  const ran = await machine.run(['test', 'remote'])
  expectNoSecret(ran)
  expect(ran.code, ran.stderr).toBe(0)
  expect(new Set(seen)).toEqual(new Set([`Bearer ${token}`]))
})

test.each([
  ['a bare token', (token: string) => token],
  ['the answer of a token endpoint', (token: string) => JSON.stringify({ access_token: token })],
  [
    'a refresh token',
    (token: string) =>
      JSON.stringify({
        access_token: 'a',
        refresh_token: token,
        client_id: 'c',
        token_endpoint: 'https://x.test/',
      }),
  ],
])('a token of more than 16 KB is not taken: %s', async (_, write) => {
  const entry = { type: 'http', url: 'http://127.0.0.1:9/mcp' }
  using machine = openMachine({ [USER_FILE]: { mcpServers: { remote: entry } } })
  const ran = await machine.run(['login', 'remote', '--token-file', '-'], { input: write(LONG) })
  expectNoSecret(ran)
  expect(ran.code).toBe(2)
  expect(ran.stderr).toContain('error: the token was not taken: it is longer than 16 KB')
  const input = write(LONG.slice(0, 15_000))
  const small = await machine.run(['login', 'remote', '--token-file', '-'], { input })
  // Nothing listens there.
  expect(small.stderr).toContain('the sign-in is kept')
})

test('a host whose own source of credentials throws gets its board, and an error without its token', async () => {
  using machine = openMachine({
    [USER_FILE]: { mcpServers: { remote: { type: 'http', url: 'http://127.0.0.1:9/mcp' } } },
  })
  // Asked once for whom the server is, and again when it cannot be reached.
  const credentials = `(() => {
  let asked = 0
  const account = () => {
    if (asked++ > 0) throw new Error('no account for api_key=hush4711hush')
  }
  return { find: async () => undefined, account }
})()`
  const ran = await runHost(machine, { options: `credentials: ${credentials}`, show: 'connection' })
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(ran.stdout)).toMatchObject({
    state: 'failed',
    problem: { code: 'connect/bug', notes: ['no account for api_key=‹secret›'] },
  })
})

/** What a host says of its one server once the board is open. */
function runHost(
  machine: Machine,
  { options = '', show = 'connection.state' }: { readonly options?: string; readonly show?: string } = {},
): Promise<Ran> {
  const library = pathToFileURL(join(DIST, 'index.js')).href
  const script = `import { openPlugboard } from ${JSON.stringify(library)}
const board = await openPlugboard({ cwd: process.cwd(), ${options} })
const shown = board.snapshot().servers[0].${show}
console.log(typeof shown === 'string' ? shown : JSON.stringify(shown))
await board.close()`
  return runChild([process.execPath, '--input-type=module', '-e', script], {
    cwd: machine.project,
    env: { PATH: process.env['PATH'] ?? '', HOME: machine.home, PLUGBOARD_KEYCHAIN: 'off' },
  })
}
