/**
 * definition-json: what is shown of a definition, and above all what is not.
 */
import { describe, expect, test } from 'vitest'
import type { ServerDefinition, StdioTransport, Transport } from '../../src/model/definition.ts'
import type { Template } from '../../src/model/template.ts'
import { toDefinitionJson } from '../../src/runtime/definition-json.ts'

const TOKEN = { kind: 'env', name: 'TOKEN' } as const
const REGION = { kind: 'env', name: 'REGION', fallback: 'eu-1' } as const

const define = (transport: Transport, rest: Partial<ServerDefinition> = {}): ServerDefinition => ({
  name: 'it',
  values: 'literal',
  transport,
  ...rest,
})

const stdio = (rest: Partial<StdioTransport>): Transport => ({
  type: 'stdio',
  command: ['npx'],
  args: [],
  env: new Map(),
  ...rest,
})

const http = (url: Template, headers: readonly (readonly [string, Template])[] = []): Transport => ({
  type: 'http',
  url,
  headers: new Map(headers),
  fallback: 'none',
})

describe('templates', () => {
  test('are as the user wrote them, in our field names', () => {
    const transport = stdio({
      args: [['--token'], ['hunter2']],
      env: new Map([
        ['KEY', ['abc']],
        ['REGION', [REGION]],
      ]),
      cwd: ['/srv'],
    })
    const definition = define(transport, {
      timeoutMs: 5000,
      startupTimeoutMs: 0,
      required: false,
      includeTools: ['a*'],
      protocol: 'legacy',
      isolation: 'session',
    })
    expect(toDefinitionJson(definition, 'templates')).toEqual({
      type: 'stdio',
      command: 'npx',
      args: ['--token', 'hunter2'],
      env: { KEY: 'abc', REGION: '${REGION:-eu-1}' },
      cwd: '/srv',
      timeout: 5000,
      startupTimeout: 0,
      required: false,
      includeTools: ['a*'],
      protocol: 'legacy',
      isolation: 'session',
    })
  })

  test('the other types have their own fields', () => {
    const oauth = { clientId: ['id'], clientSecret: ['s'], scopes: ['read'], callbackPort: 8080 }
    expect(
      [
        define({ type: 'sse', url: ['https://x/sse'], headers: new Map(), fallback: 'none', oauth }),
        define({
          type: 'http',
          url: ['https://x'],
          headers: new Map(),
          fallback: 'sse',
          oauth: { isOff: true },
        }),
        define({
          type: 'ws-ide',
          url: ['ws://x'],
          ideName: 'VS Code',
          authToken: ['t'],
          ideRunningInWindows: true,
        }),
        define({ type: 'sdk', sdkName: 'inner' }),
        define(
          { type: 'claudeai-proxy', url: ['https://x'], id: 'p1' },
          { auth: { type: 'oauth', credentialId: 'c' } },
        ),
      ].map((definition) => toDefinitionJson(definition, 'templates')),
    ).toEqual([
      {
        type: 'sse',
        url: 'https://x/sse',
        oauth: { clientId: 'id', clientSecret: 's', scopes: ['read'], callbackPort: 8080 },
      },
      { type: 'http', url: 'https://x', oauth: false },
      { type: 'ws-ide', url: 'ws://x', ideName: 'VS Code', authToken: 't', ideRunningInWindows: true },
      { type: 'sdk', name: 'inner' },
      { type: 'claudeai-proxy', url: 'https://x', id: 'p1', auth: { type: 'oauth', credentialId: 'c' } },
    ])
  })
})

