/**
 * look-up: a name leads back to one server and one tool, or nowhere.
 */
import { describe, expect, test } from 'vitest'
import { tabulate } from '../../../src/pipeline/name/look-up.ts'
import { nameOf } from '../../../src/pipeline/name/name.ts'
import { readCorpus } from './corpus.ts'

const named = (server: string, tool: string): { name: string; server: string; tool: string } => ({
  name: nameOf(server, tool, 'double'),
  server,
  tool,
})

describe('a table of tools', () => {
  test('leads from every name of the corpus to its tool, and from its tool to the name', () => {
    const tools = readCorpus().flatMap(({ server, tools }) => tools.map(({ name }) => named(server, name)))
    const table = tabulate(tools)
    for (const tool of tools) {
      expect(table.byName(tool.name)).toBe(tool)
      expect(table.byPair(tool.server, tool.tool)).toBe(tool)
    }
  })

  test('knows names that cannot be split', () => {
    const tools = [named('a', 'b__c'), named('a__b', 'c'), named('a_', 'b')]
    const table = tabulate(tools)
    for (const tool of tools) expect(table.byName(tool.name)).toBe(tool)
    expect(table.byName('mcp__a__b__c')).toBeUndefined()
  })

  test('is not led astray by names of the language', () => {
    const table = tabulate([named('__proto__', 'constructor')])
    expect(table.byPair('__proto__', 'constructor')?.server).toBe('__proto__')
    expect(table.byPair('constructor', 'toString')).toBeUndefined()
    expect(table.byName('toString')).toBeUndefined()
  })

  test('leads to neither of two tools with one name, and to both by what they are', () => {
    const mine = { name: 'mcp__a_b__x_0badcafe', server: 'a.b', tool: 'x' }
    const forged = { ...mine, server: 'a b', tool: 'x ' }
    for (const tools of [
      [mine, forged],
      [forged, mine],
      [mine, forged, mine],
    ]) {
      expect(tabulate(tools).byName(mine.name)).toBeUndefined()
      expect(tabulate(tools).byPair('a.b', 'x')).toBe(mine)
    }
  })
})
