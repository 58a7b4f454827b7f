/**
 * serve-shared: the built command, as a gateway for several people: TLS, an issuer, its end, and starts that are refused.
 */
import { spawn } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { serverEntry } from '../../boards/open.ts'
import { leftOf } from '../../boards/watch.ts'
import { BIN, type Machine, openMachine } from '../../processes/plugboard.ts'
import { startServing as start, tokenOf, type ServingProcess } from '../../processes/serve.ts'
import { startAuthorizationServer } from '../../servers/authorization-server.ts'
import { createCertificates } from '../../servers/http/certificates.ts'
import { connectClient, httpTransport, writeSettings } from '../gateway/open.ts'

/** On a busy machine. */
const SOON = { timeout: 20_000 }

describe('TLS', () => {
  test('is spoken, and certificates are renewed when the files change and at SIGHUP', async () => {
    using machine = openMachine()
    using certificates = createCertificates()
    const { good, 'other-host': other, 'self-signed': third } = certificates.kinds
    const put = ({ cert, key }: { cert: string; key: string }): void => {
      writeFileSync(machine.at('~/key.pem'), key)
      writeFileSync(machine.at('~/cert.pem'), cert)
    }
    put(good)
    const tls = ['--tls-cert', machine.at('~/cert.pem'), '--tls-key', machine.at('~/key.pem')]
    await using gateway = await start(machine, '--http', '0', ...tls)
    expect(gateway.url.protocol).toBe('https:')
    const nameNow = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connectTls(
          { port: Number(gateway.url.port), host: '127.0.0.1', rejectUnauthorized: false },
          () => {
            resolve(socket.getPeerCertificate().subject.CN as string)
            socket.destroy()
          },
        )
        socket.on('error', reject)
      })
    expect(await nameNow()).toBe('good')
    put(other)
    await expect.poll(nameNow, { timeout: 20_000 }).toBe('other-host')
    put({ cert: good.cert, key: third.key })
    gateway.child.kill('SIGHUP')
    await gateway.until('the old one stays')
    expect(await nameNow()).toBe('other-host')
    put(good)
    gateway.child.kill('SIGHUP')
    await expect.poll(nameNow, { timeout: 20_000 }).toBe('good')
  })
})

describe('SIGTERM', () => {
  const begin = async (
    machine: Machine,
    work: object,
  ): Promise<ServingProcess & { readonly call: Promise<unknown>; readonly pids: readonly number[] }> => {
    writeSettings(machine.home, { servers: { x: serverEntry('progress') } })
    const gateway = await start(machine, '--http', '0')
    const transport = httpTransport(new URL('/mcp/x', gateway.url), tokenOf(machine))
    const { client } = await connectClient(transport, { era: 'modern' })
    let begun: (() => void) | undefined
    const isBegun = new Promise<void>((resolve) => (begun = resolve))
    const call = client.callTool({ name: 'work', arguments: { ...work } }, { onprogress: () => begun?.() })
    call.catch(() => undefined)
    await isBegun
    const text = readFileSync(`/proc/${gateway.child.pid}/task/${gateway.child.pid}/children`, 'utf8').trim()
    return { ...gateway, call, pids: text.split(' ').map(Number) }
  }

  test('lets calls under way finish, then ends with 0', async () => {
    using machine = openMachine()
    const { child, call, exit, pids } = await begin(machine, { steps: 20, ms: 50 })
    child.kill('SIGTERM')
    expect(await call).toMatchObject({ content: [{ text: 'worked 20 steps' }] })
    expect(await exit).toBe(0)
    expect(await leftOf(pids, 10_000)).toEqual([])
  })

  test('the second time, ends at once, and so do its servers', async () => {
    using machine = openMachine()
    const { child, exit, pids, url } = await begin(machine, { steps: 10_000, ms: 50 })
    child.kill('SIGTERM')
    // It has heard the first when it takes nobody new.
    await expect.poll(() => isOpen(Number(url.port)), { timeout: 20_000 }).toBe(false)
    child.kill('SIGTERM')
    expect(await exit).toBe('SIGTERM')
    expect(await leftOf(pids, 10_000)).toEqual([])
  })
})

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

