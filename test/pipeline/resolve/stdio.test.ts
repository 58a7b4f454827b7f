/**
 * Servers that are started: program, arguments, folder and environment.
 */
import { describe, expect, test } from 'vitest'
import { Secret } from '../../../src/base/secret.ts'
import type { CredentialRequest, LaunchSpec } from '../../../src/model/launch.ts'
import { reveal } from '../../../src/model/launch.ts'
import { STRICT_LIMITS } from '../../../src/model/leeway.ts'
import type { MemoryOptions } from '../../worlds/memory.ts'
import { codesOf, envOf, launchIn, secretsOf, worldWith } from './launching.ts'

async function launch(
  entry: Readonly<Record<string, unknown>>,
  options: MemoryOptions = {},
): Promise<LaunchSpec> {
  return launchIn(worldWith('ours', { command: 'npx', ...entry }, options))
}

function stdioOf({ transport }: LaunchSpec): Extract<LaunchSpec['transport'], { kind: 'stdio' }> {
  if (transport.kind !== 'stdio') throw new Error(`${transport.kind} is not stdio`)
  return transport
}

test('a plain entry becomes a launch of plain strings, with the defaults', async () => {
  expect(await launch({ args: ['-y', '@acme/files@1.2.3'], env: { MODE: 'fast' } })).toEqual({
    name: 'shop',
    transport: {
      kind: 'stdio',
      command: 'npx',
      args: ['-y', '@acme/files@1.2.3'],
      env: new Map([['MODE', 'fast']]),
      cwd: '/src/shop',
    },
    protocol: 'auto',
    timeoutMs: 60_000,
    startupTimeoutMs: 30_000,
    secrets: [],
    problems: [],
  })
})

test('what the entry says goes before what the host says, and that before the defaults', async () => {
  const world = worldWith('ours', { command: 'npx', timeout: 0, protocol: 'legacy' })
  const { timeoutMs, startupTimeoutMs, protocol } = await launchIn(world, {
    defaults: { timeoutMs: 5, startupTimeoutMs: 7 },
  })
  expect({ timeoutMs, startupTimeoutMs, protocol }).toEqual({
    timeoutMs: 0,
    startupTimeoutMs: 7,
    protocol: 'legacy',
  })
})

describe('where', () => {
  test.each([
    ['nothing', undefined, '/src/shop'],
    ['a relative folder', 'tools', '/src/shop/tools'],
    ['a folder below the home', '~/tools', '/home/ada/tools'],
    ['the home', '~', '/home/ada'],
    ['a variable', '${TOOLS}/x', '/opt/tools/x'],
  ])('an entry that says %s starts in %s: %s', async (_, cwd, expected) => {
    const made = await launch(cwd === undefined ? {} : { cwd }, { env: { TOOLS: '/opt/tools' } })
    expect(stdioOf(made).cwd).toBe(expected)
  })

  test('without a project it is the working directory', async () => {
    const world = worldWith('ours', { command: 'npx' }, { cwd: '/elsewhere' })
    expect(stdioOf(await launchIn(world, { project: undefined })).cwd).toBe('/elsewhere')
  })

  test.each([
    ['a name', { command: 'node' }, 'node'],
    ['a relative path', { command: './run.sh' }, '/src/shop/run.sh'],
    ['a relative path and a folder', { command: './run.sh', cwd: 'tools' }, '/src/shop/tools/run.sh'],
    ['a path below the home', { command: '~/bin/run' }, '/home/ada/bin/run'],
    ['an absolute path', { command: '/opt/run' }, '/opt/run'],
  ])('%s as the command leads where it was approved to lead', async (_, entry, expected) => {
    expect(reveal(stdioOf(await launch(entry)).command)).toBe(expected)
  })
})

describe('the environment of a child', () => {
  const passed = {
    PATH: '/bin',
    HOME: '/home/ada',
    USER: 'ada',
    LOGNAME: 'ada',
    SHELL: '/bin/sh',
    LANG: 'C',
    LC_ALL: 'C',
    TZ: 'UTC',
    TERM: 'dumb',
    TMPDIR: '/tmp',
    XDG_RUNTIME_DIR: '/run/1',
    SSH_AUTH_SOCK: '/run/ssh',
    http_proxy: 'http://p:1',
    HTTPS_PROXY: 'http://p:1',
    no_proxy: 'a',
    ALL_PROXY: 'http://p:1',
    SSL_CERT_FILE: '/c',
    SSL_CERT_DIR: '/d',
    NODE_EXTRA_CA_CERTS: '/e',
    REQUESTS_CA_BUNDLE: '/f',
    CURL_CA_BUNDLE: '/g',
  }
  const env = {
    ...passed,
    GITHUB_TOKEN: 'ghp_none_of_its_business',
    EDITOR: 'vi',
    Path: '/no',
    LC_TIME: '() { :; }',
  }

  test('is the list, and nothing else', async () => {
    const made = await launch({}, { env })
    expect(envOf(made)).toEqual(passed)
    expect(made.secrets).toEqual([])
  })

  test('is everything with `inheritEnv`, and the secrets among it are known as such', async () => {
    const made = await launch({ inheritEnv: true, env: { EDITOR: 'ed' } }, { env })
    expect(envOf(made)).toEqual({ ...env, EDITOR: 'ed' })
    expect(secretsOf(made)).toEqual(['ghp_none_of_its_business'])
  })

  test('a proxy with a password is passed on, and kept out of logs', async () => {
    const proxy = 'http://ada:hunter2@proxy:3128'
    const made = await launch({}, { env: { https_proxy: proxy } })
    expect(envOf(made)).toEqual({ https_proxy: proxy })
    expect(secretsOf(made)).toEqual([proxy, 'hunter2'])
  })

  test('on Windows names have no case, and `env` replaces whichever spelling is there', async () => {
    const world = worldWith(
      'ours',
      { command: 'npx' },
      {
        platform: 'win32',
        env: {
          Path: 'C:\\bin',
          SystemRoot: 'C:\\Windows',
          windir: 'C:\\Windows',
          ProgramData: 'C:\\ProgramData',
          'ProgramFiles(x86)': 'C:\\x86',
          Http_Proxy: 'http://p:1',
          SHELL: 'sh',
          SECRET: 'nothing-for-you',
        },
      },
    )
    const file = 'C:\\Users\\ada\\.config\\plugboard\\mcp.json'
    const text = JSON.stringify({ mcpServers: { shop: { command: 'node', env: { PATH: 'D:\\bin' } } } })
    const made = await launchIn({
      ...world,
      files: {
        ...world.files,
        read: (path) => (path === file ? { kind: 'text', text } : { kind: 'missing' }),
      },
    })
    expect(envOf(made)).toEqual({
      SystemRoot: 'C:\\Windows',
      windir: 'C:\\Windows',
      ProgramData: 'C:\\ProgramData',
      'ProgramFiles(x86)': 'C:\\x86',
      Http_Proxy: 'http://p:1',
      PATH: 'D:\\bin',
    })
  })

  test('a value with a NUL is left out: no process can be given one', async () => {
    const made = await launch({ env: { A: 'x\0y', B: 'z' } })
    expect(envOf(made)).toEqual({ B: 'z' })
    expect(codesOf(made)).toEqual(['resolve/bad-variable'])
  })
})

