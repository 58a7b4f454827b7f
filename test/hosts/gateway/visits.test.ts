/**
 * visits: commands that a gateway in the background carries out, and that nobody could tell from those that work alone.
 */
import { describe, expect, test } from 'vitest'
import type { Ran } from '../../processes/plugboard.ts'
import { openDaemonMachine, says, server, who } from './daemon.ts'

/** How long something took is another each time, and so is when it is tried again. */
function settled({ code, stdout, stderr }: Ran): Ran {
  const same = (text: string): string =>
    text
      .replace(/"(?:durationMs|ms|waitedMs|at)":[\d.]+/g, '"ms":0')
      .replace(/\d+(?:\.\d+)? m?s\b/g, '0 ms')
      .replace(/ +(?=0 ms)/g, ' ')
      // Tried once or many times: it is as far.
      .replaceAll('"state":"failed"', '"state":"waiting"')
  // Servers come as they are ready.
  const sorted = stdout.startsWith('{') ? stdout : stdout.split('\n').sort().join('\n')
  return { code, stdout: same(sorted), stderr: same(stderr) }
}

const SERVERS = {
  files: server('tells-changes'),
  odd: server('outcomes'),
  sick: server('dies-in-handshake'),
}

const SETTINGS = {
  permissions: { rules: [{ tool: 'mcp__odd__refuses', action: 'deny', reason: 'not today' }] },
}

const LINES: readonly (readonly [readonly string[], string?])[] = [
  [['tools', '--wait']],
  [['tools', 'files', '--json']],
  [['tools', 'files', '--schema']],
  [['tools', 'sick']],
  [['tools', 'sick', '--json']],
  [['tools', 'nobody']],
  [['tools', '--wait', '--json']],
  [['tools', '--provider', 'nobody']],
  [['call', 'files', 'echo', 'text=hi']],
  [['call', 'files', 'echo', 'text=hi', '--json']],
  [['call', 'files', 'echo', '--output', 'raw', '--args', '{"text":"hi"}']],
  [['call', 'files', 'echo', '--args', '-'], '{"text":"from a pipe"}'],
  [['call', 'files', 'echo', '--args', '@given.json']],
  [['call', 'files', 'echo', '--args', '@missing.json']],
  [['call', 'files', 'echo']],
  [['call', 'files', 'ecko', 'text=hi']],
  [['call', 'nobody', 'echo']],
  [['call', 'sick', 'echo', 'text=hi']],
  [['call', 'odd', 'fails']],
  [['call', 'odd', 'refuses']],
  [['call', 'odd', 'structured', '--json']],
  [['call', 'odd', 'hangs', '--timeout', '3000']],
  [['call', 'listMcpResources', 'server=files']],
  [['call', 'files', 'echo', '--timeout', 'soon']],
  [['resources', '--wait']],
  [['resources', 'files', '--json']],
  [['read', 'files', 'note://one']],
  [['read', 'files', 'note://nothing']],
  [['prompts', '--wait']],
  [['prompt', 'files', 'nothing']],
  [['list', '--check']],
  [['list', '--check', '--json']],
]

describe('the same, with and without', () => {
  test('every command that connects', async () => {
    await using daemon = openDaemonMachine(SERVERS, {
      '~/.config/plugboard/settings.json': SETTINGS,
      './given.json': { text: 'from a file' },
    })
    const { machine } = daemon
    const runAll = async (flags: readonly string[]): Promise<readonly object[]> => {
      const all: object[] = []
      for (const [line, input] of LINES) {
        const ran = await machine.run([...line, ...flags], input === undefined ? {} : { input })
        all.push({ line: line.join(' '), ...settled(ran) })
      }
      return all
    }
    const alone = await runAll(['--alone'])
    expect(await machine.run(['serve', '--daemon'])).toMatchObject({ code: 0 })
    expect(await runAll([])).toEqual(alone)
    // And the gateway was there for it.
    expect((await daemon.status()).servers.map(({ project }) => project)).toContain(machine.project)
  }, 120_000)

  test('Ctrl-C gives the call up, there and here', async () => {
    await using daemon = openDaemonMachine({ one: server('tells-who') })
    const { machine } = daemon
    await machine.run(['serve', '--daemon'])
    const file = machine.at('~/told')
    const ran = await machine.run(['call', 'one', 'hang', `file=${file}`, '--json'], {
      interruptWhen: says(file, 'begun'),
    })
    expect(ran).toMatchObject({ code: 130 })
    expect(JSON.parse(ran.stdout)).toMatchObject({ outcome: 'aborted' })
    await says(file, 'cancelled')
  })
})

