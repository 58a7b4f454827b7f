/**
 * What the files of xcsh, x-code, agent-code, goose, Crush, Agent Plugins and connectors come to mean.
 */
import { describe, expect, test } from 'vitest'
import { createDocument, findMember, locate } from '../../../src/model/document.ts'
import type { DialectId, FoundEntry, NormalizedEntry } from '../../../src/model/entry.ts'
import type { Problem } from '../../../src/model/problem.ts'
import { parseText, type Format } from '../../../src/pipeline/discover/formats/parse-text.ts'
import { normalize } from '../../../src/pipeline/normalize/normalize.ts'

const VARIABLES = { PLUGIN_ROOT: '/plugins/p', PLUGIN_DATA: '/state/plugins/p' }

/** The entry `s` of a file that holds nothing else. */
async function found(dialect: DialectId, text: string, format: Format = 'json'): Promise<FoundEntry> {
  const parsed = await parseText(text, format)
  if (parsed.kind === 'fault') throw new Error(parsed.message)
  const document = createDocument(`/home/ada/file.${format}`, text, parsed.root)
  const member = findMember(document.root, 's')!
  return {
    name: 's',
    origin: {
      file: document.file,
      ...locate(document.lineStarts, member.keyStart),
      source: dialect === 'agent-code' ? dialect : 'plugboard',
      scope: 'user',
    },
    rank: 0,
    reach: 'user',
    dialect,
    document,
    node: member.value,
    variables: dialect === 'agent-plugins' ? VARIABLES : {},
    baseDir: '/home/ada',
  }
}

const ENV = { HOME: '/home/ada', TOKEN: 'secret' }

/** What is read from an entry, as far as it does not repeat the entry. */
async function read(dialect: DialectId, entry: string | object, format: Format = 'json'): Promise<object> {
  const text = typeof entry === 'string' ? entry : JSON.stringify({ s: entry })
  const normalized = normalize(await found(dialect, text, format), { env: ENV, platform: 'linux' })
  const { found: _, warnings, ...reading } = normalized
  return {
    ...summarize(reading as NormalizedEntry),
    ...(warnings.length > 0 && { warnings: lines(warnings) }),
  }
}

function summarize(reading: NormalizedEntry): object {
  if (reading.kind === 'invalid') return { invalid: lines(reading.problems) }
  if (reading.kind === 'unsupported') return { unsupported: reading.problem.message }
  const { definition, off } = reading
  return { definition, ...(off !== undefined && { off: off.reason }) }
}

function lines(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ message }) => message)
}

const STDIO = { type: 'stdio', args: [], env: new Map() }
const HTTP = { type: 'http', headers: new Map(), fallback: 'none' }

describe('xcsh and oh-my-pi', () => {
  test('one `timeout` is the limit for connecting and for requests', async () => {
    expect(await read('xcsh', { command: 'npx', timeout: 5000 })).toEqual({
      definition: {
        name: 's',
        transport: { ...STDIO, command: ['npx'] },
        values: 'resolvable',
        timeoutMs: 5000,
        startupTimeoutMs: 5000,
      },
    })
  })

  test('`requestIdFormat` is named as not used', async () => {
    expect(await read('xcsh', { type: 'http', url: 'https://a.example', requestIdFormat: 'string' })).toEqual(
      {
        definition: {
          name: 's',
          transport: { ...HTTP, url: ['https://a.example'] },
          values: 'resolvable',
        },
        warnings: ['`requestIdFormat` is not used: it has no counterpart in Plugboard'],
      },
    )
  })
})

describe('x-code', () => {
  test('reads milliseconds, and variables with defaults', async () => {
    const entry = {
      command: 'node',
      args: ['${FILE:-a.js}'],
      cwd: '/w',
      env: { A: '${TOKEN}' },
      timeout: 900,
    }
    expect(await read('x-code', { ...entry, enabled: false })).toEqual({
      definition: {
        name: 's',
        transport: {
          type: 'stdio',
          command: ['node'],
          args: [[{ kind: 'env', name: 'FILE', fallback: 'a.js' }]],
          env: new Map([['A', [{ kind: 'env', name: 'TOKEN' }]]]),
          cwd: ['/w'],
        },
        values: 'literal',
        timeoutMs: 900,
      },
      off: '`enabled` says so',
    })
  })

  test('a field that x-code does not know makes the entry invalid', async () => {
    expect(await read('x-code', { command: 'node', description: 'x' })).toEqual({
      invalid: ['`description` is not a field of this format'],
    })
  })
})

