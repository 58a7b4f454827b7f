/**
 * Servers that are reached: address, headers, helper, credential.
 */
import { describe, expect, test } from 'vitest'
import { Secret } from '../../../src/base/secret.ts'
import { reveal, type CredentialRequest, type LaunchSpec } from '../../../src/model/launch.ts'
import { STRICT_LIMITS } from '../../../src/model/leeway.ts'
import { createScratch } from '../../worlds/scratch.ts'
import { codesOf, headersOf, launchIn, secretsOf, withShell, worldWith } from './launching.ts'

const URL = 'https://mcp.example/mcp'

function urlOf({ transport }: LaunchSpec): string {
  if (!('url' in transport)) throw new Error(`${transport.kind} has no URL`)
  return reveal(transport.url)
}

describe('kinds', () => {
  test.each([
    [{ url: URL }, { kind: 'http', url: URL, headers: new Map(), fallback: 'sse' }],
    [
      { type: 'http', url: URL },
      { kind: 'http', url: URL, headers: new Map(), fallback: 'none' },
    ],
    [
      { type: 'sse', url: URL },
      { kind: 'sse', url: URL, headers: new Map(), fallback: 'none' },
    ],
    [
      { type: 'ws', url: 'https://mcp.example/ws' },
      { kind: 'ws', url: 'wss://mcp.example/ws', headers: new Map(), protocols: ['mcp'] },
    ],
    [
      { type: 'ws', url: 'ws://localhost:1/http://x' },
      { kind: 'ws', url: 'ws://localhost:1/http://x', headers: new Map(), protocols: ['mcp'] },
    ],
    [
      { type: 'claudeai-proxy', url: URL, id: 'x' },
      { kind: 'http', url: URL, headers: new Map(), fallback: 'none' },
    ],
    [
      { type: 'sdk', name: 'inner' },
      { kind: 'in-process', serverName: 'inner' },
    ],
  ])('%o', async (entry, transport) => {
    const launch = await launchIn(worldWith('ours', entry))
    expect(launch.transport).toEqual(transport)
    expect(launch.problems).toEqual([])
  })
})

describe('headers', () => {
  test('are secrets, whatever they are, and the token behind the scheme is one, too', async () => {
    const headers = { Authorization: 'Bearer tok-1', 'X-Team': 'blue', Accept: 'text/plain', 'X-On': 'true' }
    const launch = await launchIn(worldWith('cursor', { url: URL, headers }))
    expect(headersOf(launch)).toEqual(headers)
    expect(secretsOf(launch)).toEqual(['Bearer tok-1', 'tok-1', 'blue'])
    if (launch.transport.kind !== 'http') throw new Error('not http')
    expect([...launch.transport.headers.values()].every((value) => value instanceof Secret)).toBe(true)
  })

  test('that no request can carry are left out and reported', async () => {
    const headers = { 'X-Lines': 'a\nb', 'X Blank': 'c', 'X-Good': 'd' }
    const launch = await launchIn(worldWith('cursor', { url: URL, headers }))
    expect(headersOf(launch)).toEqual({ 'X-Good': 'd' })
    expect(launch.problems.map(({ message }) => message)).toEqual([
      'the header `X-Lines` of server `shop` has characters that no header can carry',
      'the header `X Blank` of server `shop` has characters that no header can carry',
    ])
  })
})

describe('a name and password in the address', () => {
  test('become a header and leave the address', async () => {
    const launch = await launchIn(worldWith('cursor', { url: 'https://ada:p%40ss@mcp.example/mcp' }))
    // printf 'ada:p@ss' | base64
    expect(headersOf(launch)).toEqual({ Authorization: 'Basic YWRhOnBAc3M=' })
    expect(urlOf(launch)).toBe(URL)
    expect(secretsOf(launch)).toEqual(expect.arrayContaining(['p@ss', 'p%40ss', 'YWRhOnBAc3M=']))
  })

  test('step back behind a header that is configured', async () => {
    const launch = await launchIn(
      worldWith('cursor', {
        url: 'https://ada:pass@mcp.example/mcp',
        headers: { authorization: 'Bearer x-1' },
      }),
    )
    expect(headersOf(launch)).toEqual({ authorization: 'Bearer x-1' })
  })

  test('a key in the query or in the path is a secret', async () => {
    const url = 'https://mcp.example/s/a1b2c3d4e5f6g7h8i9j0/mcp?exaApiKey=plainword&mode=fast'
    const launch = await launchIn(worldWith('cursor', { url }))
    expect(urlOf(launch)).toBe(url)
    expect(secretsOf(launch)).toEqual(['plainword', 'a1b2c3d4e5f6g7h8i9j0'])
    expect(JSON.stringify(launch)).not.toContain('plainword')
  })
})

