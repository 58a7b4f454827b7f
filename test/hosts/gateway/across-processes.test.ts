/**
 * across-processes: a gateway in the background and commands that run beside it, all of them the built command. What one
 * process does, the other must hear of.
 */
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from 'vitest'
import type { Machine, Ran } from '../../processes/plugboard.ts'
import { startAuthorizationServer } from '../../servers/authorization-server.ts'
import { startProtectedServer } from '../../servers/protected-server.ts'
import { gone, isAlive, openDaemonMachine, server, who } from './daemon.ts'
import { connectClient, textOf, type TestClient } from './open.ts'

/** Every tool may be called, and a server runs for two clients at most where each has one of its own. */
const SETTINGS = {
  permissions: { rules: [{ tool: 'mcp__*', action: 'allow' }] },
  gateway: { maxPerServer: 2 },
}

/** An agent that started `plugboard serve --stdio`, which passes everything on to the gateway. */
function connectAgent(machine: Machine): Promise<TestClient> {
  const [command = '', ...args] = machine.command
  const transport = new StdioClientTransport({
    command,
    args: [...args, 'serve', '--stdio'],
    env: { HOME: machine.home, PATH: process.env['PATH'] ?? '', PLUGBOARD_KEYCHAIN: 'off' },
    cwd: machine.project,
    stderr: 'ignore',
  })
  return connectClient(transport, { era: 'legacy', capabilities: {} })
}

const TOOLS_CHANGED = 'notifications/tools/list_changed'

/** Resolves when the agent is offered this tool. */
async function untilOffered({ client, told, untilTold }: TestClient, name: string): Promise<void> {
  for (;;) {
    const changes = told.filter(({ method }) => method === TOOLS_CHANGED).length
    const { tools } = await client.listTools()
    if (tools.some((tool) => tool.name === name)) return
    await untilTold(TOOLS_CHANGED, changes + 1)
  }
}

test('a server of its own ends with the command that it was for, and makes room for the next', async () => {
  await using daemon = openDaemonMachine(
    { own: server('tells-who', { isolation: 'session' }) },
    { '~/.config/plugboard/settings.json': SETTINGS },
  )
  const { machine } = daemon
  await machine.run(['serve', '--daemon'])
  const pids: number[] = []
  for (let call = 1; call <= 3; call++) {
    const { pid, calls } = await who(machine, 'own')
    expect(calls).toBe(1)
    await gone(pid)
    pids.push(pid)
  }
  expect(new Set(pids).size).toBe(3)
  expect((await daemon.status()).gateway.running).toBe(true)
})

test('a server of its own ends with the agent that it was for', async () => {
  await using daemon = openDaemonMachine(
    { own: server('tells-who', { isolation: 'session' }) },
    { '~/.config/plugboard/settings.json': SETTINGS },
  )
  const { machine } = daemon
  await machine.run(['serve', '--daemon'])
  const pidOf = async ({ client }: TestClient): Promise<number> =>
    (JSON.parse(textOf(await client.callTool({ name: 'mcp__own__who', arguments: {} }))) as { pid: number })
      .pid
  const [first, second] = [await connectAgent(machine), await connectAgent(machine)]
  await using _ = second
  await Promise.all([first, second].map((agent) => untilOffered(agent, 'mcp__own__who')))
  const [a, b] = [await pidOf(first), await pidOf(second)]
  expect(a).not.toBe(b)
  await first[Symbol.asyncDispose]()
  await gone(a)
  expect(isAlive(b)).toBe(true)
})