describe('agent-code', () => {
  test('a `url` is http, with SSE to fall back to', async () => {
    expect(await read('agent-code', '[s]\nurl = "http://localhost:8080"\n', 'toml')).toEqual({
      definition: {
        name: 's',
        transport: { ...HTTP, url: ['http://localhost:8080'], fallback: 'sse' },
        values: 'literal',
      },
    })
  })

  test('reads a command from a table, and names what it has no use for', async () => {
    const text = '[s]\ncommand = "npx"\nargs = ["-y", "pkg"]\nenv = { T = "ghp" }\ntimeout = 5\n'
    expect(await read('agent-code', text, 'toml')).toEqual({
      definition: {
        name: 's',
        transport: {
          type: 'stdio',
          command: ['npx'],
          args: [['-y'], ['pkg']],
          env: new Map([['T', ['ghp']]]),
        },
        values: 'literal',
      },
      warnings: ['`timeout` is not used: agent-code has no such field'],
    })
  })
})

describe('goose', () => {
  test('reads its own names, seconds, and variables from its keyring', async () => {
    const text = `s:
  type: stdio
  name: GitHub
  display_name: GitHub
  bundled: null
  description: issues
  enabled: true
  cmd: npx
  args: [-y, pkg, 1]
  envs: { LEVEL: $HOME/x }
  env_keys: [TOKEN, GITHUB_TOKEN]
  timeout: 300
  available_tools: [search]
`
    expect(await read('goose', text, 'yaml')).toEqual({
      definition: {
        name: 's',
        transport: {
          type: 'stdio',
          command: ['npx'],
          args: [['-y'], ['pkg'], ['1']],
          env: new Map([
            ['LEVEL', [{ kind: 'env', name: 'HOME' }, '/x']],
            ['TOKEN', [{ kind: 'env', name: 'TOKEN' }]],
            ['GITHUB_TOKEN', [{ kind: 'env', name: 'GITHUB_TOKEN' }]],
          ]),
        },
        values: 'literal',
        timeoutMs: 300_000,
        includeTools: ['search'],
        description: 'issues',
      },
      warnings: ['`GITHUB_TOKEN` is not set, and server `s` needs it for `env_keys`'],
    })
  })

  test('puts the `envs` of a remote server into its `uri` and `headers`; no list of tools means all', async () => {
    const text = `s:
  type: streamable_http
  uri: https://\${TENANT}.example/mcp
  headers: { Authorization: Bearer $TOKEN, X-Tenant: $TENANT }
  envs: { TENANT: acme }
  env_keys: [TOKEN]
  socket: null
  timeout: null
  available_tools: []
`
    expect(await read('goose', text, 'yaml')).toEqual({
      definition: {
        name: 's',
        transport: {
          ...HTTP,
          url: ['https://acme.example/mcp'],
          headers: new Map<string, unknown>([
            ['Authorization', ['Bearer ', { kind: 'env', name: 'TOKEN' }]],
            ['X-Tenant', ['acme']],
          ]),
        },
        values: 'literal',
      },
    })
  })

  test('keeps `sse`, which goose itself gave up', async () => {
    expect(await read('goose', 's: { type: sse, uri: https://a.example/sse }', 'yaml')).toEqual({
      definition: {
        name: 's',
        transport: { ...HTTP, type: 'sse', url: ['https://a.example/sse'] },
        values: 'literal',
      },
    })
  })

  test.each(['builtin', 'platform', 'frontend', 'inline_python'])(
    'an extension of type `%s` is a part of goose and no server of ours',
    async (type) => {
      expect(
        await read('goose', `s: { type: ${type}, name: dev, enabled: true, timeout: 300 }`, 'yaml'),
      ).toEqual({
        unsupported: `an extension of type \`${type}\` runs inside goose and cannot be reached from outside`,
      })
    },
  )

  test('a Unix socket is unsupported', async () => {
    const text = "s: { type: streamable_http, uri: http://localhost/mcp, socket: '@mcp' }"
    expect(await read('goose', text, 'yaml')).toEqual({
      unsupported: 'this server is reached through a Unix socket, which Plugboard cannot do',
    })
  })
})