describe('an issuer', () => {
  test('lets our own client sign in to our own gateway, and call what its scopes open', async () => {
    await using authorization = await startAuthorizationServer({ tokens: 'jwt', scopes: ['mcp:x', 'mcp:y'] })
    using machine = openMachine()
    writeSettings(machine.home, {
      servers: { x: serverEntry('well-behaved'), y: serverEntry('well-behaved') },
    })
    const settings = machine.at('~/.config/plugboard/settings.json')
    const before = JSON.parse(readFileSync(settings, 'utf8')) as object
    writeFileSync(settings, JSON.stringify({ ...before, gateway: { scopes: { 'mcp:x': ['x'] } } }))
    await using gateway = await start(
      machine,
      '--http',
      '0',
      '--auth-issuer',
      authorization.issuer,
      '--audit',
      'audit.jsonl',
    )
    await gateway.until(`clients sign in at ${authorization.issuer}`)

    // Another machine, on which somebody has the gateway as a server.
    using laptop = openMachine({
      '~/.config/plugboard/mcp.json': { mcpServers: { team: { type: 'http', url: gateway.url.href } } },
      '~/.config/plugboard/settings.json': { permissions: { rules: [{ tool: 'mcp__*', action: 'allow' }] } },
    })
    const without = await laptop.run(['tools', 'team'])
    expect(without.code).not.toBe(0)
    const login = await loginWithoutBrowser(laptop, authorization.approve)
    expect(login).toBe(0)
    const tools = (await laptop.json(['tools', 'team'])) as { readonly tools: { readonly tool: string }[] }
    const names = tools.tools.map(({ tool }) => tool)
    expect(names).toEqual(expect.arrayContaining(['plugboard_status', 'mcp__x__echo']))
    expect(names.filter((name) => name.includes('__y__'))).toEqual([])
    const call = await laptop.run(['call', 'team', 'mcp__x__echo', 'text=well'])
    expect({ code: call.code, stdout: call.stdout.trim() }).toEqual({ code: 0, stdout: 'well' })
    const audit = machine.at('./audit.jsonl')
    await expect.poll(() => readFileSync(audit, 'utf8'), SOON).toContain('"tool":"echo"')
    const line = readFileSync(audit, 'utf8')
      .split('\n')
      .find((one) => one.includes('"tool":"echo"'))!
    expect(JSON.parse(line)).toMatchObject({ who: 'ada', server: 'x', outcome: 'done' })
    expect(statSync(audit).mode & 0o777).toBe(0o600)
  })
})

