/**
 * What the files of Gemini CLI, opencode, Copilot CLI, Windsurf, VS Code and Cline come to mean.
 */
import { describe, expect, test } from 'vitest'
import { createDocument, findAt } from '../../../src/model/document.ts'
import type { DialectId, FoundEntry } from '../../../src/model/entry.ts'
import { SOURCES_HIGH_TO_LOW } from '../../../src/model/origin.ts'
import { parseText } from '../../../src/pipeline/discover/formats/parse-text.ts'
import { normalize, type Surroundings } from '../../../src/pipeline/normalize/normalize.ts'

interface Case extends Partial<Surroundings> {
  readonly under?: readonly string[]
  readonly variables?: FoundEntry['variables']
}

/** The server `one` of a file, read: everything but the entry itself, problems by their messages. */
async function readFile(dialect: DialectId, text: string, options: Case = {}) {
  const { under = ['mcpServers'], variables = {}, platform = 'linux', env = { TOKEN: 'secret' } } = options
  const parsed = await parseText(text, 'json')
  if (parsed.kind === 'fault') throw new Error(parsed.message)
  const document = createDocument('/home/ann/file.json', text, parsed.root)
  const source = SOURCES_HIGH_TO_LOW.find((id) => id === dialect)!
  const {
    found: _,
    warnings,
    ...reading
  } = normalize(
    {
      name: 'one',
      origin: { file: document.file, line: 1, column: 1, source, scope: 'user' },
      rank: 0,
      reach: 'user',
      dialect,
      document,
      node: findAt(parsed.root, [...under, 'one'])!,
      variables,
      baseDir: '/src',
    },
    { platform, env },
  )
  const problems = reading.kind === 'invalid' ? reading.problems.map(({ message }) => message) : undefined
  return {
    ...reading,
    ...(problems === undefined ? {} : { problems }),
    warnings: warnings.map(({ message }) => message),
  }
}

const readEntry = (dialect: DialectId, entry: object, options: Case = {}) =>
  readFile(dialect, JSON.stringify({ mcpServers: { one: entry } }), options)

const TOKEN = { kind: 'env', name: 'TOKEN' }

describe('gemini', () => {
  test('`httpUrl` is HTTP without fallback, limits are milliseconds, tools are filtered', async () => {
    const entry = {
      httpUrl: 'https://example.com/mcp',
      headers: { Authorization: 'Bearer $TOKEN' },
      timeout: 1500,
      description: 'An example',
      includeTools: ['read_*'],
      excludeTools: ['read_all'],
      oauth: { enabled: true, clientId: 'id', scopes: ['a', 'b'], tokenUrl: 'https://example.com/token' },
    }
    expect(await readEntry('gemini', entry)).toEqual({
      kind: 'definition',
      definition: {
        name: 'one',
        transport: {
          type: 'http',
          url: ['https://example.com/mcp'],
          headers: new Map([['Authorization', ['Bearer ', TOKEN]]]),
          fallback: 'none',
          oauth: { clientId: ['id'], scopes: ['a', 'b'], tokenUrl: 'https://example.com/token' },
        },
        timeoutMs: 1500,
        description: 'An example',
        includeTools: ['read_*'],
        excludeTools: ['read_all'],
        values: 'literal',
      },
      warnings: [],
    })
  })

  test('`url` alone may fall back to SSE, and `tcp` is a WebSocket', async () => {
    const http = { type: 'http', url: ['https://example.com'], headers: new Map(), fallback: 'sse' }
    expect(await readEntry('gemini', { url: 'https://example.com' })).toMatchObject({
      definition: { transport: http },
    })
    expect(await readEntry('gemini', { tcp: 'ws://localhost:9000' })).toMatchObject({
      definition: { transport: { type: 'ws', url: ['ws://localhost:9000'], headers: new Map() } },
    })
  })

  test('`trust`, Google sign-in and an overruled `url` are reported as not used', async () => {
    const entry = {
      url: 'https://example.com/sse',
      httpUrl: 'https://example.com/mcp',
      trust: true,
      authProviderType: 'google_credentials',
    }
    expect(await readEntry('gemini', entry)).toMatchObject({
      definition: { transport: { type: 'http', url: ['https://example.com/mcp'] } },
      warnings: [
        '`url` is not used: `httpUrl` comes first',
        '`trust` is not used: trust is asked, never configured',
        '`authProviderType` is not used: it has no counterpart in Plugboard',
      ],
    })
  })

  test('`%TOKEN%` is a variable on Windows and plain text elsewhere', async () => {
    const entry = { command: 'run', env: { KEY: '%TOKEN%' } }
    const keyOn = (platform: Surroundings['platform']) => readEntry('gemini', entry, { platform })
    expect(await keyOn('win32')).toMatchObject({
      definition: { transport: { env: new Map([['KEY', [TOKEN]]]) } },
    })
    expect(await keyOn('linux')).toMatchObject({
      definition: { transport: { env: new Map([['KEY', ['%TOKEN%']]]) } },
    })
  })

  test('the words of an extension stand for its folders', async () => {
    const options = { variables: { extensionPath: '/home/ann/ext', '/': '/' } }
    expect(
      await readEntry('gemini', { command: 'node', args: ['${extensionPath}${/}run.js'] }, options),
    ).toMatchObject({
      definition: { transport: { command: ['node'], args: [['/home/ann/ext/run.js']] } },
    })
  })

  test('a broken address is named by the field that holds it', async () => {
    expect(await readEntry('gemini', { httpUrl: 'nowhere' })).toEqual({
      kind: 'invalid',
      type: 'http',
      problems: ['`httpUrl` is not a URL'],
      warnings: [],
    })
  })
})