describe('crush', () => {
  test('reads seconds until connected, filters, and its flat OAuth fields', async () => {
    const entry = {
      type: 'http',
      url: 'https://a.example/mcp',
      timeout: 15,
      disabled: true,
      enabled_tools: ['a'],
      disabled_tools: ['b'],
      oauth: true,
      oauth_client_id: '$TOKEN',
      oauth_callback_port: 8123,
      oauth_token: { access_token: 'never read' },
    }
    expect(await read('crush', entry)).toEqual({
      definition: {
        name: 's',
        transport: {
          ...HTTP,
          url: ['https://a.example/mcp'],
          oauth: { clientId: [{ kind: 'env', name: 'TOKEN' }], callbackPort: 8123 },
        },
        values: 'literal',
        startupTimeoutMs: 15_000,
        includeTools: ['a'],
        excludeTools: ['b'],
      },
      off: '`disabled` says so',
    })
  })

  test('shell code in a value is kept as text and never run', async () => {
    const entry = { type: 'sse', url: 'https://a.example', headers: { Authorization: 'Bearer $(op read x)' } }
    expect(await read('crush', { ...entry, oauth: false })).toEqual({
      definition: {
        name: 's',
        transport: {
          ...HTTP,
          type: 'sse',
          url: ['https://a.example'],
          headers: new Map([['Authorization', ['Bearer ', { kind: 'command', text: 'op read x' }]]]),
          oauth: { isOff: true },
        },
        values: 'literal',
      },
      warnings: [
        "`headers.Authorization` holds shell code, which Plugboard never runs from another agent's file",
      ],
    })
  })

  test('a bad `oauth` is a warning, an unknown `type` is not', async () => {
    expect(await read('crush', { type: 'grpc', url: 'https://a.example', oauth: 'yes' })).toEqual({
      invalid: ['unknown `type`: `grpc`'],
      warnings: ['`oauth` must be `true` or `false`; the default is used'],
    })
  })
})

describe('agent-plugins', () => {
  test('a process knows its two folders and starts in the first', async () => {
    const entry = { env: { DB: '${PLUGIN_DATA}/db' }, type: 'stdio', command: './bin/server' }
    expect(await read('agent-plugins', { ...entry, args: ['--root=${PLUGIN_ROOT}', '${HOME}'] })).toEqual({
      definition: {
        name: 's',
        transport: {
          type: 'stdio',
          command: ['./bin/server'],
          args: [['--root=/plugins/p'], [{ kind: 'env', name: 'HOME' }]],
          env: new Map([
            ['DB', ['/state/plugins/p/db']],
            ['PLUGIN_ROOT', ['/plugins/p']],
            ['PLUGIN_DATA', ['/state/plugins/p']],
          ]),
          cwd: ['/plugins/p'],
        },
        values: 'literal',
      },
    })
  })

  test.each(['${PLUGIN_DATA}', './sub', '${PLUGIN_ROOT}/sub'])('may start in `%s`', async (cwd) => {
    expect(await read('agent-plugins', { type: 'stdio', command: 'node', cwd })).not.toHaveProperty('invalid')
  })

  test('a header of the client is left out and named', async () => {
    const headers = { 'X-Tenant': 'a', authorization: 'Bearer x' }
    expect(
      await read('agent-plugins', { type: 'streamable-http', url: 'https://a.example', headers }),
    ).toEqual({
      definition: {
        name: 's',
        transport: { ...HTTP, url: ['https://a.example'], headers: new Map([['X-Tenant', ['a']]]) },
        values: 'literal',
      },
      warnings: ['`headers.authorization` is not used: a plugin cannot set this header'],
    })
  })

  const TYPES = '`stdio`, `streamable-http`, `sse`'
  const COMMAND = '`command` must be a bare name, or a path inside the plugin that begins with `./`'
  const CWD =
    '`cwd` must begin with `./`, `${PLUGIN_ROOT}` or `${PLUGIN_DATA}`, and must not lead out of there'

  test.each<[object, string]>([
    [{ command: 'node' }, 'this format requires `type`'],
    [
      { type: 'http', url: 'https://a.example' },
      `\`type\` is \`http\`, and this format allows only ${TYPES}`,
    ],
    [
      { type: 'grpc', url: 'https://a.example' },
      `\`type\` is \`grpc\`, and this format allows only ${TYPES}`,
    ],
    [{ type: 'stdio' }, 'a server of type `stdio` needs `command`'],
    [{ type: 'stdio', command: '/bin/sh' }, COMMAND],
    [{ type: 'stdio', command: '../sh' }, COMMAND],
    [{ type: 'stdio', command: './a/../../sh' }, COMMAND],
    [{ type: 'stdio', command: '.\\sh.cmd' }, COMMAND],
    [{ type: 'stdio', command: 'C:sh' }, COMMAND],
    [{ type: 'stdio', command: '${PLUGIN_ROOT}/sh' }, COMMAND],
    [{ type: 'stdio', command: 'node', cwd: '/tmp' }, CWD],
    [{ type: 'stdio', command: 'node', cwd: '${PLUGIN_DATA}/..' }, CWD],
    [{ type: 'stdio', command: 'node', timeout: 1 }, '`timeout` is not a field of this format'],
    [{ type: 'stdio', command: 'node', headers: {} }, '`headers` is not a field of a server of type `stdio`'],
    [
      { type: 'stdio', command: 'node', env: { PLUGIN_ROOT: '/' } },
      '`PLUGIN_ROOT` is set for every plugin and must not stand in `env`',
    ],
    [
      { type: 'sse', url: 'https://a.example', headers: { 'X-A': '1', 'x-a': '2' } },
      'the header `x-a` is written twice',
    ],
    [{ type: 'sse', url: 'http://a.example' }, '`url` must begin with `https://`, except on this machine'],
    [{ type: 'sse', url: 'https://u:p@a.example' }, '`url` must not hold a user name or password'],
    [{ type: 'sse', url: 'https://a.example/#x' }, '`url` must not have a fragment'],
  ])('%j is invalid', async (entry, problem) => {
    expect(await read('agent-plugins', entry)).toEqual({ invalid: [problem] })
  })

  test.each(['http://localhost:3000/mcp', 'http://127.0.0.1/mcp', 'http://[::1]:8080/mcp'])(
    '`%s` needs no https',
    async (url) => {
      expect(await read('agent-plugins', { type: 'sse', url })).not.toHaveProperty('invalid')
    },
  )
})

