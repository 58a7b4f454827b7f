/**
 * name: names that models and providers accept, and that never mean two tools.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/base/sha256.ts'
import type { NameStyle } from '../../../src/model/settings.ts'
import { nameOf } from '../../../src/pipeline/name/name.ts'
import { readCorpus } from './corpus.ts'

const STYLES: readonly NameStyle[] = ['double', 'bare', 'single']

const hash = (server: string, tool: string): string => sha256(JSON.stringify([server, tool])).slice(0, 8)

describe('a name that loses nothing is the plain one', () => {
  test.each([
    [
      'github',
      'create_issue',
      'mcp__github__create_issue',
      'github__create_issue',
      'mcp_github_create_issue',
    ],
    ['a', '_private', 'mcp__a___private', 'a___private', 'mcp_a__private'],
    ['a', 'tail_', 'mcp__a__tail_', 'a__tail_', 'mcp_a_tail_'],
  ])('%s and %s', (server, tool, double, bare, single) => {
    expect(STYLES.map((style) => nameOf(server, tool, style))).toEqual([double, bare, single])
  })

  test('case, digits, `-` and a lone `_` stay in the styles with `__`', () => {
    expect(nameOf('My-Server_2', 'readFile-2', 'double')).toBe('mcp__My-Server_2__readFile-2')
    expect(nameOf('My-Server_2', 'readFile-2', 'bare')).toBe('My-Server_2__readFile-2')
  })

  test('64 characters are enough room, 65 are too many', () => {
    const tool = 'x'.repeat(64 - 'mcp__a__'.length)
    expect(nameOf('a', tool, 'double')).toBe(`mcp__a__${tool}`)
    expect(nameOf('a', `${tool}x`, 'double')).toBe(`mcp__a__${tool.slice(0, -9)}_${hash('a', `${tool}x`)}`)
  })
})

describe('a name that would lose something carries a hash', () => {
  test.each([
    ['a character changed', 'my.server', 'read', 'mcp__my_server__read'],
    ['a character of the tool changed', 'a', 'read/file', 'mcp__a__read_file'],
    ['a letter from afar', 'a', '読む', 'mcp__a____'],
    ['`__` inside the server', 'a__b', 'c', 'mcp__a__b__c'],
    ['`__` inside the tool', 'a', 'b__c', 'mcp__a__b__c'],
    ['a server that ends in `_`', 'a_', 'b', 'mcp__a___b'],
    ['a server that begins with `_`', '_a', 'b', 'mcp___a__b'],
    ['it looks hashed already', 'a', 'report_20240101', 'mcp__a__report_20240101'],
    ['it looks hashed with the server', 'a', 'DEADBEEF', 'mcp__a__DEADBEEF'],
  ])('%s', (_, server, tool, clean) => {
    expect(nameOf(server, tool, 'double')).toBe(`${clean}_${hash(server, tool)}`)
    expect(nameOf(server, tool, 'bare')).toBe(`${clean.slice('mcp__'.length)}_${hash(server, tool)}`)
  })

  test.each([
    ['case changed', 'GitHub', 'read', 'mcp_github_read'],
    ['a digit changed', 'a', 'read2', 'mcp_a_read_'],
    ['underscores collapsed', 'a', 'b__c', 'mcp_a_b_c'],
    ['the prefix was stripped', 'github', 'github_search', 'mcp_github_search'],
    ['only one prefix is stripped', 'a', 'a_a_b', 'mcp_a_a_b'],
    ['`_` in the server', 'my_server', 'read', 'mcp_my_server_read'],
    ['it looks hashed already', 'a', 'b_deadbeef', 'mcp_a_b_deadbeef'],
  ])('single: %s', (_, server, tool, clean) => {
    expect(nameOf(server, tool, 'single')).toBe(`${clean}_${hash(server, tool)}`)
  })

  test('half a surrogate pair is not mistaken for another', () => {
    expect(nameOf('a', '\uD800', 'double')).not.toBe(nameOf('a', '\uD801', 'double'))
  })
})

describe('DESIGN.md §8, clause by clause', () => {
  test('the hash is of the raw pair, whatever the style', () => {
    const tails = STYLES.map((style) => nameOf('My Server', 'Tool.1', style).slice(-8))
    expect(tails).toEqual(STYLES.map(() => hash('My Server', 'Tool.1')))
  })

  test('a cut leaves room for the hash, and 64 characters are used', () => {
    for (const style of STYLES) expect(nameOf('s'.repeat(100), 't'.repeat(100), style)).toHaveLength(64)
  })

  test('a `_` at the end of a tool loses nothing, at the end of a server it does', () => {
    expect(nameOf('a', 'b_', 'double')).toBe('mcp__a__b_')
    expect(nameOf('a_', 'b', 'double')).not.toBe('mcp__a___b')
  })

  test('eight hex digits in capitals look hashed too', () => {
    expect(nameOf('a', 'b_DEADBEEF', 'bare')).toBe(`a__b_DEADBEEF_${hash('a', 'b_DEADBEEF')}`)
  })
})

/** Pieces that were made to be confused. */
const trap = fc
  .array(
    fc.constantFrom(
      '_',
      '__',
      'a',
      'A',
      'b',
      '-',
      '.',
      ' ',
      'mcp',
      'é',
      'e\u0301',
      'İ',
      '\uD800',
      '\u200B',
      '0',
      'deadbeef',
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((pieces) => pieces.join(''))

const anyName = fc.oneof(
  { weight: 3, arbitrary: trap },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }) },
  { weight: 1, arbitrary: fc.stringMatching(/^[A-Za-z0-9_-]{1,70}$/) },
)

