/**
 * tools-for: tools as a provider takes them, none of them lost without a word.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PROFILES } from '../../src/model/profile.ts'
import { nameOf } from '../../src/pipeline/name/name.ts'
import { toolsFor } from '../../src/runtime/tools-for.ts'
import type { BoardTool } from '../../src/runtime/tools.ts'
import { openTestBoard, serverEntry } from '../boards/open.ts'
import { createScratch } from '../worlds/scratch.ts'

describe('the tools of a board', () => {
  test('fit the provider, in their order, and those that cannot are told', async () => {
    await using test = await openTestBoard({ odd: serverEntry('odd-schemas') })
    const all = test.board.tools()
    const { tools, quarantined } = toolsFor(all, 'gemini')
    expect(tools.map(({ tool }) => tool)).toEqual(['echo', 'slow', 'plain', 'forms', 'angles', 'nothing'])
    expect(quarantined).toEqual([
      {
        name: 'mcp__odd__tree',
        server: 'odd',
        tool: 'tree',
        reason: 'its schema refers to itself (`#/$defs/node`) where that cannot be said',
      },
    ])
    expect(tools[3]!.inputSchema).toMatchObject({ type: 'object', properties: { id: {}, name: {} } })
    // What the server sent is still there, to check arguments with.
    expect(tools[3]!.definition.inputSchema).toHaveProperty('anyOf')
  })

  test('whose hashes somebody made equal are not shown: a provider refuses a name that is there twice', async () => {
    using scratch = createScratch()
    const [one, other, third] = ['慖一', '枓丁', 'plain'].map((name) => ({
      name,
      description: 'x',
      inputSchema: { type: 'object' },
    }))
    expect(nameOf('s', one!.name, 'double')).toBe(nameOf('s', other!.name, 'double'))
    const file = join(scratch.home, 'tools.json')
    writeFileSync(file, JSON.stringify([one, third, other]))
    await using test = await openTestBoard({ s: serverEntry('rug-pull', '--tools', file) })
    expect(test.board.tools().map(({ tool }) => tool)).toEqual(['echo', 'slow', 'plain'])
  })

  test('are the same value when asked again, and change when they change', async () => {
    await using test = await openTestBoard({ odd: serverEntry('odd-schemas') })
    const { board } = test
    for (const profile of PROFILES)
      expect(toolsFor(board.tools(), profile)).toBe(toolsFor(board.tools(), profile))
    const before = toolsFor(board.tools(), 'gemini')
    await board.disconnect('odd')
    expect(toolsFor(board.tools(), 'gemini')).not.toBe(before)
  })

  test('without a provider are as they came, but objects have properties', async () => {
    await using test = await openTestBoard({ odd: serverEntry('odd-schemas') })
    const all = test.board.tools()
    expect(all.at(-1)?.inputSchema).toEqual({ type: 'object', properties: {} })
    expect(all.at(-1)?.definition.inputSchema).toEqual({ type: 'object' })
    expect(toolsFor(all, 'none').tools).toEqual(all)
  })
})

test('a name that begins with a digit is kept back from who does not take it', () => {
  const tool: BoardTool = {
    name: '21st__magic',
    server: '21st',
    tool: 'magic',
    inputSchema: { type: 'object', properties: {} },
    label: 'mcp:21st via Cursor',
    isDeferred: false,
    definition: { name: 'magic', inputSchema: { type: 'object', properties: {} } },
  }
  const keepers = PROFILES.filter((profile) => toolsFor([tool], profile).quarantined.length > 0)
  expect(keepers).toEqual(['gemini', 'moonshot'])
  expect(toolsFor([tool], 'gemini').quarantined[0]?.reason).toBe(
    'gemini does not take its name `21st__magic`, which must begin with a letter or `_`; with the setting `toolNames` at `double` it does',
  )
})