test('a sign-in of another process is used, and so is a sign-out', async () => {
  await using authorization = await startAuthorizationServer()
  await using guarded = await startProtectedServer({ authorization })
  await using daemon = openDaemonMachine(
    { guarded: { type: 'http', url: guarded.url } },
    { '~/.config/plugboard/settings.json': SETTINGS },
  )
  const { machine } = daemon
  await machine.run(['serve', '--daemon'])
  const call = (): Promise<Ran> => machine.run(['call', 'guarded', 'echo', 'text=hi'])
  const given = await authorization.signIn({ resource: guarded.url, scopes: ['mcp:read'] })
  machine.write({
    './token.json': {
      access_token: given.accessToken,
      refresh_token: given.refreshToken,
      expires_in: given.expiresInSeconds,
      scope: given.scopes.join(' '),
      client_id: given.clientId,
      token_endpoint: `${authorization.issuer}/token`,
      revocation_endpoint: `${authorization.issuer}/token/revocation`,
      issuer: authorization.issuer,
      resource: guarded.url,
    },
  })
  expect(await call()).toMatchObject({ code: 4, stdout: '' })
  await using agent = await connectAgent(machine)

  expect(await machine.run(['login', 'guarded', '--token-file', 'token.json'])).toMatchObject({ code: 0 })
  await untilOffered(agent, 'mcp__guarded__echo')
  expect(await call()).toEqual({ code: 0, stdout: 'hi\n', stderr: '' })

  expect(await machine.run(['logout', 'guarded'])).toMatchObject({ code: 0 })
  expect(await call()).toMatchObject({ code: 4, stdout: '' })
})

test('a rule that another process writes decides the next call of an agent', async () => {
  await using daemon = openDaemonMachine(
    { one: server('well-behaved') },
    { '~/.config/plugboard/settings.json': SETTINGS },
  )
  const { machine } = daemon
  await machine.run(['serve', '--daemon'])
  await using agent = await connectAgent(machine)
  await untilOffered(agent, 'mcp__one__echo')
  const call = async (): Promise<string> =>
    textOf(await agent.client.callTool({ name: 'mcp__one__echo', arguments: { text: 'hi' } }))
  expect(await call()).toBe('hi')
  expect(await machine.run(['permissions', 'deny', 'mcp__one__echo'])).toMatchObject({ code: 0 })
  expect(await machine.run(['call', 'one', 'echo', 'text=hi'])).toMatchObject({ code: 5 })
  expect(await call()).toContain('denied by rule `mcp__one__echo`')
})

test('an agent that subscribed is told what a command of another process changed', async () => {
  await using daemon = openDaemonMachine(
    { notes: server('tells-changes') },
    { '~/.config/plugboard/settings.json': SETTINGS },
  )
  const { machine } = daemon
  await machine.run(['serve', '--daemon'])
  await using agent = await connectAgent(machine)
  await untilOffered(agent, 'mcp__notes__touch')
  const { resources } = await agent.client.listResources()
  const { uri } = resources.find((one) => one.uri.endsWith('note://one'))!
  await agent.client.subscribeResource({ uri })
  expect(await machine.run(['call', 'notes', 'touch', 'uri=note://one'])).toMatchObject({ code: 0 })
  await agent.untilTold('notifications/resources/updated')
  expect(agent.told.at(-1)).toMatchObject({ params: { uri } })
})

test('a server that another process approves is offered to an agent, and one that it declines is not', async () => {
  await using daemon = openDaemonMachine(
    { one: server('well-behaved') },
    {
      '~/.config/plugboard/settings.json': SETTINGS,
      './.mcp.json': { mcpServers: { local: server('well-behaved') } },
    },
  )
  const { machine } = daemon
  await machine.run(['serve', '--daemon'])
  await using agent = await connectAgent(machine)
  await untilOffered(agent, 'mcp__one__echo')
  expect(await machine.run(['call', 'local', 'echo', 'text=hi'])).toMatchObject({ code: 2 })
  expect(await machine.run(['trust', 'approve', 'local', '--yes'])).toMatchObject({ code: 0 })
  await untilOffered(agent, 'mcp__local__echo')
  expect(await machine.run(['call', 'local', 'echo', 'text=hi'])).toMatchObject({ code: 0, stdout: 'hi\n' })

  const changes = agent.told.filter(({ method }) => method === TOOLS_CHANGED).length
  expect(await machine.run(['trust', 'decline', 'local'])).toMatchObject({ code: 0 })
  await agent.untilTold(TOOLS_CHANGED, changes + 1)
  const { tools } = await agent.client.listTools()
  expect(tools.map(({ name }) => name)).not.toContain('mcp__local__echo')
})
