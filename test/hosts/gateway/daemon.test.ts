/**
 * daemon: the gateway in the background, started, looked at and ended by the built command, as its users do.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startSigningIssuer } from '../../servers/signing-issuer.ts'
import { gone, isAlive, modeOf, openDaemonMachine, server, speak, who } from './daemon.ts'

describe('its life', () => {
  test('it outlives the command that started it, and `stop` ends it with its servers', async () => {
    await using daemon = openDaemonMachine({ one: server('tells-who') })
    const { machine, folder } = daemon
    expect(await machine.json(['status'])).toEqual({ gateway: { running: false }, servers: [] })
    const started = await machine.run(['serve', '--daemon'])
    expect(started).toMatchObject({ code: 0 })
    const { gateway, servers } = await daemon.status()
    expect(started.stdout).toBe(`a gateway runs in the background: pid ${gateway.pid}, version 0.1.0\n`)
    expect(gateway).toMatchObject({ running: true, socket: join(folder, 'socket') })
    expect(servers.map(({ name, project }) => ({ name, project }))).toEqual([
      { name: 'one', project: machine.home },
    ])
    const { pid } = await who(machine, 'one')
    expect(await machine.run(['stop'])).toMatchObject({
      code: 0,
      stdout: `the gateway is gone: pid ${gateway.pid}, version 0.1.0\n`,
    })
    expect([isAlive(gateway.pid!), isAlive(pid)]).toEqual([false, false])
    expect([existsSync(join(folder, 'socket')), existsSync(join(folder, 'gateway.json'))]).toEqual([
      false,
      false,
    ])
    expect(await machine.run(['stop'])).toMatchObject({
      code: 0,
      stdout: 'no gateway runs in the background\n',
    })
  })

  test('an entry with its address is left out while it runs, whoever looks', async () => {
    await using daemon = openDaemonMachine({ one: server('tells-who') })
    const { machine } = daemon
    await machine.run(['serve', '--daemon', '--http', '0'])
    const { address } = (await daemon.status()).gateway
    const url = address!.replace('127.0.0.1', 'localhost')
    await machine.run(['add', 'itself', url, '--transport', 'http', '--no-check'])
    const fate = async (): Promise<unknown> => {
      const { servers } = (await machine.json(['list', '--all'])) as {
        readonly servers: readonly { readonly name: string; readonly fate: unknown }[]
      }
      return servers.find(({ name }) => name === 'itself')
    }
    expect(await fate()).toMatchObject({ fate: { kind: 'excluded', by: { rule: 'gateway' } } })
    await machine.run(['stop'])
    expect(await fate()).toMatchObject({ fate: { kind: 'chosen' } })
  })

  test('an entry with its public address is left out as well', async () => {
    await using issuer = await startSigningIssuer()
    const gateway = { authIssuer: issuer.issuer, publicUrl: 'https://tools.example.com/' }
    await using daemon = openDaemonMachine(
      { itself: { type: 'http', url: 'https://tools.example.com/mcp' } },
      { '~/.config/plugboard/settings.json': { gateway } },
    )
    const { machine } = daemon
    expect(await machine.run(['serve', '--daemon', '--http', '0'])).toMatchObject({ code: 0 })
    expect(await machine.json(['list', '--all'])).toMatchObject({
      servers: [{ name: 'itself', fate: { kind: 'excluded', by: { rule: 'gateway' } } }],
    })
  })

  test('of two that start at once one runs, and the other says which', async () => {
    await using daemon = openDaemonMachine({})
    const both = await Promise.all([1, 2].map(() => daemon.machine.run(['serve', '--daemon'])))
    const { gateway } = await daemon.status()
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1])
    const [won, lost] = both[0]!.code === 0 ? both : both.toReversed()
    expect(won!.stdout).toContain(`pid ${gateway.pid}`)
    expect(lost!.stderr).toContain(`error: a gateway runs already: pid ${gateway.pid}, version 0.1.0\n`)
  })

  test('one that is killed is known to be, its servers end, and the next takes its place', async () => {
    await using daemon = openDaemonMachine({ one: server('tells-who') })
    const { machine } = daemon
    await machine.run(['serve', '--daemon'])
    const { gateway } = await daemon.status()
    const { pid } = await who(machine, 'one')
    process.kill(gateway.pid!, 'SIGKILL')
    await Promise.all([gone(gateway.pid!), gone(pid)])
    expect((await daemon.status()).gateway).toMatchObject({ running: false, died: { pid: gateway.pid } })
    // Nobody is there, and the command does it by itself.
    expect((await who(machine, 'one')).pid).not.toBe(pid)
    expect(await machine.run(['serve', '--daemon'])).toMatchObject({ code: 0 })
    expect((await daemon.status()).gateway).toMatchObject({ running: true })
  })

  test('SIGTERM ends it in good order', async () => {
    await using daemon = openDaemonMachine({ one: server('tells-who') })
    const { machine, folder } = daemon
    await machine.run(['serve', '--daemon'])
    const { gateway } = await daemon.status()
    const { pid } = await who(machine, 'one')
    process.kill(gateway.pid!, 'SIGTERM')
    await Promise.all([gone(gateway.pid!), gone(pid)])
    expect(existsSync(join(folder, 'gateway.json'))).toBe(false)
    expect(readFileSync(join(folder, 'gateway.log'), 'utf8')).toMatch(/started.*\n(?:.*\n)*.*ended\n$/)
  })

  test('with an address it serves that, too', async () => {
    await using daemon = openDaemonMachine({})
    expect(await daemon.machine.run(['serve', '--daemon', '--http', '0'])).toMatchObject({ code: 0 })
    const { gateway } = await daemon.status()
    expect((await fetch(new URL('/healthz', gateway.address))).status).toBe(200)
    expect((await fetch(gateway.address!, { method: 'POST', body: '{}' })).status).toBe(401)
  })

  test('an address that is taken is told, and leaves nothing behind', async () => {
    await using daemon = openDaemonMachine({})
    const { machine, folder } = daemon
    await machine.run(['serve', '--daemon', '--http', '0'])
    const port = new URL((await daemon.status()).gateway.address!).port
    await using other = openDaemonMachine({})
    const failed = await other.machine.run(['serve', '--daemon', '--http', port])
    expect(failed).toMatchObject({ code: 1 })
    expect(failed.stderr).toContain(`error: another program listens on \`127.0.0.1:${port}\` already`)
    expect(existsSync(join(folder, 'socket'))).toBe(true)
    expect((await other.status()).gateway).toEqual({ running: false })
  })

  test.each([['--stdio'], ['--no-mcp']])('%s does not go with it', async (flag) => {
    await using daemon = openDaemonMachine({})
    const { code, stderr } = await daemon.machine.run(['serve', '--daemon', flag])
    expect({ code, first: stderr.split('\n')[0] }).toEqual({
      code: 2,
      first: `error: \`--daemon\` and \`${flag}\` do not go together`,
    })
  })
})

describe('these tests', () => {
  let left: readonly number[] = []

  test('one that goes wrong in the middle …', async () => {
    const { machine, status } = openDaemonMachine({ one: server('tells-who') })
    await machine.run(['serve', '--daemon'])
    const { gateway } = await status()
    left = [gateway.pid!, (await who(machine, 'one')).pid]
    expect(left.map(isAlive)).toEqual([true, true])
  })

  test('… leaves nobody behind', () => {
    expect(left.length).toBe(2)
    expect(left.map(isAlive)).toEqual([false, false])
  })

  test('a gateway that does not hear is ended all the same', async () => {
    const daemon = openDaemonMachine({ one: server('tells-who') })
    await daemon.machine.run(['serve', '--daemon'])
    const { gateway } = await daemon.status()
    const { pid } = await who(daemon.machine, 'one')
    // As if nobody could be asked: the socket leads nowhere, and a server hangs in the middle of its work.
    rmSync(join(daemon.folder, 'socket'))
    process.kill(pid, 'SIGSTOP')
    await daemon[Symbol.asyncDispose]()
    expect([gateway.pid!, pid].map(isAlive)).toEqual([false, false])
  })
})

describe('who may come in', () => {
  test('its user alone: folder, socket, record and log are nobody else’s', async () => {
    await using daemon = openDaemonMachine({})
    await daemon.machine.run(['serve', '--daemon'])
    const modes = ['', 'socket', 'gateway.json', 'gateway.log'].map((file) =>
      modeOf(join(daemon.folder, file)),
    )
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600])
  })

  test('a visitor of another version is told to do without it, and may ask how it is', async () => {
    await using daemon = openDaemonMachine({})
    await daemon.machine.run(['serve', '--daemon'])
    const { gateway } = await daemon.status()
    const from = { cwd: daemon.machine.project, env: {} }
    const answer = await speak(gateway.socket!, { version: '9.9.9', wants: { kind: 'mcp', ...from } })
    expect(JSON.parse(answer)).toMatchObject({ say: 'alone', why: expect.stringContaining('version 0.1.0') })
    const status = await speak(gateway.socket!, { version: '9.9.9', wants: { kind: 'status' } })
    expect(JSON.parse(status)).toMatchObject({ say: 'status', status: { gateway: { running: true } } })
  })

  test('what is no visit is hung up on', async () => {
    await using daemon = openDaemonMachine({})
    await daemon.machine.run(['serve', '--daemon'])
    const { gateway } = await daemon.status()
    const bad = ['nonsense', '{}', { version: '0.1.0', wants: { kind: 'command', argv: ['call'] } }]
    for (const said of bad) expect(await speak(gateway.socket!, said)).toBe('')
    expect((await daemon.status()).gateway.running).toBe(true)
  })

  test('a visitor can have nothing done that changes anything', async () => {
    await using daemon = openDaemonMachine({ one: server('well-behaved') })
    const { machine } = daemon
    await machine.run(['serve', '--daemon'])
    const { gateway } = await daemon.status()
    const terminal = { canAsk: false, hasColor: { out: false, err: false } }
    const wants = { kind: 'command', argv: ['remove', 'one'], terminal, cwd: machine.project, env: {} }
    const answer = await speak(gateway.socket!, { version: '0.1.0', wants }, { go: true })
    expect(JSON.parse(answer)).toMatchObject({ say: 'alone' })
    expect(readFileSync(machine.at('~/.config/plugboard/mcp.json'), 'utf8')).toContain('one')
  })
})