/** Two pairs that are the same characters, cut in two places: what a careless join makes one. */
const shifted = fc.tuple(trap, trap, trap).map(
  ([a, b, c]) =>
    [
      [a, b + c],
      [a + b, c],
    ] as const,
)

const pairs = fc.oneof(shifted, fc.tuple(fc.tuple(anyName, anyName), fc.tuple(anyName, anyName)))

describe('whatever servers and tools are called', () => {
  test.each(STYLES)('%s: two different tools never share a name', (style) => {
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        fc.pre(one[0] !== other[0] || one[1] !== other[1])
        expect(nameOf(one[0], one[1], style)).not.toBe(nameOf(other[0], other[1], style))
      }),
      { numRuns: 5_000 },
    )
  })

  test.each(STYLES)('%s: all pairs of the most confusing parts have their own name', (style) => {
    const parts = [
      'a',
      '_',
      'a_',
      '_a',
      'a__',
      '__a',
      'a_a',
      'a__a',
      'A',
      'a.a',
      'a-a',
      'mcp',
      'mcp_',
      'a_deadbeef',
    ]
    const names = parts.flatMap((server) => parts.map((tool) => nameOf(server, tool, style)))
    expect(new Set(names).size).toBe(parts.length ** 2)
  })

  test.each(STYLES)(
    '%s: a name that was made can be the name of another tool, and is told apart',
    (style) => {
      fc.assert(
        fc.property(anyName, anyName, (server, tool) => {
          const made = nameOf(server, tool, style)
          fc.pre(made !== tool)
          expect(nameOf(server, made, style)).not.toBe(made)
        }),
      )
    },
  )

  test.each(STYLES)('%s: every provider accepts the name, and it is the same each time', (style) => {
    fc.assert(
      fc.property(anyName, anyName, (server, tool) => {
        const name = nameOf(server, tool, style)
        expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
        expect(nameOf(server, tool, style)).toBe(name)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('tools of many servers', () => {
  const tools = fc.uniqueArray(fc.tuple(anyName, anyName), {
    minLength: 2,
    maxLength: 30,
    selector: (pair) => JSON.stringify(pair),
  })

  test.each(STYLES)('%s: all have names of their own', (style) => {
    fc.assert(
      fc.property(tools, (pairs) => {
        expect(new Set(pairs.map(([server, tool]) => nameOf(server, tool, style))).size).toBe(pairs.length)
      }),
      { numRuns: 1_000 },
    )
  })

  test.each(STYLES)('%s: keep them when servers come and go', (style) => {
    fc.assert(
      fc.property(tools, tools, (some, others) => {
        const name = (pairs: readonly (readonly [string, string])[]): Map<string, string> =>
          new Map(
            pairs.map(([server, tool]) => [JSON.stringify([server, tool]), nameOf(server, tool, style)]),
          )
        const alone = name(some)
        const together = name([...others, ...some])
        for (const [pair, own] of alone) expect(together.get(pair)).toBe(own)
      }),
      { numRuns: 300 },
    )
  })
})

describe('the tools of real servers', () => {
  const pairs = readCorpus().flatMap(({ server, tools }) => tools.map(({ name }) => [server, name] as const))

  test.each(STYLES)('%s: every name is valid, and its own', (style) => {
    const names = pairs.map(([server, tool]) => nameOf(server, tool, style))
    expect(names.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([])
    expect(new Set(names).size).toBe(pairs.length)
  })

  test.each([
    ['double', 124],
    ['bare', 58],
  ] as const)('%s: of 1,464, few carry a hash', (style, hashed) => {
    const isHashed = ([server, tool]: readonly [string, string]): boolean =>
      nameOf(server, tool, style).endsWith(`_${hash(server, tool)}`)
    expect(pairs.filter(isHashed).length).toBe(hashed)
  })
})