/** The exit code of a login whose person copies the page into a browser, and what they get there back. */
async function loginWithoutBrowser(
  machine: Machine,
  approve: (url: string) => Promise<URL>,
): Promise<number | null> {
  const child = spawn(process.execPath, [BIN, 'login', 'team', '--no-browser'], {
    cwd: machine.project,
    env: { PATH: process.env['PATH'] ?? '', HOME: machine.home, PLUGBOARD_KEYCHAIN: 'off' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let said = ''
  const page = await new Promise<string>((resolve, reject) => {
    const look = (chunk: string): void => {
      said += chunk
      const found = /(http:\/\/127\.0\.0\.1:\d+\/auth\S+)/.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    }
    child.stdout.setEncoding('utf8').on('data', look)
    child.stderr.setEncoding('utf8').on('data', look)
    child.on('close', () => reject(new Error(said)))
  })
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve))
  child.stdin.write(`${(await approve(page)).href}\n`)
  return exit
}

describe('a start that is refused', () => {
  const PEM = '-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n'
  test.each([
    [['--http', '65536'], 'cli/bad-address', 2],
    [['--http', 'example.com:80'], 'cli/bad-address', 2],
    [['--http', '0.0.0.0:0'], 'serve/not-loopback', 2],
    [['--http', '[::]:0'], 'serve/not-loopback', 2],
    [['--http', '0', '--tls-cert', 'cert.pem'], 'serve/half-tls', 2],
    [['--http', '0', '--tls-cert', 'none.pem', '--tls-key', 'key.pem'], 'serve/tls-file', 2],
    [['--http', '0', '--tls-cert', 'empty', '--tls-key', 'cert.pem'], 'serve/tls-file', 2],
    [['--http', '0', '--tls-cert', 'cert.pem', '--tls-key', 'cert.pem'], 'serve/bad-tls', 2],
    [['--http', '0', '--rate-limit', 'often'], 'cli/bad-flag', 2],
    [['--http', '0', '--drain-timeout', 'long'], 'cli/bad-flag', 2],
    [['--http', '0', '--lame-duck', '3601'], 'cli/bad-flag', 2],
    [['--http', '0', '--lame-duck=-1'], 'cli/bad-flag', 2],
    [['--http', '0', '--auth-audience', 'x'], 'cli/bad-flag', 2],
    [['--http', '0', '--auth-issuer', 'http://127.0.0.1:1'], 'serve/issuer', 1],
    [['--http', '0', '--auth-issuer', 'http://login.example'], 'serve/bad-issuer', 2],
    [['--http', '0', '--auth-issuer', 'https://login.example', '--public-url', 'x'], 'cli/bad-flag', 2],
    [['--http', '0', '--audit', 'empty/below'], 'serve/audit', 1],
  ])('%j: %s', async (flags, code, exitCode) => {
    using machine = openMachine({ './cert.pem': PEM, './key.pem': PEM, './empty': '' })
    const ran = await machine.run(['serve', ...flags, '--json'])
    const { error } = JSON.parse(ran.stdout) as {
      readonly error: { code: string; hints: string[]; message: string }
    }
    expect({ code: error.code, exitCode: ran.code }).toEqual({ code, exitCode })
    expect(error.message).toMatch(/^[`a-z]/)
  })

  test('because of what the settings say, and not in part', async () => {
    using machine = openMachine({
      '~/.config/plugboard/settings.json': '{\n  "gateway": { "scopes": ["everything"] }\n}\n',
    })
    const ran = await machine.run(['serve', '--http', '0'])
    expect(ran.code).toBe(2)
    expect(machine.shorten(ran.stderr)).toContain('`gateway.scopes` must be an object of scopes')
    expect(machine.shorten(ran.stderr)).toContain('~/.config/plugboard/settings.json:2:')
  })

  describe.each([
    ['{\n  "gateway": { "scope": { "mcp:read": ["docs"] } }\n}\n', '`gateway.scope`', ':2:16', '`scopes`'],
    [
      '{\n  "gateway": { "authIsuer": "https://x.test" }\n}\n',
      '`gateway.authIsuer`',
      ':2:16',
      '`authIssuer`',
    ],
    ['{\n  "gatway": { "scopes": {} }\n}\n', '`gatway`', ':2:3', '`gateway`'],
  ])('because of a misspelt key: %s', (settings, key, at, likely) => {
    test.each([[['--http', '0']], [['--stdio', '--alone']], [['--daemon', '--foreground']], [['--daemon']]])(
      'serve %j',
      async (flags) => {
        using machine = openMachine({ '~/.config/plugboard/settings.json': settings })
        const ran = await machine.run(['serve', ...flags])
        expect(ran.code).toBe(2)
        expect(ran.stdout).toBe('')
        const said = machine.shorten(ran.stderr)
        expect(said).toContain(`error: there is no setting ${key}`)
        expect(said).toContain(`~/.config/plugboard/settings.json${at}`)
        expect(said).toContain(`did you mean ${likely}?`)
      },
    )
  })

  test('with a key that is not that of the certificate, says so', async () => {
    using certificates = createCertificates()
    const { good, 'self-signed': other } = certificates.kinds
    using machine = openMachine({ './cert.pem': good.cert, './key.pem': other.key })
    const ran = await machine.run(['serve', '--http', '0', '--tls-cert', 'cert.pem', '--tls-key', 'key.pem'])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('certificate and key cannot be used together')
  })
})