describe('masked', () => {
  const mask = (transport: Transport): unknown => toDefinitionJson(define(transport), 'masked')

  test('no literal of `env` is shown, references keep their names, and `__proto__` is a name', () => {
    const env = new Map<string, Template>([
      ['KEY', ['abc']],
      ['EMPTY', []],
      ['REF', [TOKEN]],
      ['FALLBACK', [REGION]],
      ['MIXED', ['pre-', TOKEN, ' ', REGION]],
      ['CODE', [{ kind: 'command', text: 'echo abc' }]],
      ['INPUT', [{ kind: 'input', id: 'key' }]],
      ['FILE', [{ kind: 'file', path: '~/.key' }]],
      ['__proto__', ['abc']],
    ])
    expect(JSON.stringify(mask(stdio({ env })))).toBe(
      '{"type":"stdio","command":"npx","args":[],"env":{"KEY":"‹secret›","EMPTY":"","REF":"${TOKEN}",' +
        '"FALLBACK":"${REGION:-‹secret›}","MIXED":"‹secret›${TOKEN} ${REGION:-‹secret›}","CODE":"$(‹secret›)",' +
        '"INPUT":"${input:key}","FILE":"{file:~/.key}","__proto__":"‹secret›"}}',
    )
  })

  test('a header keeps its scheme beside a reference, and nothing else', () => {
    const headers: readonly (readonly [string, Template])[] = [
      ['Authorization', ['Bearer ', TOKEN]],
      ['Literal', ['Bearer abc']],
      ['Unknown', ['hunter2 ', TOKEN]],
      ['Tail', ['Basic ', TOKEN, 'abc']],
    ]
    expect(mask(http(['https://x'], headers))).toEqual({
      type: 'http',
      url: 'https://x',
      headers: {
        Authorization: 'Bearer ${TOKEN}',
        Literal: '‹secret›',
        Unknown: '‹secret›${TOKEN}',
        Tail: 'Basic ${TOKEN}‹secret›',
      },
    })
  })

  test.each<[Template, string]>([
    [['https://me:pw@x.com/a'], 'https://me:‹secret›@x.com/a'],
    [['https://me:p@w@x.com/a'], 'https://me:‹secret›@x.com/a'],
    [['https://abc@x.com'], 'https://‹secret›@x.com'],
    [['https://me:', TOKEN, '@x.com'], 'https://me:${TOKEN}@x.com'],
    [['https://x.com/?q=1&api_key=abc#token=d'], 'https://x.com/?q=1&api_key=‹secret›#token=‹secret›'],
    [['https://x.com/?sig=a&code=b&keyword=c'], 'https://x.com/?sig=‹secret›&code=‹secret›&keyword=c'],
    [
      ['https://x.com/?access_token=a', TOKEN, 'b&x=', REGION],
      'https://x.com/?access_token=‹secret›${TOKEN}‹secret›&x=${REGION:-‹secret›}',
    ],
    [['https://x.com/ghp_abcdefghijklmnop/mcp'], 'https://x.com/‹secret›/mcp'],
    [['https://x.com/skills-and-other-things'], 'https://x.com/skills-and-other-things'],
  ])('%j as a URL is shown as %s', (url, shown) => {
    expect(mask(http(url))).toEqual({ type: 'http', url: shown })
  })

  test.each<[string[], string[]]>([
    [
      ['-y', '@acme/files', '/data'],
      ['-y', '@acme/files', '/data'],
    ],
    [
      ['--api-key', 'abc', 'x'],
      ['--api-key', '‹secret›', 'x'],
    ],
    [
      ['--token=abc def', '--apiKey=x'],
      ['--token=‹secret›', '--apiKey=‹secret›'],
    ],
    [
      ['--token', '--verbose', '--no-auth', 'x'],
      ['--token', '--verbose', '--no-auth', 'x'],
    ],
    [
      ['--key-file', '/k', 'KEY=abc', 'MODE=x'],
      ['--key-file', '/k', 'KEY=‹secret›', 'MODE=x'],
    ],
    [
      ['-e', 'PORT=abc', '-e', 'NAME', '--env=A=b'],
      ['-e', 'PORT=‹secret›', '-e', 'NAME', '--env=A=‹secret›'],
    ],
    [
      ['--header', 'Authorization: Bearer abc', '-H', 'X-Team: abc'],
      ['--header', 'Authorization: Bearer ‹secret›', '-H', 'X-Team: ‹secret›'],
    ],
    [
      ['--config', '{"apiKey":"abc","mode":"x"}'],
      ['--config', '{"apiKey":"‹secret›","mode":"x"}'],
    ],
    [
      ['-c', 'exec npx thing TOKEN=abc --secret "d e" --mode x'],
      ['-c', 'exec npx thing TOKEN=‹secret› --secret ‹secret› --mode x'],
    ],
    [
      ['postgres://me:pw@db/x', 'sk-abcdefghijklmnop'],
      ['postgres://me:‹secret›@db/x', '‹secret›'],
    ],
  ])('the arguments %j are shown as %j', (args, shown) => {
    expect(mask(stdio({ args: args.map((arg) => [arg]) }))).toEqual({
      type: 'stdio',
      command: 'npx',
      args: shown,
    })
  })

  test('a reference as the value of a secret flag is kept', () => {
    const args: Template[] = [['--token'], [TOKEN], ['--key=a', TOKEN]]
    expect(mask(stdio({ args }))).toEqual({
      type: 'stdio',
      command: 'npx',
      args: ['--token', '${TOKEN}', '--key=‹secret›${TOKEN}'],
    })
  })

  test('client secrets, tokens and command lines are covered', () => {
    const auth = { type: 'oauth', clientId: ['id'], clientSecret: ['abc'] } as const
    const oauth = { clientId: ['id'], clientSecret: ['abc'], tokenUrl: 'https://me:pw@x/token' }
    const transport: Transport = {
      type: 'http',
      url: ['https://x'],
      headers: new Map(),
      headersHelper: ['print-headers --token abc'],
      fallback: 'none',
      oauth,
    }
    expect(toDefinitionJson(define(transport, { auth }), 'masked')).toEqual({
      type: 'http',
      url: 'https://x',
      headersHelper: 'print-headers --token ‹secret›',
      oauth: { clientId: 'id', clientSecret: '‹secret›', tokenUrl: 'https://me:‹secret›@x/token' },
      auth: { type: 'oauth', clientId: 'id', clientSecret: '‹secret›' },
    })
    expect(mask({ type: 'ws-ide', url: ['ws://x'], ideName: 'i', authToken: ['abc'] })).toEqual({
      type: 'ws-ide',
      url: 'ws://x',
      ideName: 'i',
      authToken: '‹secret›',
    })
  })
})

test('keys, tokens and assertions in an entry are not shown', () => {
  const shown = JSON.stringify(
    toDefinitionJson(
      define({
        ...(http(['https://a.test/']) as Extract<Transport, { type: 'http' | 'sse' }>),
        oauth: {
          privateKey: ['-----BEGIN PRIVATE KEY----- hunter1'],
          assertion: ['hunter2hunter2'],
          idToken: ['hunter3hunter3'],
          idpClientSecret: ['hunter4hunter4'],
          assertionFile: ['/run/token'],
        },
      }),
      'masked',
    ),
  )
  expect(shown).not.toContain('hunter')
  expect(shown).toContain('/run/token')
})
