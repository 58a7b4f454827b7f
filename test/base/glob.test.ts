/**
 * glob: what a pattern of names means, and what is none.
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchesPattern, parseGlob } from '../../src/base/glob.ts'
import { foldLookAlikes } from '../../src/base/look-alike.ts'

test.each([
  ['a', ['a']],
  ['a*b?', ['a*b?']],
  ['{a,b}', ['a', 'b']],
  ['x{a,b}y{1,2}', ['xay1', 'xay2', 'xby1', 'xby2']],
  ['{a,}', ['a', '']],
  ['a/b (c)', ['a/b (c)']],
])('`%s` stands for %j', (glob, patterns) => {
  expect(parseGlob(glob)).toEqual(patterns)
})

test.each(['', ' ', '[a]', 'a]', '!a', 'a\\*', '{a', 'a}', '{a,{b,c}}', '{a,b}'.repeat(9)])(
  '`%s` is no glob',
  (glob) => {
    expect(parseGlob(glob)).toBeUndefined()
  },
)

test('a pattern matches what a regular expression of the same meaning does', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '\n', '😀'), maxLength: 12 })
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '?', '😀'), maxLength: 8 })
  fc.assert(
    fc.property(pattern, text, (one, other) => {
      const source = one.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')
      expect(matchesPattern(one, other)).toBe(new RegExp(`^${source}$`, 'su').test(other))
    }),
    { numRuns: 5000 },
  )
})

test('folding twice is folding once, and plain names only lose their case', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(foldLookAlikes(foldLookAlikes(text))).toBe(foldLookAlikes(text))
    }),
    { numRuns: 5000 },
  )
  expect(foldLookAlikes('mcp__GitHub__list-1l0O.x/y')).toBe('mcp__github__list-1l0o.x/y')
})