describe('opencode', () => {
  const readConfig = (mcp: object, rest: object = {}, under: readonly string[] = ['mcp']) =>
    readFile('opencode', JSON.stringify({ mcp, ...rest }), { under })

  test('a local server has its command in one list, and one limit for starting and calling', async () => {
    const one = {
      type: 'local',
      command: ['npx', '-y', '{file:name.txt}'],
      environment: { KEY: '{env:TOKEN}' },
      enabled: true,
      timeout: 7000,
    }
    expect(await readConfig({ one })).toEqual({
      kind: 'definition',
      definition: {
        name: 'one',
        transport: {
          type: 'stdio',
          command: ['npx'],
          args: [['-y'], [{ kind: 'file', path: 'name.txt' }]],
          env: new Map([['KEY', [TOKEN]]]),
        },
        timeoutMs: 7000,
        startupTimeoutMs: 7000,
        values: 'literal',
      },
      warnings: [],
    })
  })

  test('a remote server is HTTP that may fall back to SSE, and `oauth: false` turns OAuth off', async () => {
    const one = {
      type: 'remote',
      url: 'https://example.com',
      oauth: false,
      timeout: { startup: 10, request: 20 },
    }
    expect(await readConfig({ one })).toEqual({
      kind: 'definition',
      definition: {
        name: 'one',
        transport: {
          type: 'http',
          url: ['https://example.com'],
          headers: new Map(),
          fallback: 'sse',
          oauth: { isOff: true },
        },
        timeoutMs: 20,
        startupTimeoutMs: 10,
        values: 'literal',
      },
      warnings: [],
    })
  })

  test('the limit for the whole file counts where an entry has none', async () => {
    const one = { type: 'remote', url: 'https://example.com' }
    const both = { timeoutMs: 900, startupTimeoutMs: 900 }
    expect(await readConfig({ timeout: 900, servers: { one } }, {}, ['mcp', 'servers'])).toMatchObject({
      definition: both,
    })
    expect(await readConfig({ one }, { experimental: { mcp_timeout: 900 } })).toMatchObject({
      definition: both,
    })
    const own = await readConfig({ one: { ...one, timeout: 5 } }, { experimental: { mcp_timeout: 900 } })
    expect(own).toMatchObject({ definition: { timeoutMs: 5 } })
  })

  test('`disabled` and `enabled: false` turn a server off by their own line', async () => {
    const one = { type: 'local', command: ['run'] }
    expect(await readConfig({ one: { ...one, disabled: true } })).toMatchObject({
      off: { to: 'off', reason: '`disabled` says so', by: { file: '/home/ann/file.json', line: 1 } },
    })
    expect(await readConfig({ one: { ...one, enabled: false } })).toMatchObject({
      off: { reason: '`enabled` says so' },
    })
  })

  test('`command` as a string is invalid, and `env` is not used', async () => {
    const one = { type: 'local', command: 'npx', env: { A: 'b' } }
    expect(await readConfig({ one })).toEqual({
      kind: 'invalid',
      type: 'stdio',
      problems: ['`command` must be a list of strings, but is a string'],
      warnings: ['`env` is not used: opencode has no such field'],
    })
  })
})

