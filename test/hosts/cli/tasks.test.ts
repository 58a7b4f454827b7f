/**
 * tasks: a tool that can only be called as a task is in quarantine, with the reason, wherever tools are shown.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { officialEntry, openTestBoard, serverEntry } from '../../boards/open.ts'
import { allowAll } from '../../boards/permits.ts'
import { openMachine, type Machine } from '../../processes/plugboard.ts'
import { startServing, tokenOf } from '../../processes/serve.ts'
import { connectClient, httpTransport, textOf, writeSettings } from '../gateway/open.ts'

const REASON =
  'it can only be called as a task (`execution.taskSupport` is `required`), which Plugboard does not do yet'

const SERVERS = {
  everything: officialEntry('everything'),
  tasks: serverEntry('takes-tasks'),
  without: serverEntry('takes-tasks', '--without'),
}

let machine: Machine
beforeAll(() => {
  machine = openMachine()
  writeSettings(machine.home, { servers: SERVERS })
})
afterAll(() => machine[Symbol.dispose]())

interface Tools {
  readonly tools: readonly { readonly tool: string; readonly quarantined?: string }[]
}

describe('plugboard', () => {
  test.each([
    ['everything', 'simulate-research-query'],
    ['tasks', 'later'],
  ])('tools %s says why `%s` cannot be used', async (server, name) => {
    const { tools } = (await machine.json(['tools', server])) as Tools
    expect(tools.find(({ tool }) => tool === name)).toMatchObject({ quarantined: REASON })
    expect(tools.filter(({ quarantined }) => quarantined !== undefined)).toHaveLength(1)
    const { stdout } = await machine.run(['tools', server])
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(REASON)
    const { code, stderr } = await machine.run(['call', server, name])
    expect(code).toBe(2)
    expect(stderr).toContain(`\`${server}.${name}\` cannot be used: ${REASON}`)
  })

  test.each([
    ['tasks', 'either'],
    ['without', 'later'],
  ])('calls %s.%s as any tool', async (server, name) => {
    expect(await machine.json(['call', server, name])).toMatchObject({
      outcome: 'done',
      text: `${name}, as a call`,
    })
  })
})

test('a board says so in its snapshot, and has no such tool', async () => {
  await using test = await openTestBoard({ tasks: SERVERS.tasks }, { permit: allowAll })
  const { board } = test
  expect(board.tools().map(({ tool }) => tool)).toEqual(['echo', 'slow', 'either'])
  expect(board.server('tasks')?.offering?.quarantined).toEqual([
    { kind: 'tool', name: 'later', reason: REASON },
  ])
})

test.each(['legacy', 'modern'] as const)(
  'the gateway says so in its status, and when it is called (%s)',
  async (era) => {
    await using gateway = await startServing(machine, '--http', '0')
    const connect = (path: string): ReturnType<typeof connectClient> =>
      connectClient(httpTransport(new URL(path, gateway.url), tokenOf(machine)), { era })
    await using all = await connect('/mcp')
    const call = (name: string) => ({ name, arguments: {} })
    await expect
      .poll(async () => JSON.parse(textOf(await all.client.callTool(call('plugboard_status')))) as unknown, {
        timeout: 20_000,
      })
      .toMatchObject({
        servers: [
          { name: 'everything', quarantined: [{ reason: REASON }] },
          { name: 'tasks' },
          { name: 'without' },
        ],
      })
    const { tools } = await all.client.listTools()
    expect(tools.map(({ name }) => name)).not.toContain('mcp__tasks__later')
    await expect(all.client.callTool(call('mcp__tasks__later'))).rejects.toThrow(REASON)
    await using own = await connect('/mcp/tasks')
    await expect(own.client.callTool(call('later'))).rejects.toThrow(REASON)
    expect(textOf(await own.client.callTool(call('either')))).toBe('either, as a call')
  },
)
