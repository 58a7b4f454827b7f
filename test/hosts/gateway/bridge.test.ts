/**
 * bridge: `plugboard serve --stdio` as agents start it, while a gateway runs in the background.
 */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { BIN, type Machine } from '../../processes/plugboard.ts'
import { gone, openDaemonMachine, says, server, type Who } from './daemon.ts'

const RULES = {
  '~/.config/plugboard/settings.json': { permissions: { rules: [{ tool: 'mcp__*', action: 'allow' }] } },
}

async function connectClient(machine: Machine, cwd = machine.project): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: 'agent', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [BIN, 'serve', '--stdio'],
      env: { HOME: machine.home, PATH: process.env['PATH'] ?? '', PLUGBOARD_KEYCHAIN: 'off' },
      cwd,
      stderr: 'ignore',
    }),
  )
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}

async function whoIs(client: Client, name = 'mcp__one__who'): Promise<Who> {
  const { content } = (await client.callTool({ name, arguments: {} })) as {
    readonly content: readonly { readonly text: string }[]
  }
  return JSON.parse(content[0]!.text) as Who
}

/** Its lists come when its server is ready. */
async function untilListed(client: Client, name: string): Promise<void> {
  for (;;) {
    const { tools } = await client.listTools()
    if (tools.some((tool) => tool.name === name)) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('clients of one project share a server, and each sees the project it was started in', async () => {
  await using daemon = openDaemonMachine(
    { one: server('tells-who') },
    { ...RULES, './.mcp.json': { mcpServers: { local: server('tells-who', { env: { VALUE: 'local' } }) } } },
  )
  const { machine } = daemon
  await machine.run(['trust', 'approve', 'local', '--yes'])
  await machine.run(['serve', '--daemon'])
  await using a = await connectClient(machine)
  await using b = await connectClient(machine)
  await using elsewhere = await connectClient(machine, machine.home)
  await untilListed(a, 'mcp__local__who')
  await untilListed(b, 'mcp__one__who')
  const [first, second] = [await whoIs(a), await whoIs(b)]
  expect(second).toMatchObject({ pid: first.pid, calls: first.calls + 1 })
  expect(await whoIs(a, 'mcp__local__who')).toMatchObject({ cwd: machine.project })
  await untilListed(elsewhere, 'mcp__one__who')
  expect((await elsewhere.listTools()).tools.map(({ name }) => name)).not.toContain('mcp__local__who')
})

test('without a gateway it works alone, and a gateway that is replaced is not noticed but by a call under way', async () => {
  await using daemon = openDaemonMachine({ one: server('tells-who') }, RULES)
  const { machine } = daemon
  {
    await using alone = await connectClient(machine)
    await untilListed(alone, 'mcp__one__who')
    expect(await whoIs(alone)).toMatchObject({ calls: 1 })
    expect((await daemon.status()).gateway.running).toBe(false)
  }
  await machine.run(['serve', '--daemon'])
  await using client = await connectClient(machine)
  await untilListed(client, 'mcp__one__who')
  const before = await whoIs(client)
  const file = machine.at('~/told')
  const underWay = client.callTool({ name: 'mcp__one__hang', arguments: { file } })
  await says(file, 'begun')
  const { gateway } = await daemon.status()
  process.kill(gateway.pid!, 'SIGKILL')
  await expect(underWay).rejects.toThrow('what was asked for may have happened')
  await gone(gateway.pid!)
  await machine.run(['serve', '--daemon'])
  await untilListed(client, 'mcp__one__who')
  const after = await whoIs(client)
  expect(after.pid).not.toBe(before.pid)
  expect((await daemon.status()).servers.map(({ project }) => project)).toContain(machine.project)
})

test('a gateway that does not come back is replaced by one for this client alone', async () => {
  await using daemon = openDaemonMachine({ one: server('tells-who') }, RULES)
  const { machine } = daemon
  await machine.run(['serve', '--daemon'])
  await using client = await connectClient(machine)
  await untilListed(client, 'mcp__one__who')
  await machine.run(['stop'])
  await untilListed(client, 'mcp__one__who')
  expect(await whoIs(client)).toMatchObject({ calls: 1 })
  expect((await daemon.status()).gateway.running).toBe(false)
})

interface Heard {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly requestId?: string }
}

interface Speaker extends AsyncDisposable {
  send(message: object): void
  /** The next one that it is. */
  hear(isIt: (message: Heard) => boolean): Promise<Heard>
}

/** One that does not answer before it is told to. */
function openSpeaker(machine: Machine): Speaker {
  const child = spawn(process.execPath, [BIN, 'serve', '--stdio'], {
    env: { HOME: machine.home, PATH: process.env['PATH'] ?? '', PLUGBOARD_KEYCHAIN: 'off' },
    cwd: machine.project,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const closed = once(child, 'close')
  return {
    send: (message) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    async hear(isIt) {
      for (;;) {
        const { value, done } = await lines.next()
        if (done === true) throw new Error('it ended')
        const message = JSON.parse(value) as Heard
        if (isIt(message)) return message
      }
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await closed
    },
  }
}

test('a question of a gateway that went away is taken back, and an answer to it fits no question of the next', async () => {
  await using daemon = openDaemonMachine({ one: server('tells-who') })
  const { machine } = daemon
  await machine.run(['serve', '--daemon'])
  await using speaker = openSpeaker(machine)
  speaker.send({
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: { form: {} } },
      clientInfo: { name: 'speaker', version: '1' },
    },
  })
  await speaker.hear(({ id }) => id === 1)
  speaker.send({ method: 'notifications/initialized' })
  const call = { method: 'tools/call', params: { name: 'mcp__one__who', arguments: {} } }
  const isQuestion = ({ method }: Heard): boolean => method === 'elicitation/create'
  speaker.send({ id: 2, ...call })
  const { id: asked } = await speaker.hear(isQuestion)
  const { pid } = (await daemon.status()).gateway
  process.kill(pid!, 'SIGKILL')
  const cancelled = await speaker.hear(({ method }) => method === 'notifications/cancelled')
  expect(cancelled.params).toEqual({ requestId: asked })
  await gone(pid!)
  await machine.run(['serve', '--daemon'])
  speaker.send({ id: 3, ...call })
  const { id: askedNext } = await speaker.hear(isQuestion)
  expect(askedNext).not.toBe(asked)
}, 60_000)