describe('envFile', () => {
  test("gives variables that win over the user's and lose to `env`", async () => {
    const made = await launch(
      { envFile: 'shop.env', env: { B: 'entry' } },
      {
        env: { PATH: '/bin', TZ: 'UTC' },
        files: { '/src/shop/shop.env': 'TZ=CET\nA=file\nB=file\nAPI_KEY=k-12345\n' },
      },
    )
    expect(envOf(made)).toEqual({ PATH: '/bin', TZ: 'CET', A: 'file', API_KEY: 'k-12345', B: 'entry' })
    expect(secretsOf(made)).toEqual(['k-12345'])
    expect(stdioOf(made).env.get('A')).toBeInstanceOf(Secret)
  })

  test('below the home is found there', async () => {
    const made = await launch({ envFile: '~/shop.env' }, { files: { '/home/ada/shop.env': 'A=1' } })
    expect(envOf(made)).toEqual({ A: '1' })
  })

  test('that cannot be read is reported', async () => {
    const made = await launch({ envFile: 'shop.env' })
    expect(made.problems).toMatchObject([
      {
        code: 'resolve/env-file',
        message: '`/src/shop/shop.env` cannot be read, and server `shop` needs it for `envFile`',
        notes: ['there is no such file', 'no variable was taken from it'],
        where: { line: 5, server: 'shop' },
      },
    ])
  })

  test('with lines that are none says which, and gives the others', async () => {
    const made = await launch({ envFile: 'x.env' }, { files: { '/src/shop/x.env': 'A=1\nnonsense\nB=2' } })
    expect(envOf(made)).toEqual({ A: '1', B: '2' })
    expect(made.problems).toMatchObject([
      {
        code: 'resolve/env-file-line',
        message: 'line 2 of `/src/shop/x.env` cannot be read as `NAME=value`',
      },
    ])
  })
})

describe('a credential', () => {
  const asked: CredentialRequest[] = []
  const store = (
    answer: Secret | undefined,
  ): { find(request: CredentialRequest): Promise<Secret | undefined> } => ({
    find: async (request) => {
      asked.push(request)
      return answer
    },
  })

  test('becomes `OAUTH_ACCESS_TOKEN` of a server that asks for one', async () => {
    asked.length = 0
    const world = worldWith('ours', { command: 'npx', auth: { type: 'oauth', credentialId: 'work' } })
    const made = await launchIn(world, { credentials: store(new Secret('tok-1')) })
    expect(asked).toEqual([{ server: 'shop', credentialId: 'work', leeway: STRICT_LIMITS }])
    expect(envOf(made)).toEqual({ OAUTH_ACCESS_TOKEN: 'tok-1' })
    expect(secretsOf(made)).toEqual(['tok-1'])
  })

  test('is not asked for by one that does not, or that has the variable', async () => {
    asked.length = 0
    const credentials = store(new Secret('tok-1'))
    expect(envOf(await launchIn(worldWith('ours', { command: 'npx' }), { credentials }))).toEqual({})
    const own = { command: 'npx', auth: { type: 'oauth' }, env: { OAUTH_ACCESS_TOKEN: 'mine' } }
    expect(envOf(await launchIn(worldWith('ours', own), { credentials }))).toEqual({
      OAUTH_ACCESS_TOKEN: 'mine',
    })
    expect(asked).toEqual([])
  })

  test('that is named and not there is a warning', async () => {
    const world = worldWith('ours', { command: 'npx', auth: { type: 'oauth', credentialId: 'work' } })
    const made = await launchIn(world, { credentials: store(undefined) })
    expect(made.problems).toMatchObject([
      {
        code: 'resolve/no-credential',
        severity: 'warning',
        message: 'server `shop` asks for the credential `work`, and there is none',
        hints: ['run `plugboard login --credential work shop`'],
      },
    ])
  })
})
