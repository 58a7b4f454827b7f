/**
 * login: the command as people use it: with a browser, over SSH, in a terminal that they lose patience with.
 */
import { describe, expect, test } from 'vitest'
import { startAuthorizationServer, type AuthorizationServer } from '../../servers/authorization-server.ts'
import { answerLegacy, serve } from '../../servers/http/loopback.ts'
import { startProtectedServer } from '../../servers/protected-server.ts'
import { findSecrets } from '../../leaks/secrets.ts'
import { putBrowser } from '../../processes/browser.ts'
import { pasteLogin } from '../../processes/paste-login.ts'
import { openMachine, type Machine } from '../../processes/plugboard.ts'
import { KEYS, runInTerminal } from '../../processes/terminal.ts'

interface Setting extends AsyncDisposable {
  readonly machine: Machine
  readonly authorization: AuthorizationServer
  readonly url: string
}

async function set(): Promise<Setting> {
  const authorization = await startAuthorizationServer()
  const server = await startProtectedServer({ authorization })
  const machine = openMachine({
    '~/.config/plugboard/mcp.json': { mcpServers: { linear: { type: 'http', url: server.url } } },
  })
  return {
    machine,
    authorization,
    url: server.url,
    async [Symbol.asyncDispose]() {
      machine[Symbol.dispose]()
      await server[Symbol.asyncDispose]()
      await authorization[Symbol.asyncDispose]()
    },
  }
}

describe('plugboard login', () => {
  test('opens the page, waits, signs in, and says how many tools there are', async () => {
    await using setting = await set()
    await using browser = await putBrowser(setting.machine, setting.authorization)
    const { machine } = setting
    const { code, stdout, stderr } = await machine.run(['login', 'linear'], { env: { PATH: browser.path } })
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(/^signed in to `linear` \(scopes: mcp:read\b.*\); it has 2 tools\n$/)
    // The page is always printed, and what is waited for.
    expect(stderr).toContain(`\n  ${browser.pages[0]!}\n`)
    expect(stderr).toContain('waiting for you to sign in in the browser (opened with xdg-open) …')

    const after = await machine.run(['tools', 'linear'])
    expect(after.code, after.stderr).toBe(0)
  })

  test('a first connection without a token waits for a sign-in: no browser, no port, and the command to run', async () => {
    await using setting = await set()
    await using browser = await putBrowser(setting.machine, setting.authorization)
    const { machine, authorization } = setting
    const { code, stderr } = await machine.run(['test', 'linear'], { env: { PATH: browser.path } })
    expect(code).toBe(4)
    expect(stderr).toContain('run `plugboard login linear`')
    expect(browser.pages).toEqual([])
    // Nobody asked for a client either, which is where a port would be named.
    expect(authorization.requests).toEqual([])
  })

  test('--json has the facts, and no secret', async () => {
    await using setting = await set()
    await using browser = await putBrowser(setting.machine, setting.authorization)
    const { stdout } = await setting.machine.run(['login', 'linear', '--json'], {
      env: { PATH: browser.path },
    })
    expect(JSON.parse(stdout)).toEqual({
      server: 'linear',
      signedIn: true,
      issuer: setting.authorization.issuer,
      scopes: expect.arrayContaining(['mcp:read']) as string[],
      expiresAt: expect.stringMatching(/^\d{4}-/) as string,
      tools: 2,
    })
  })

  test('--no-browser: the page is printed, and the address it ends at is read from stdin', async () => {
    await using setting = await set()
    await using browser = await putBrowser(setting.machine, setting.authorization)
    const { machine, authorization } = setting
    const { code, stdout } = await pasteLogin(machine, {
      args: ['linear'],
      env: { PATH: browser.path },
      paste: async (page) => [(await authorization.approve(page)).href],
    })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^signed in to `linear`/)
    expect(browser.pages).toEqual([])
  })

  test('--device: the code is typed in elsewhere, and no port is bound', async () => {
    await using setting = await set()
    const { machine, authorization } = setting
    const { code, stdout, stderr } = await pasteLogin(machine, {
      way: '--device',
      args: ['linear'],
      paste: async (page) => {
        await authorization.approveDevice(page)
        return []
      },
    })
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(/^signed in to `linear`/)
    expect(stderr).not.toContain('/callback')
    expect(authorization.count('device')).toBe(1)
  })

  test('a server that needs none says so', async () => {
    await using server = await serve((request) =>
      answerLegacy(request, { 'tools/list': () => ({ tools: [] }) }),
    )
    using machine = openMachine({
      '~/.config/plugboard/mcp.json': { mcpServers: { open: { type: 'http', url: server.url } } },
    })
    expect(await machine.run(['login', 'open'])).toMatchObject({
      code: 0,
      stdout: '`open` does not ask for a sign-in; it has 0 tools\n',
    })
  })

  test('who takes too long is told to try again', async () => {
    await using setting = await set()
    const { code, stderr } = await setting.machine.run([
      'login',
      'linear',
      '--no-browser',
      '--timeout',
      '800',
    ])
    expect(code).toBe(1)
    expect(stderr).toContain('error: OAuth flow timed out. Please try again.\n')
  })

  test.each([
    ['nobody', 2, 'no server is named `nobody`'],
    ['off', 2, 'Server "off" is disabled. Run plugboard enable off first.'],
    ['files', 2, '`files` is of type `stdio`, and one signs in only to servers of type `http` or `sse`'],
    ['own', 2, 'the entry of `own` sends an `Authorization` of its own, so a sign-in would not be used'],
    ['gone', 1, 'Failed to connect to "gone": nobody answers at `127.0.0.1:1` (connection refused)'],
  ])('%s: exit code %i, %s', async (name, code, message) => {
    using machine = openMachine({
      '~/.config/plugboard/mcp.json': {
        mcpServers: {
          off: { type: 'http', url: 'http://127.0.0.1:1/mcp', enabled: false },
          files: { command: 'files' },
          own: { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: { Authorization: 'Bearer x' } },
          gone: { type: 'http', url: 'http://127.0.0.1:1/mcp' },
        },
      },
    })
    const ran = await machine.run(['login', name])
    expect(ran.stderr).toContain(`error: ${message}\n`)
    expect(ran.code).toBe(code)
  })

  test('--device and --no-browser are two ways, not one', async () => {
    await using setting = await set()
    const { code, stderr } = await setting.machine.run(['login', 'linear', '--device', '--no-browser'])
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('`--device` and `--no-browser` do not go together'),
    ])
  })
})