describe('headersHelper', () => {
  const entry = {
    type: 'http',
    url: URL,
    headers: { 'x-key': 'static', 'X-Other': 'stays' },
    headersHelper: 'helper ${ARG}',
  }

  test('runs with the name and address of the server, and its headers win', async () => {
    const seen: unknown[] = []
    const world = withShell(worldWith('ours', entry, { env: { ARG: 'one' } }), (...call) => {
      seen.push(call)
      return { stdout: '{"X-Key":"fresh-1"}\n', exitCode: 0 }
    })
    const launch = await launchIn(world)
    expect(headersOf(launch)).toEqual({ 'X-Key': 'fresh-1', 'X-Other': 'stays' })
    expect(secretsOf(launch)).toContain('fresh-1')
    expect(seen).toEqual([
      [
        'helper one',
        {
          cwd: '/home/ada',
          timeoutMs: 10_000,
          env: {
            ARG: 'one',
            PLUGBOARD_SERVER_NAME: 'shop',
            PLUGBOARD_SERVER_URL: URL,
            CLAUDE_CODE_MCP_SERVER_NAME: 'shop',
            CLAUDE_CODE_MCP_SERVER_URL: URL,
          },
        },
      ],
    ])
  })

  test.each([
    ['is no JSON', { stdout: 'X-Key: 1', exitCode: 0 }, 'did not print a JSON object of strings'],
    ['is a list', { stdout: '["a"]', exitCode: 0 }, 'did not print a JSON object of strings'],
    ['has a number', { stdout: '{"A":1}', exitCode: 0 }, 'did not print a JSON object of strings'],
    ['comes with an error', { stdout: '{"A":"1"}', exitCode: 1 }, 'ended with exit code 1'],
    ['is nothing', { exitCode: 0 }, 'printed nothing'],
    ['never comes', { timedOut: true }, 'gave no answer within 10 s'],
  ])('whose answer %s is reported, and the connection tried without', async (_, outcome, how) => {
    const launch = await launchIn(withShell(worldWith('ours', entry, { env: { ARG: 'one' } }), () => outcome))
    expect(headersOf(launch)).toEqual({ 'x-key': 'static', 'X-Other': 'stays' })
    expect(launch.problems).toMatchObject([
      {
        code: 'resolve/headers-helper',
        message: `\`headersHelper\` of server \`shop\` ${how}`,
        notes: ['the connection is tried without its headers'],
        where: { line: 10 },
      },
    ])
  })

  test('tells its last words without what a terminal obeys, and without secrets', async () => {
    const stderr = [
      'first line',
      '\u001b]0;pwned\u0007\u001b[2Jcurl -H "Authorization: Bearer abcdef123456" https://ada:hunter22@vault.test/ \u202egpj.x one\r\n',
    ].join('\n')
    const launch = await launchIn(
      withShell(worldWith('ours', entry, { env: { ARG: 'one', VAULT_TOKEN: 'open-sesame' } }), () => ({
        stderr,
        exitCode: 1,
      })),
    )
    const [note] = launch.problems[0]!.notes
    expect(note).toBe(
      'the last line it wrote: curl -H "Authorization: Bearer ‹secret›" https://ada:‹secret›@vault.test/ \\u{202e}gpj.x one',
    )
  })

  test('is run for each launch, since what it gives may expire', async () => {
    let count = 0
    const world = withShell(worldWith('ours', { url: URL, headersHelper: 'h' }), () => ({
      stdout: `{"X-Count":"${++count}"}`,
      exitCode: 0,
    }))
    await launchIn(world)
    expect(headersOf(await launchIn(world))).toEqual({ 'X-Count': '2' })
  })

  test('a bad header among good ones is left out', async () => {
    const world = withShell(worldWith('ours', { url: URL, headersHelper: 'h' }), () => ({
      stdout: JSON.stringify({ 'X-A': 'a\r\nEvil: 1', 'X-B': 'b' }),
      exitCode: 0,
    }))
    const launch = await launchIn(world)
    expect(headersOf(launch)).toEqual({ 'X-B': 'b' })
    expect(codesOf(launch)).toEqual(['resolve/bad-header'])
  })

  test('with a real shell sees its variables', async () => {
    using scratch = createScratch()
    const headersHelper =
      'printf \'{"X-Who":"%s at %s"}\' "$PLUGBOARD_SERVER_NAME" "$CLAUDE_CODE_MCP_SERVER_URL"'
    scratch.write(
      'home/.config/plugboard/mcp.json',
      JSON.stringify({ mcpServers: { shop: { url: URL, headersHelper } } }),
    )
    expect(headersOf(await launchIn(scratch.world))).toEqual({ 'X-Who': `shop at ${URL}` })
  })
})

