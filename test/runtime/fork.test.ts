/**
 * fork: a sub-agent has the connections of its board, and never more of it than it was given.
 */
import { describe, expect, it } from 'vitest'
import type { Params } from '../../src/model/message.ts'
import type { ToolResult } from '../../src/model/outcome.ts'
import type { ToolToCall, WantedCall } from '../../src/model/permission.ts'
import type { BoardChange } from '../../src/runtime/board-events.ts'
import type { Board } from '../../src/runtime/board.ts'
import type { Fork } from '../../src/runtime/fork.ts'
import type { BoardTool } from '../../src/runtime/tools.ts'
import { openTestBoard, serverEntry, type TestBoard, type TestOptions } from '../boards/open.ts'
import { allowAll, denyAll } from '../boards/permits.ts'

const ALLOW_ALL = { tool: 'mcp__*', action: 'allow' } as const

function open(options: TestOptions = { rules: [ALLOW_ALL] }): Promise<TestBoard> {
  return openTestBoard({ x: serverEntry('outcomes') }, { wait: 'all', ...options })
}

function echo(board: Board | Fork, text = 'a'): Promise<ToolResult> {
  return board.call('mcp__x__echo', { text })
}

function namesOf(tools: readonly BoardTool[]): readonly string[] {
  return tools.map(({ name }) => name)
}

function toolOf({ board }: TestBoard, name: string): BoardTool {
  return board.tools().find((tool) => tool.name === name)!
}

const DENIED = { outcome: 'not-sent', code: 'denied', isError: true }

describe('the filter of a fork', () => {
  it('shows the tools that it names, and no others', async () => {
    await using test = await open()
    await using fork = test.board.fork({ allow: ['mcp__x__echo', 'mcp__x__b*'] })
    expect(namesOf(fork.tools())).toEqual(['mcp__x__echo', 'mcp__x__busy', 'mcp__x__big'])
    expect(fork.tools()).toBe(fork.tools())
  })

  it('denies every other tool, by any name, and says that it was the filter', async () => {
    await using test = await open()
    await using fork = test.board.fork({ allow: ['mcp__x__big'] })
    const expected = { ...DENIED, problem: { message: 'this agent may not use `x.echo`' } }
    expect(await echo(fork)).toMatchObject(expected)
    expect(await fork.call({ server: 'x', tool: 'echo' }, { text: 'a' })).toMatchObject(expected)
    const permissions = await fork.permissions()
    expect(permissions.look(toolOf(test, 'mcp__x__echo'), 'person')).toEqual({
      action: 'deny',
      by: { kind: 'filter' },
    })
    expect(await fork.call('mcp__x__big', { size: 3 })).toMatchObject({ outcome: 'done' })
    expect(await echo(test.board)).toMatchObject({ outcome: 'done' })
  })

  it('of a fork of a fork leaves only what both name', async () => {
    await using test = await open()
    await using fork = test.board.fork({ allow: ['mcp__x__b*'] })
    await using inner = fork.fork({ allow: ['mcp__x__big', 'mcp__x__echo'] })
    expect(namesOf(inner.tools())).toEqual(['mcp__x__big'])
    expect(await echo(inner)).toMatchObject(DENIED)
    expect(await inner.call('mcp__x__busy')).toMatchObject(DENIED)
  })

  it('that is empty leaves nothing', async () => {
    await using test = await open()
    await using fork = test.board.fork({ allow: [] })
    expect(fork.tools()).toEqual([])
    expect(await echo(fork)).toMatchObject(DENIED)
  })
})