describe('copilot', () => {
  test('`local` is stdio, `~` is home, and a list of tools is a filter', async () => {
    const entry = {
      type: 'local',
      command: 'run',
      args: ['--key', '$TOKEN'],
      env: { KEY: '${TOKEN:-none}' },
      cwd: '~/shop',
      tools: ['get'],
      timeout: 1000,
    }
    expect(await readEntry('copilot', entry, { variables: { '~': '/home/ann' } })).toEqual({
      kind: 'definition',
      definition: {
        name: 'one',
        transport: {
          type: 'stdio',
          command: ['run'],
          args: [['--key'], [TOKEN]],
          env: new Map([['KEY', [{ ...TOKEN, fallback: 'none' }]]]),
          cwd: ['/home/ann/shop'],
        },
        timeoutMs: 1000,
        includeTools: ['get'],
        values: 'literal',
      },
      warnings: [],
    })
  })

  test('`["*"]` is every tool and `[]` is none', async () => {
    const withTools = async (tools: readonly string[]) => readEntry('copilot', { command: 'run', tools })
    const bare = {
      name: 'one',
      transport: { type: 'stdio', command: ['run'], args: [], env: new Map() },
      values: 'literal',
    }
    expect(await withTools(['*'])).toEqual({ kind: 'definition', definition: bare, warnings: [] })
    expect(await withTools([])).toEqual({
      kind: 'definition',
      definition: { ...bare, includeTools: [] },
      warnings: [],
    })
  })

  test('OAuth is gathered from the fields of the entry', async () => {
    const entry = {
      type: 'http',
      url: 'https://example.com',
      oauthClientId: 'id',
      oauthGrantType: 'client_credentials',
      auth: { redirectPort: 4000 },
      oidc: true,
    }
    expect(await readEntry('copilot', entry)).toMatchObject({
      definition: {
        transport: {
          fallback: 'none',
          oauth: { clientId: ['id'], grantType: 'client_credentials', callbackPort: 4000 },
        },
      },
      warnings: ['`oidc` is not used: Plugboard has no token of GitHub to pass on'],
    })
  })
})

describe('windsurf', () => {
  test('`serverUrl` is HTTP that may fall back to SSE, and tools are turned off by name', async () => {
    const entry = {
      serverUrl: 'https://example.com/mcp',
      headers: { Authorization: '${env:TOKEN}', 'X-Key': '${file:/home/ann/key}' },
      disabledTools: ['delete'],
      alwaysAllow: [],
      disabled: false,
    }
    expect(await readEntry('windsurf', entry)).toEqual({
      kind: 'definition',
      definition: {
        name: 'one',
        transport: {
          type: 'http',
          url: ['https://example.com/mcp'],
          headers: new Map([
            ['Authorization', [TOKEN]],
            ['X-Key', [{ kind: 'file', path: '/home/ann/key' }]],
          ]),
          fallback: 'sse',
        },
        excludeTools: ['delete'],
        values: 'literal',
      },
      warnings: [],
    })
  })

  test('permissions given there are reported as not used', async () => {
    expect(await readEntry('windsurf', { command: 'run', alwaysAllow: ['delete'] })).toMatchObject({
      kind: 'definition',
      warnings: ['`alwaysAllow` is not used: set permissions in Plugboard instead'],
    })
  })
})