describe('a credential', () => {
  interface Store {
    readonly asked: CredentialRequest[]
    find(request: CredentialRequest): Promise<Secret | undefined>
  }

  function storeOf(answer: (request: CredentialRequest) => Secret | undefined): Store {
    const asked: CredentialRequest[] = []
    return {
      asked,
      find: async (request) => {
        asked.push(request)
        return answer(request)
      },
    }
  }

  test('is looked up by address for a server that does not mention any', async () => {
    const credentials = storeOf(() => new Secret('tok-1'))
    const launch = await launchIn(worldWith('cursor', { url: URL }), { credentials })
    expect(credentials.asked).toEqual([{ server: 'shop', url: URL, leeway: STRICT_LIMITS }])
    expect(headersOf(launch)).toEqual({ Authorization: 'Bearer tok-1' })
    expect(secretsOf(launch)).toEqual(['Bearer tok-1', 'tok-1'])
  })

  test('is not looked up where the header is configured, or the file says that OAuth is off', async () => {
    const credentials = storeOf(() => new Secret('tok-1'))
    const own = { url: URL, headers: { authorization: 'Bearer mine-1' } }
    expect(headersOf(await launchIn(worldWith('cursor', own), { credentials }))).toEqual(own.headers)
    const off = { type: 'remote', url: URL, oauth: false }
    expect(headersOf(await launchIn(worldWith('opencode', off), { credentials }))).toEqual({})
    expect(credentials.asked).toEqual([])
  })

  test('is looked up by its name first, then by address', async () => {
    const credentials = storeOf(({ credentialId }) =>
      credentialId === undefined ? new Secret('tok-2') : undefined,
    )
    const entry = { url: URL, auth: { type: 'oauth', credentialId: 'work' } }
    const launch = await launchIn(worldWith('ours', entry), { credentials })
    expect(credentials.asked).toEqual([
      { server: 'shop', url: URL, leeway: STRICT_LIMITS, credentialId: 'work' },
      { server: 'shop', url: URL, leeway: STRICT_LIMITS },
    ])
    expect(headersOf(launch)).toEqual({ Authorization: 'Bearer tok-2' })
    expect(launch.problems).toEqual([])
  })

  test.each([
    ['http', undefined],
    ['ws', storeOf(() => undefined)],
  ])('that is named and not there is a warning: %s', async (type, credentials) => {
    const entry = { type, url: URL, auth: { type: 'oauth', credentialId: 'work' } }
    const launch = await launchIn(worldWith('ours', entry), { credentials })
    expect(headersOf(launch)).toEqual({})
    expect(launch.problems).toMatchObject([
      { code: 'resolve/no-credential', severity: 'warning', notes: ['the connection is tried without'] },
    ])
  })

  test.each([
    ['http://mcp.test/mcp', 'http', 'resolve/plain-http'],
    ['ws://mcp.test/mcp', 'ws', 'resolve/plain-http'],
    ['http://[::1]:80/mcp', 'http', undefined],
    ['ws://127.0.0.2/mcp', 'ws', undefined],
    ['wss://mcp.test/mcp', 'ws', undefined],
  ])('for %s goes there only if nobody can listen on the way', async (url, type, code) => {
    const credentials = storeOf(() => new Secret('tok-1'))
    const entry = { type, url, auth: { type: 'oauth' } }
    const launch = await launchIn(worldWith('ours', entry), { credentials })
    expect(launch.problems.map((problem) => problem.code)).toEqual(code === undefined ? [] : [code])
    expect(headersOf(launch)).toEqual(code === undefined ? { Authorization: 'Bearer tok-1' } : {})
    if (code !== undefined) expect(secretsOf(launch)).toEqual([])
  })

  test('over a WebSocket is looked up only for a server that asks', async () => {
    const credentials = storeOf(() => new Secret('tok-1'))
    const plain = await launchIn(worldWith('ours', { type: 'ws', url: URL }), { credentials })
    const asking = await launchIn(worldWith('ours', { type: 'ws', url: URL, auth: { type: 'oauth' } }), {
      credentials,
    })
    expect([plain, asking].map(headersOf)).toEqual([{}, { Authorization: 'Bearer tok-1' }])
  })

  test('store that breaks is a warning', async () => {
    const credentials = { find: () => Promise.reject(new Error('keychain is locked')) }
    const launch = await launchIn(worldWith('cursor', { url: URL }), { credentials })
    expect(launch.problems).toMatchObject([
      {
        code: 'resolve/credentials-failed',
        notes: ['keychain is locked', 'the connection is tried without'],
      },
    ])
  })
})