describe('in a terminal', () => {
  test('a sign-in in the browser is waited for, and what it gave is nowhere to be seen', async () => {
    await using setting = await set()
    const { machine, authorization } = setting
    await using browser = await putBrowser(machine, authorization)
    const { code, raw, text } = await runInTerminal(machine, 'plugboard login linear', {
      columns: 60,
      env: { PATH: `${machine.bin}:${browser.path}`, PLUGBOARD_KEYCHAIN: 'off' },
    })
    expect(code, text).toBe(0)
    expect(text).toContain('signed in to `linear`')
    const exchange = authorization.requests.find(({ what }) => what === 'token authorization_code')
    const { code: given, code_verifier: verifier } = exchange!.params
    expect(findSecrets(`${String(given)} ${String(verifier)}`)).toHaveLength(2)
    expect(findSecrets(raw)).toEqual([])
  })

  test.each(['escape', 'interrupt'] as const)('%s cancels, and leaves nothing behind', async (key) => {
    await using setting = await set()
    const { machine, authorization } = setting
    const { code, text } = await runInTerminal(machine, 'plugboard login linear --no-browser', {
      columns: 100,
      answers: [{ when: 'waiting for you to sign in', keys: KEYS[key] }],
      env: { PLUGBOARD_KEYCHAIN: 'off' },
    })
    expect(code).toBe(130)
    expect(text).toContain('cancelled: nobody was signed in')
    // Whoever wants to is told how, and what to paste.
    expect(text).toContain('(Esc cancels)')
    expect(text.replaceAll(/\s+/g, ' ')).toContain('paste the whole address it shows here')
    expect(authorization.count('token')).toBe(0)
  })

  test('escape cancels a wait for another device, too', async () => {
    await using setting = await set()
    const { code, text } = await runInTerminal(setting.machine, 'plugboard login linear --device', {
      columns: 100,
      answers: [{ when: 'waiting for you to type in the code', keys: KEYS.escape }],
      env: { PLUGBOARD_KEYCHAIN: 'off' },
    })
    expect(code).toBe(130)
    expect(text).toMatch(/and type in the code \w{4}-\w{4}/)
  })

  test('the line that says what is waited for is written over', async () => {
    await using setting = await set()
    const { raw } = await runInTerminal(
      setting.machine,
      'plugboard login linear --no-browser --timeout 3000',
      {
        columns: 100,
        env: { PLUGBOARD_KEYCHAIN: 'off' },
      },
    )
    expect(raw).toContain('asking 127.0.0.1')
    expect(raw).toContain('\r\u001b[K')
    expect(raw).toContain('OAuth flow timed out. Please try again.')
  })
})
