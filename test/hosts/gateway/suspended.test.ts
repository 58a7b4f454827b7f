/**
 * suspended: a gateway in the background that accepts connections and never reads them, as after SIGSTOP.
 */
import { expect, test } from 'vitest'
import { openDaemonMachine, says, server, who, type DaemonMachine } from './daemon.ts'

const NOTE = 'note: the gateway that runs has not answered for 2 s: it is not used'

interface Gateway extends Disposable {
  readonly pid: number
}

/** Ended by force, since one that is suspended does not hear `stop`. */
async function startGateway({ machine, status }: DaemonMachine): Promise<Gateway> {
  await machine.run(['serve', '--daemon'])
  const pid = (await status()).gateway.pid!
  return { pid, [Symbol.dispose]: () => void process.kill(pid, 'SIGKILL') }
}

/** A gateway that does nothing any more. */
async function suspend(daemon: DaemonMachine): Promise<Gateway> {
  const gateway = await startGateway(daemon)
  process.kill(gateway.pid, 'SIGSTOP')
  return gateway
}

test.each([
  ['call', ['call', 'one', 'who', '--timeout', '5000']],
  ['tools', ['tools', '--wait']],
  ['list --check', ['list', '--check']],
] as const)('`%s` goes on alone, and says so', async (_name, line) => {
  await using daemon = openDaemonMachine({ one: server('tells-who') })
  using _ = await suspend(daemon)
  const { code, stdout, stderr } = await daemon.machine.run(line)
  expect(code).toBe(0)
  expect(stdout).toContain(line[1] === 'one' ? '"pid"' : 'one')
  expect(stderr).toContain(NOTE)
})

test('a command that was under way ends, and says that it may have happened', async () => {
  await using daemon = openDaemonMachine({ one: server('tells-who') })
  const { machine } = daemon
  using gateway = await startGateway(daemon)
  const file = machine.at('~/told')
  const ran = machine.run(['call', 'one', 'hang', `file=${file}`, '--json'])
  await says(file, 'begun')
  process.kill(gateway.pid, 'SIGSTOP')
  const { code, stdout } = await ran
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toEqual({
    error: {
      code: 'serve/lost',
      message: 'the gateway has not answered for 10 s: it may be suspended',
      hints: ['what was asked for may have happened; to see how the gateway is, run `plugboard status`'],
    },
  })
  process.kill(gateway.pid, 'SIGCONT')
  // Its visitor is gone.
  await says(file, 'cancelled')
})

test('a command that takes longer than that is not given up', async () => {
  await using daemon = openDaemonMachine({ one: server('well-behaved') })
  using _ = await startGateway(daemon)
  expect(await daemon.machine.run(['call', 'one', 'slow', 'ms=12000'])).toMatchObject({
    code: 0,
    stdout: 'done\n',
  })
})

test('what was asked of it is not done a second time when it wakes up', async () => {
  await using daemon = openDaemonMachine({ one: server('tells-who') })
  const { machine } = daemon
  await machine.run(['serve', '--daemon'])
  const before = await who(machine, 'one')
  const { gateway } = await daemon.status()
  process.kill(gateway.pid!, 'SIGSTOP')
  expect(await who(machine, 'one')).toMatchObject({ calls: 1 })
  process.kill(gateway.pid!, 'SIGCONT')
  expect(await who(machine, 'one')).toMatchObject({ pid: before.pid, calls: before.calls + 1 })
})

test('a client of `serve --stdio` is served without it', async () => {
  await using daemon = openDaemonMachine({ one: server('tells-who') })
  using _ = await suspend(daemon)
  const request = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const { stdout, stderr } = await daemon.machine.run(['serve', '--stdio'], {
    input: `${JSON.stringify(request)}\n`,
  })
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: {} })
  expect(stderr).toContain(NOTE)
})

test('`status` and `stop` say that it does not answer, and how to end it', async () => {
  await using daemon = openDaemonMachine({})
  using suspended = await suspend(daemon)
  const { pid } = suspended
  const ran = await Promise.all([daemon.machine.run(['status']), daemon.machine.run(['stop'])])
  for (const { code, stderr } of ran) {
    expect(code).not.toBe(0)
    expect(stderr).toContain(`a gateway runs (pid ${pid}), and does not answer`)
    expect(stderr).toContain(`kill -9 ${pid}`)
  }
})
