/**
 * redirect-address: where a browser comes back to, by what the entry says: exactly there, or the login says why not.
 */
import type { ClientMetadata } from 'oidc-provider'
import { describe, expect, test } from 'vitest'
import { pasteLogin } from '../../processes/paste-login.ts'
import { openMachine, type Machine, type Ran } from '../../processes/plugboard.ts'
import { freePort, refusal } from '../../runtime/login-stage.ts'
import { startAuthorizationServer, type AuthorizationServer } from '../../servers/authorization-server.ts'
import { startProtectedServer } from '../../servers/protected-server.ts'

interface Stage extends AsyncDisposable {
  readonly authorization: AuthorizationServer
  readonly machine: Machine
}

/** `redirectUris`: with which the client `ours` is registered. */
async function openStage(oauth: object, redirectUris: readonly string[] = []): Promise<Stage> {
  const ours: ClientMetadata = {
    client_id: 'ours',
    token_endpoint_auth_method: 'none',
    redirect_uris: [...redirectUris],
  }
  const authorization = await startAuthorizationServer({ clients: redirectUris.length === 0 ? [] : [ours] })
  const server = await startProtectedServer({ authorization })
  const machine = openMachine({
    '~/.config/plugboard/mcp.json': { mcpServers: { guarded: { type: 'http', url: server.url, oauth } } },
  })
  return {
    authorization,
    machine,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await authorization[Symbol.asyncDispose]()
      machine[Symbol.dispose]()
    },
  }
}

interface Shown {
  readonly redirectUri: string
  readonly stderr: string
}

/** What the page gets from a user who then says no. */
async function askWhere({ machine }: Stage): Promise<Shown> {
  let redirectUri = ''
  const { stderr } = await pasteLogin(machine, {
    args: ['guarded'],
    async paste(page) {
      redirectUri = new URL(page).searchParams.get('redirect_uri')!
      return [refusal(new URL(page)).href]
    },
  })
  return { redirectUri, stderr }
}

function signIn({ machine, authorization }: Stage): Promise<Ran> {
  return pasteLogin(machine, {
    args: ['guarded'],
    paste: async (page) => [(await authorization.approve(page)).href],
  })
}

/** With the port in the place of `<port>`, as a number or within a text. */
function fill<T>(value: T, port: number): T {
  const text = JSON.stringify(value).replaceAll('"<port>"', String(port)).replaceAll('<port>', String(port))
  return JSON.parse(text) as T
}

describe('a browser comes back to', () => {
  test.each<[string, object]>([
    ['http://127.0.0.1:*/callback', {}],
    ['http://127.0.0.1:<port>/callback', { callbackPort: '<port>' }],
    ['http://127.0.0.1:*/back', { callbackPath: '/back' }],
    // Whose client it is decides the host, and the port decides the port alone.
    ['http://localhost:*/callback', { clientId: 'ours' }],
    ['http://localhost:<port>/callback', { clientId: 'ours', callbackPort: '<port>' }],
    ['http://localhost:<port>/back', { clientId: 'ours', callbackPort: '<port>', callbackPath: 'back' }],
    // To the letter: that is how authorization servers compare it.
    ['http://127.0.0.1:<port>/cb?tenant=a', { redirectUri: 'http://127.0.0.1:<port>/cb?tenant=a' }],
    ['http://localhost:<port>', { clientId: 'ours', redirectUri: 'http://localhost:<port>' }],
    ['http://localhost:<port>/', { clientId: 'ours', redirectUri: 'http://localhost:<port>/' }],
    // Without a port, any will do, or the one beside it.
    ['http://127.0.0.1:*/cb', { clientId: 'ours', redirectUri: 'http://127.0.0.1/cb' }],
    ['http://localhost:*', { clientId: 'ours', redirectUri: 'http://localhost' }],
    ['http://localhost:<port>/cb?a=b', { redirectUri: 'http://localhost/cb?a=b', callbackPort: '<port>' }],
    // Said twice, and the same.
    [
      'http://127.0.0.1:<port>/cb',
      { redirectUri: 'http://127.0.0.1:<port>/cb', callbackPort: '<port>', callbackPath: '/cb' },
    ],
  ])('%s for %j', async (expected, entry) => {
    const port = await freePort()
    await using stage = await openStage(fill(entry, port))
    const { redirectUri, stderr } = await askWhere(stage)
    // Any other port is `*`.
    expect(redirectUri.replace(`:${port}`, ':<port>').replace(/:\d+/, ':*')).toBe(expected)
    // Where the user has to register it, they are told what.
    const said = `The client \`ours\` must be registered with ${redirectUri}`
    if ('clientId' in entry) expect(stderr).toContain(said)
    else expect(stderr).not.toContain('must be registered')
  })

  test.each([
    ['http://localhost:<port>/callback', { clientId: 'ours', callbackPort: '<port>' }],
    [
      'http://127.0.0.1:<port>/cb?tenant=a',
      { clientId: 'ours', redirectUri: 'http://127.0.0.1:<port>/cb?tenant=a' },
    ],
    ['http://localhost:<port>', { clientId: 'ours', redirectUri: 'http://localhost:<port>' }],
  ])('%s, and the sign-in of a client that is registered with it succeeds', async (uri, entry) => {
    const port = await freePort()
    await using stage = await openStage(fill(entry, port), [fill(uri, port)])
    expect(await signIn(stage)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('signed in') as string,
    })
  })
})

const FAILED = 'error: OAuth authentication failed: '

describe('an entry that contradicts itself', () => {
  test.each([
    [
      { redirectUri: 'http://localhost:8765/cb', callbackPort: 9000 },
      '`redirectUri` and `callbackPort` of its entry name different ports',
    ],
    [
      { redirectUri: 'http://localhost:80/cb', callbackPort: 9000 },
      '`redirectUri` and `callbackPort` of its entry name different ports',
    ],
    [
      { redirectUri: 'http://localhost:8765/cb', callbackPath: '/callback' },
      '`redirectUri` and `callbackPath` of its entry name different paths',
    ],
    [
      { redirectUri: 'http://localhost:8765/cb#top' },
      'the `redirectUri` of its entry has a `#…`, which a browser would not send',
    ],
  ])('%j does not sign in', async (oauth, message) => {
    await using stage = await openStage(oauth)
    const { code, stderr } = await stage.machine.run(['login', 'guarded', '--no-browser'])
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${FAILED}${message}`)])
    expect(stage.authorization.count('registration')).toBe(0)
  })

  test.each([99_999, -1, 1.5, 0, '8765'])(
    'or has `callbackPort: %j` is warned of before the page',
    async (callbackPort) => {
      await using stage = await openStage({ callbackPort })
      const { redirectUri, stderr } = await askWhere(stage)
      expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
      expect(stderr).toContain('warning: `oauth.callbackPort` must be a port, from 1 to 65535')
      expect(stderr.indexOf('warning: ')).toBeLessThan(stderr.indexOf('To sign in'))
    },
  )
})