describe('the built-in tools in a fork', () => {
  const ONE = { server: 'x', uri: 'note://one' }
  const openNotes = (options: TestOptions = {}): Promise<TestBoard> => {
    const notes = serverEntry('tells-changes')
    return openTestBoard({ x: notes, 'my notes': notes }, { wait: 'all', ...options })
  }
  const read = (board: Board | Fork, args: Params = ONE): Promise<ToolResult> =>
    board.call('readMcpResource', args)

  it('are those of the board that it was given, by their own names', async () => {
    await using test = await openNotes()
    const all = test.board.builtinTools()
    expect(test.board.fork().builtinTools()).toBe(all)
    const namesGiven = (...allow: string[]): readonly string[] =>
      test.board
        .fork({ allow })
        .builtinTools()
        .map(({ name }) => name)
    expect(namesGiven('mcp__*')).toEqual([])
    expect(namesGiven('mcp__x', 'list*')).toEqual(['listMcpResources'])
    expect(namesGiven('*')).toEqual(all.map(({ name }) => name))
    const fork = test.board.fork({ allow: ['*Mcp*'] }).fork({ allow: ['readMcpResource'] })
    expect(fork.builtinTools()).toEqual([expect.objectContaining({ name: 'readMcpResource' })])
    expect(fork.builtinTools()).toBe(fork.builtinTools())
  })

  it('do nothing else for it, whoever calls', async () => {
    await using test = await openNotes()
    await using fork = test.board.fork({ allow: ['mcp__*', 'listMcpResources'] })
    const expected = { ...DENIED, problem: { message: 'this agent may not use `readMcpResource`' } }
    expect(await read(fork)).toMatchObject(expected)
    expect(await fork.call('readMcpResource', ONE, { who: 'person' })).toMatchObject(expected)
    expect(await read(fork.fork({ allow: ['*'] }))).toMatchObject(expected)
    expect(await fork.call('listMcpResources')).toMatchObject({ outcome: 'done' })
    expect(await read(test.board)).toMatchObject({ outcome: 'done' })
  })

  it.each([
    'mcp__my_notes',
    'mcp__my notes__*',
    'MCP__MY NOTES',
    'my_notes__*',
    'mcp_my_notes_*',
    'readMcpResource',
  ])('read nothing of a server that a rule of the fork denies, as `%s`', async (tool) => {
    await using test = await openNotes()
    await using fork = test.board.fork({ rules: [{ tool, action: 'deny', reason: 'not for you' }] })
    const note = { server: 'my notes', uri: 'note://one' }
    const denied = await read(fork, note)
    expect(denied).toMatchObject(DENIED)
    expect(denied.text).toContain('not for you')
    expect(await read(fork.fork(), note)).toMatchObject(DENIED)
    expect(await read(test.board, note)).toMatchObject({ outcome: 'done' })
    if (tool !== 'readMcpResource') expect(await read(fork)).toMatchObject({ outcome: 'done' })
  })

  it('read nothing that the board denies, nor in plan mode, its own or that of the board', async () => {
    await using strict = await openNotes({ rules: [{ tool: 'mcp__x', action: 'deny' }] })
    expect(await read(strict.board.fork({ allow: ['*'], mode: 'bypass' }))).toMatchObject(DENIED)
    await using test = await openNotes()
    await using planning = test.board.fork({ mode: 'plan' })
    expect((await read(planning)).text).toContain('plan mode does not allow `readMcpResource`')
    expect(await planning.call('listMcpResources')).toMatchObject({ outcome: 'done' })
    await using fork = test.board.fork()
    expect(await read(fork)).toMatchObject({ outcome: 'done' })
    ;(await test.board.permissions()).setMode('plan')
    expect(await read(fork)).toMatchObject(DENIED)
  })

  it('do nothing for one that is closed, or whose own board is', async () => {
    await using test = await openNotes()
    const fork = test.board.fork()
    const inner = fork.fork()
    await fork.close()
    expect([fork.builtinTools(), inner.builtinTools()]).toEqual([[], []])
    expect((await read(fork)).text).toContain('the agent that wanted `readMcpResource` is over')
    expect(await inner.call('listMcpResources')).toMatchObject(DENIED)
    expect(await read(test.board)).toMatchObject({ outcome: 'done' })
  })

  it('are asked of a host that has permissions of its own, by the board and by each fork', async () => {
    const asked: [ToolToCall, WantedCall][] = []
    await using test = await openNotes({ permit: denyAll(asked) })
    expect(await read(test.board)).toMatchObject(DENIED)
    expect(await test.board.fork().call('listMcpResources', {}, { who: 'person' })).toMatchObject(DENIED)
    expect(asked).toMatchObject([
      [
        { server: '', tool: 'readMcpResource', name: 'readMcpResource' },
        { args: ONE, who: 'model' },
      ],
      [
        { server: '', tool: 'listMcpResources' },
        { args: {}, who: 'person' },
      ],
    ])
    await using allowing = await openNotes({ permit: allowAll, rules: [{ tool: 'mcp__x', action: 'deny' }] })
    expect(await read(allowing.board)).toMatchObject(DENIED)
  })

  it('count for a loop guard of its own', async () => {
    await using test = await openNotes({ loopLimit: 1 })
    await using fork = test.board.fork()
    expect(await read(test.board)).toMatchObject({ outcome: 'done' })
    expect(await read(test.board)).toMatchObject({ code: 'loop-guard' })
    expect(await read(fork)).toMatchObject({ outcome: 'done' })
  })
})

