import { describe, expect, it } from 'vitest'
import { tabulate } from '../../src/pipeline/name/look-up.ts'
import type { ServerSnapshot } from '../../src/runtime/supervisor.ts'
import { officialEntry, openTestBoard, serverEntry } from '../boards/open.ts'
import { until } from '../boards/watch.ts'

describe('a board on well-behaved servers', () => {
  it('offers the tools of every server, servers by name, tools in their order', async () => {
    await using test = await openTestBoard({
      zoo: serverEntry('well-behaved'),
      ant: serverEntry('well-behaved', '--modern'),
    })
    const { board } = test
    expect(board.tools().map(({ name, isDeferred }) => [name, isDeferred])).toEqual([
      ['mcp__ant__echo', false],
      ['mcp__ant__slow', false],
      ['mcp__zoo__echo', false],
      ['mcp__zoo__slow', false],
    ])
    expect(
      board.snapshot().servers.map(({ name, connection, era }) => [name, connection.state, era]),
    ).toEqual([
      ['ant', 'ready', 'modern'],
      ['zoo', 'ready', 'legacy'],
    ])
  })

  it('keeps the other lists of a server whose tools change while all are read for the first time', async () => {
    await using test = await openTestBoard({ one: serverEntry('rich', '--changes-early') })
    const names = (): readonly string[] => test.board.tools().map(({ tool }) => tool)
    await until(test.board, () => names().includes('early'))
    const [{ offering }] = test.board.snapshot().servers as [ServerSnapshot]
    expect(offering!.prompts.length).toBeGreaterThan(0)
    expect(offering!.resources.length).toBeGreaterThan(0)
  })

  it.each(['legacy', 'modern'])('gives the result of a call as the server sent it (%s)', async (era) => {
    await using test = await openTestBoard({
      one: serverEntry('well-behaved', ...(era === 'modern' ? ['--modern'] : [])),
    })
    const result = await test.board.request('one', 'tools/call', {
      name: 'echo',
      arguments: { text: 'hello' },
    })
    expect(result['content']).toEqual([{ type: 'text', text: 'hello' }])
  })

  it.each(['everything', 'memory', 'sequential-thinking'])(
    'connects to the official %s server',
    async (name) => {
      await using test = await openTestBoard({ official: officialEntry(name) })
      expect(test.board.snapshot().servers[0]?.connection.state).toBe('ready')
      expect(test.board.tools().length).toBeGreaterThan(0)
    },
  )
})

describe('names', () => {
  it('follow the setting, also after a reload, and keep their place in the order', async () => {
    await using test = await openTestBoard({ one: serverEntry('well-behaved') })
    const { board, scratch } = test
    const names = (): string[] => board.tools().map(({ name }) => name)
    expect(names()).toEqual(['mcp__one__echo', 'mcp__one__slow'])

    scratch.write('home/.config/plugboard/settings.json', '{ "toolNames": "bare" }')
    const changes: boolean[] = []
    board.on('change', ({ tools }) => changes.push(tools))
    await board.reload()
    expect(names()).toEqual(['one__echo', 'one__slow'])
    expect(changes).toEqual([true])
  })

  it('lead back to the tool', async () => {
    await using test = await openTestBoard({ one: serverEntry('well-behaved') })
    const tools = test.board.tools()
    const table = tabulate(tools)
    expect(table.byName('mcp__one__slow')).toBe(tools[1])
    expect(table.byPair('one', 'echo')).toBe(tools[0])
    expect(table.byName('mcp__one__slower')).toBeUndefined()
  })
})