describe('what is running is used', () => {
  test('calls of different processes reach one server, which `--alone` and `--mcp-config` do not', async () => {
    await using daemon = openDaemonMachine({ one: server('tells-who') })
    const { machine } = daemon
    await machine.run(['serve', '--daemon'])
    const [first, second] = [await who(machine, 'one'), await who(machine, 'one')]
    expect(second).toMatchObject({ pid: first.pid, calls: first.calls + 1 })
    const alone = await who(machine, 'one', { flags: ['--alone'] })
    expect(alone).toMatchObject({ calls: 1 })
    const more = JSON.stringify({ mcpServers: { one: server('tells-who') } })
    expect(await who(machine, 'one', { flags: ['--mcp-config', more] })).toMatchObject({ calls: 1 })
  })

  test('a server that was added or forbidden a moment ago is so at once', async () => {
    await using daemon = openDaemonMachine({})
    const { machine } = daemon
    await machine.run(['serve', '--daemon'])
    await machine.run(['tools'])
    const add = JSON.stringify(server('tells-who'))
    expect(await machine.run(['add-json', 'late', add, '--no-check'])).toMatchObject({ code: 0 })
    expect(await who(machine, 'late')).toMatchObject({ calls: 1 })
    await machine.run(['permissions', 'deny', 'mcp__late__who'])
    expect(await machine.run(['call', 'late', 'who'])).toMatchObject({ code: 5 })
    await machine.run(['remove', 'late', '--yes'])
    expect(await machine.run(['call', 'late', 'who'])).toMatchObject({ code: 2 })
  })

  test('a variable that the configuration speaks of is that of whoever asks', async () => {
    await using daemon = openDaemonMachine({ one: server('tells-who', { env: { VALUE: '${GIVEN:-none}' } }) })
    const { machine } = daemon
    await machine.run(['serve', '--daemon'], { env: { GIVEN: 'a' } })
    const ask = (given: string, other = 'x') => who(machine, 'one', { env: { GIVEN: given, OTHER: other } })
    const [a, b, again] = [await ask('a'), await ask('b'), await ask('b', 'y')]
    expect([a.value, b.value, again.value]).toEqual(['a', 'b', 'b'])
    expect(a.pid).not.toBe(b.pid)
    expect(again.pid).toBe(b.pid)
  })

  test('a repository’s own servers are those of the folder one is in', async () => {
    await using daemon = openDaemonMachine(
      { one: server('tells-who') },
      { './.mcp.json': { mcpServers: { local: server('tells-who') } } },
    )
    const { machine } = daemon
    await machine.run(['serve', '--daemon'])
    expect(await machine.run(['call', 'local', 'who'])).toMatchObject({ code: 2 })
    await machine.run(['trust', 'approve', 'local', '--yes'])
    expect(await who(machine, 'local')).toMatchObject({ cwd: machine.project })
    expect(await machine.run(['call', 'local', 'who'], { cwd: machine.home })).toMatchObject({ code: 2 })
  })

  test('a gateway that dies in the middle of a call says that nobody knows', async () => {
    await using daemon = openDaemonMachine({ one: server('tells-who') })
    const { machine } = daemon
    await machine.run(['serve', '--daemon'])
    const { gateway } = await daemon.status()
    const file = machine.at('~/told')
    const running = machine.run(['call', 'one', 'hang', `file=${file}`])
    await says(file, 'begun')
    process.kill(gateway.pid!, 'SIGKILL')
    const { code, stderr } = await running
    expect({ code, first: stderr.split('\n')[0] }).toEqual({
      code: 1,
      first: 'error: the gateway went away before it had answered',
    })
  })
})