describe('a change, to a fork', () => {
  const entry = serverEntry('outcomes')
  /** What a fork is told while `y` comes: of its own tools, and the servers. */
  async function tellOf(allow: readonly string[] | undefined): Promise<readonly BoardChange[]> {
    await using test = await openTestBoard(
      { x: entry, y: serverEntry('progress') },
      { wait: 'all', only: ['x'] },
    )
    const fork = test.board.fork({ allow }).fork()
    const told: BoardChange[] = []
    fork.on('change', (change) => told.push(change))
    await test.board.connect('y')
    await settled()
    // What closing the board changes is another matter.
    return [...told]
  }
  /** Changes are told at the end of the turn in which they happen. */
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  it('is told when its own tools change', async () => {
    expect((await tellOf(undefined)).some(({ tools }) => tools)).toBe(true)
    const told = await tellOf(['mcp__y__work'])
    expect(told.some(({ tools }) => tools)).toBe(true)
    expect(told[0]).toMatchObject({ servers: ['y'] })
  })

  it('in tools that are kept from it is no change of its tools, and its list stays the same', async () => {
    const told = await tellOf(['mcp__x__echo'])
    expect(told.length).toBeGreaterThan(0)
    expect(told.filter(({ tools }) => tools)).toEqual([])
  })

  it('is not told when nobody listens any more, or the fork is closed', async () => {
    await using test = await openTestBoard({ x: entry }, { wait: 'all' })
    const told: BoardChange[] = []
    const [fork, other] = [test.board.fork(), test.board.fork()]
    fork.fork().on('change', (change) => told.push(change))
    other.on('change', (change) => told.push(change))()
    await fork.close()
    await test.board.disconnect('x')
    await settled()
    expect(told).toEqual([])
  })
})

describe('the permissions of a fork', () => {
  it('deny what the board denies', async () => {
    await using test = await open({ rules: [ALLOW_ALL, { tool: 'mcp__x__echo', action: 'deny' }] })
    await using fork = test.board.fork({ allow: ['mcp__x__echo'], mode: 'bypass' })
    expect(await echo(fork)).toMatchObject({ ...DENIED, problem: { code: 'permit/denied' } })
  })

  it('deny what is asked of nobody, whatever the fork was given', async () => {
    await using test = await open({})
    const rules = [{ tool: '*', action: 'allow' }] as never
    await using fork = test.board.fork({ mode: 'bypass', rules })
    expect(await echo(fork)).toMatchObject(DENIED)
  })

  it('hold for the fork only: plan mode', async () => {
    await using test = await open()
    await using fork = test.board.fork({ mode: 'plan' })
    expect(await echo(fork)).toMatchObject(DENIED)
    expect((await echo(fork)).text).toContain('plan mode does not allow `x.echo`')
    expect(await echo(test.board)).toMatchObject({ outcome: 'done' })
  })

  it('hold for the fork only: its rules', async () => {
    await using test = await open()
    const rules = [{ tool: 'mcp__x__echo', action: 'deny', reason: 'not for you' }] as const
    await using fork = test.board.fork({ rules })
    expect((await echo(fork)).text).toContain('not for you')
    expect(await fork.call('mcp__x__big', { size: 3 })).toMatchObject({ outcome: 'done' })
    expect(await echo(test.board)).toMatchObject({ outcome: 'done' })
  })

  it('follow the board into plan mode', async () => {
    await using test = await open()
    await using fork = test.board.fork()
    expect(await echo(fork)).toMatchObject({ outcome: 'done' })
    const permissions = await test.board.permissions()
    permissions.setMode('plan')
    expect(await echo(fork)).toMatchObject(DENIED)
  })

  it('come on top of what a host put in place of the rules', async () => {
    await using denying = await open({ permit: denyAll(), rules: [ALLOW_ALL] })
    expect(await echo(denying.board.fork())).toMatchObject(DENIED)
    await using allowing = await open({ permit: allowAll, rules: [ALLOW_ALL] })
    expect(await echo(allowing.board.fork())).toMatchObject({ outcome: 'done' })
    expect(await echo(allowing.board.fork({ allow: [] }))).toMatchObject(DENIED)
  })
})

it('the loop guard of a fork counts its own calls only', async () => {
  await using test = await open({ rules: [ALLOW_ALL], loopLimit: 1 })
  await using fork = test.board.fork()
  expect(await echo(test.board)).toMatchObject({ outcome: 'done' })
  expect(await echo(test.board)).toMatchObject({ code: 'loop-guard' })
  expect(await echo(fork)).toMatchObject({ outcome: 'done' })
  expect(await echo(fork)).toMatchObject({ code: 'loop-guard' })
})

describe('closing a fork', () => {
  it('leaves the board connected, to the same process', async () => {
    await using test = await open()
    const fork = test.board.fork()
    const [before] = test.board.snapshot().servers
    await fork.close()
    const [after] = test.board.snapshot().servers
    expect(after!.connection).toEqual(before!.connection)
    expect(after!.connection.state).toBe('ready')
    expect(await echo(test.board)).toMatchObject({ outcome: 'done' })
  })

  it('ends what the fork and its own forks can do, and no sibling', async () => {
    await using test = await open()
    const [fork, sibling] = [test.board.fork(), test.board.fork()]
    const inner = fork.fork()
    await fork.close()
    expect([fork.tools(), inner.tools()]).toEqual([[], []])
    expect(await echo(fork)).toMatchObject(DENIED)
    expect((await echo(inner)).text).toContain('is over, so it was not called')
    expect(await echo(sibling)).toMatchObject({ outcome: 'done' })
  })
})