describe('vscode', () => {
  const readServers = (one: object, inputs: readonly object[] = []) =>
    readFile('vscode', JSON.stringify({ servers: { one }, inputs }), {
      under: ['servers'],
      variables: { workspaceFolder: '/src/shop' },
    })

  test('a value that is declared as an input is asked for when the server connects', async () => {
    const one = {
      type: 'stdio',
      command: 'run',
      args: ['${workspaceFolder}'],
      env: { KEY: '${input:key}', PORT: 80, HOME: null },
      envFile: '${workspaceFolder}/.env',
    }
    expect(await readServers(one, [{ type: 'promptString', id: 'key' }])).toEqual({
      kind: 'definition',
      definition: {
        name: 'one',
        transport: {
          type: 'stdio',
          command: ['run'],
          args: [['/src/shop']],
          env: new Map<string, unknown>([
            ['KEY', [{ kind: 'input', id: 'key' }]],
            ['PORT', ['80']],
          ]),
          envFile: ['/src/shop/.env'],
        },
        values: 'literal',
      },
      warnings: ['`env.HOME` is not used: it has no value', 'server `one` asks for `key` when it connects'],
    })
  })

  test('an input that the file does not declare is a warning', async () => {
    const one = { command: 'run', args: ['${input:key}'] }
    expect(await readServers(one)).toMatchObject({
      kind: 'definition',
      warnings: ['`args` refers to the input `key`, which this file does not declare'],
    })
  })

  test('`http` may fall back to SSE, as it does in VS Code', async () => {
    expect(
      await readServers({ type: 'http', url: 'https://example.com', sandboxEnabled: true }),
    ).toMatchObject({
      definition: { transport: { type: 'http', fallback: 'sse' } },
      warnings: ['`sandboxEnabled` is not used: Plugboard does not put servers into a sandbox'],
    })
  })

  test('a server behind a socket or a pipe is unsupported', async () => {
    const outcomes = await Promise.all(
      ['unix:///run/one.sock#/mcp', 'pipe:///one'].map((url) => readServers({ type: 'http', url })),
    )
    expect(outcomes).toMatchObject([
      { kind: 'unsupported', type: 'http', problem: { code: 'normalize/unsupported' } },
      { kind: 'unsupported', type: 'http', problem: { code: 'normalize/unsupported' } },
    ])
  })
})

describe('cline', () => {
  test('limits are seconds, and `url` alone is SSE', async () => {
    const entry = {
      url: 'https://example.com/sse',
      timeout: 90,
      autoApprove: [],
      oauth: { tokens: { access_token: 'secret' } },
      oauthClient: { clientId: 'id', clientSecret: '${env:TOKEN}' },
    }
    expect(await readEntry('cline', entry)).toEqual({
      kind: 'definition',
      definition: {
        name: 'one',
        transport: {
          type: 'sse',
          url: ['https://example.com/sse'],
          headers: new Map(),
          fallback: 'none',
          oauth: { clientId: ['id'], clientSecret: [TOKEN] },
        },
        timeoutMs: 90_000,
        values: 'literal',
      },
      warnings: [],
    })
  })

  test('a nested `transport` reads like the flat fields', async () => {
    const connection = { type: 'stdio', command: 'run', args: ['-x'], env: { A: 'b' }, cwd: '/srv' }
    const nested = await readEntry('cline', { transport: connection, disabled: false })
    expect(nested).toEqual(await readEntry('cline', { ...connection, disabled: false }))
    expect(nested).toMatchObject({
      definition: { transport: { type: 'stdio', cwd: ['/srv'] } },
      warnings: [],
    })
  })

  test('the older `transportType` counts where `type` is missing', async () => {
    const url = 'https://example.com/mcp'
    expect(await readEntry('cline', { url, transportType: 'http' })).toMatchObject({
      definition: { transport: { type: 'http', fallback: 'none' } },
      warnings: [],
    })
    expect(await readEntry('cline', { url, type: 'streamableHttp', transportType: 'sse' })).toMatchObject({
      definition: { transport: { type: 'http' } },
      warnings: ['`transportType` is not used: `type` comes first'],
    })
  })

  test('approvals are not taken over, and a field of the wrong type is named with its path', async () => {
    const entry = { transport: { type: 'stdio', command: ['run'] }, autoApprove: ['delete'] }
    expect(await readEntry('cline', entry)).toEqual({
      kind: 'invalid',
      type: 'stdio',
      problems: ['`transport.command` must be a string, but is a list'],
      warnings: ['`autoApprove` is not used: set permissions in Plugboard instead'],
    })
  })
})
