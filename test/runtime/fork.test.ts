/**
 * fork: a sub-agent has the connections of its board, and never more of it than it was given.
 */
import { describe, expect, it } from 'vitest'
import type { ToolResult } from '../../src/model/outcome.ts'
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
