/**
 * unified-diff: hunks from which the second text can be made of the first, and no more than needed.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unifiedDiff, type ShownLines } from '../../src/base/unified-diff.ts'

const shown = (lines: readonly string[]): ShownLines => ({ lines, show: (at) => lines[at]! })

const diff = (before: readonly string[], after: readonly string[]): readonly string[] =>
  unifiedDiff(shown(before), shown(after))

describe('unified diff', () => {
  test('shows a change with three lines around it', () => {
    const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9']
    const after = before.with(4, 'five')
    expect(diff(before, after)).toEqual([
      '@@ -2,7 +2,7 @@',
      ' 2',
      ' 3',
      ' 4',
      '-5',
      '+five',
      ' 6',
      ' 7',
      ' 8',
    ])
  })

  test('of a new file, everything is new', () => {
    expect(diff([], ['a', 'b'])).toEqual(['@@ -0,0 +1,2 @@', '+a', '+b'])
  })

  test('changes far apart have hunks of their own', () => {
    const before = Array.from({ length: 30 }, (_, i) => String(i))
    const after = before.with(2, 'x').with(25, 'y')
    expect(diff(before, after).filter((line) => line.startsWith('@@'))).toEqual([
      '@@ -1,6 +1,6 @@',
      '@@ -23,7 +23,7 @@',
    ])
  })

  test('the same text has no difference', () => {
    expect(diff(['a'], ['a'])).toEqual([])
  })

  test('a file of a hundred thousand lines with two changes takes no time', () => {
    const before = Array.from({ length: 100_000 }, (_, i) => `line ${i}`)
    const after = [...before.with(10, 'x'), 'end']
    expect(diff(before, after).filter((line) => /^[+-]/.test(line))).toEqual(['-line 10', '+x', '+end'])
  })

  test('whatever the texts, the hunks make the second of the first, with as few lines as there can be', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 24 })
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const hunks = diff(before, after)
        expect(patch(before, hunks)).toEqual(after)
        const changed = hunks.filter((line) => /^[+-]/.test(line)).length
        expect(changed).toBe(before.length + after.length - 2 * longestCommon(before, after))
      }),
    )
  })
})

function patch(before: readonly string[], hunks: readonly string[]): readonly string[] {
  const after: string[] = []
  let at = 0
  for (const line of hunks) {
    const head = /^@@ -(\d+),(\d+) /.exec(line)
    if (head !== null) {
      const start = Number(head[1]) - (head[2] === '0' ? 0 : 1)
      while (at < start) after.push(before[at++]!)
    } else if (line.startsWith('+')) after.push(line.slice(1))
    else {
      expect(line.slice(1)).toBe(before[at])
      if (line.startsWith(' ')) after.push(before[at]!)
      at++
    }
  }
  return [...after, ...before.slice(at)]
}

function longestCommon(a: readonly string[], b: readonly string[]): number {
  const row = Array.from({ length: b.length + 1 }, () => 0)
  for (const line of a) {
    let diagonal = 0
    for (let j = 1; j <= b.length; j++) {
      const above = row[j]!
      row[j] = line === b[j - 1] ? diagonal + 1 : Math.max(above, row[j - 1]!)
      diagonal = above
    }
  }
  return row[b.length]!
}