describe('connector', () => {
  test('declares servers to reach', async () => {
    const entry = {
      type: 'streamable-http',
      url: 'https://a.example/mcp',
      headers: { 'X-Team': 'a' },
      oauth: { clientId: 'c', scopes: ['read'] },
      description: 'tickets',
      timeout: 1000,
      enabled: false,
    }
    expect(await read('connector', entry)).toEqual({
      definition: {
        name: 's',
        transport: {
          ...HTTP,
          url: ['https://a.example/mcp'],
          headers: new Map([['X-Team', ['a']]]),
          oauth: { clientId: ['c'], scopes: ['read'] },
        },
        values: 'literal',
        timeoutMs: 1000,
        description: 'tickets',
      },
      off: '`enabled` says so',
    })
  })

  test.each(['command', 'args', 'env', 'envFile', 'cwd', 'headersHelper'])(
    'an entry with `%s` is invalid, because a connector may not run commands',
    async (field) => {
      expect(await read('connector', { type: 'http', url: 'https://a.example', [field]: 'x' })).toEqual({
        invalid: [`\`${field}\` is not allowed here: a connector may not run commands`],
      })
    },
  )

  test('a header that would run a command makes the entry invalid', async () => {
    const headers = { Authorization: '!cat ~/.ssh/id_rsa' }
    expect(await read('connector', { url: 'https://a.example', headers })).toEqual({
      invalid: ['`headers.Authorization` is not allowed here: a connector may not run commands'],
    })
  })

  test.each(['stdio', 'sdk', 'ws-ide'])('a server of type `%s` is invalid', async (type) => {
    expect(await read('connector', { type, url: 'https://a.example' })).toEqual({
      invalid: [
        `\`type\` is \`${type}\`, and this format allows only \`http\`, \`streamable-http\`, ` +
          '`streamableHttp`, `streamable_http`, `remote`, `sse`, `ws`, `claudeai-proxy`',
      ],
    })
  })
})

describe('how to sign in without anybody', () => {
  const oauth = {
    issuer: 'https://login.test',
    clientMetadataUrl: 'https://us.test/client.json',
    grantType: 'jwt_bearer',
    privateKeyFile: '~/key.pem',
    signingAlgorithm: 'RS256',
    assertionFile: '/run/token',
    idTokenFile: '~/id',
    idpIssuer: 'https://idp.test',
    idpClientId: 'us',
    dangerouslyAllowHttp: true,
  }

  test('is read from our own files', async () => {
    expect(await read('plugboard', { type: 'http', url: 'https://a.test/', oauth })).toMatchObject({
      definition: {
        transport: {
          oauth: {
            ...oauth,
            privateKeyFile: ['~/key.pem'],
            assertionFile: ['/run/token'],
            idTokenFile: ['~/id'],
            idpClientId: ['us'],
          },
        },
      },
    })
  })

  test('is not for lists that somebody else hosts: they could have any file of this machine sent anywhere', async () => {
    const { definition, warnings } = (await read('connector', {
      type: 'http',
      url: 'https://a.test/',
      oauth,
    })) as { readonly definition: { readonly transport: object }; readonly warnings: readonly string[] }
    expect(definition.transport).toMatchObject({
      oauth: { issuer: 'https://login.test', clientMetadataUrl: 'https://us.test/client.json' },
    })
    expect(Object.keys((definition.transport as { oauth: object }).oauth)).toHaveLength(2)
    expect(warnings).toHaveLength(8)
  })

  test('a grant that is none, and a switch that is not one, are reported', async () => {
    const entry = {
      type: 'http',
      url: 'https://a.test/',
      oauth: { grantType: 'password', dangerouslyAllowHttp: 'yes' },
    }
    expect(((await read('plugboard', entry)) as { readonly warnings: object }).warnings).toHaveLength(2)
  })
})
