/**
 * base: what the language lacks.
 */
import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editDistance, findNearest } from '../../src/base/edit-distance.ts'
import { toPrintable, toPrintableJson } from '../../src/base/printable.ts'
import { Secret } from '../../src/base/secret.ts'
import { sha256 } from '../../src/base/sha256.ts'
import { matchesWildcard } from '../../src/base/wildcard.ts'

describe('sha256', () => {
  test('agrees with node:crypto on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'))
      }),
    )
  })

  test.each([55, 56, 63, 64, 119, 120])('agrees at the edge of a block: %i bytes', (length) => {
    const text = 'x'.repeat(length)
    expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'))
  })
})

describe('wildcard', () => {
  test.each([
    ['github', 'github', true],
    ['github', 'githubx', false],
    ['git*', 'github', true],
    ['*hub', 'github', true],
    ['g*h*b', 'github', true],
    ['g*h*b', 'gitlab', false],
    ['*', '', true],
    ['a*a', 'a', false],
    ['https://*.example.com/*', 'https://a.example.com/x/y', true],
    ['a.b', 'axb', false],
  ])('`%s` on `%s` is %s', (pattern, text, expected) => {
    expect(matchesWildcard(pattern, text)).toBe(expected)
  })

  test('agrees with the regular expression that says the same', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 8 })
    fc.assert(
      fc.property(letters, letters, (pattern, text) => {
        const expression = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^]*')}$`)
        expect(matchesWildcard(pattern, text)).toBe(expression.test(text))
      }),
    )
  })

  test('a pattern full of stars does not take for ever', () => {
    expect(matchesWildcard('*a'.repeat(5000), 'a'.repeat(4999))).toBe(false)
  })
})

describe('printable', () => {
  test('escapes what could move the cursor, hide or turn text around', () => {
    expect(toPrintable('a\u001b[31mb\u200bc\u202ed\u{e0041}\u0000\u009b\n')).toBe(
      'a\\x1b[31mb\\u{200b}c\\u{202e}d\\u{e0041}\\x00\\x9b\\x0a',
    )
  })

  test('leaves letters, emoji and accents alone', () => {
    expect(toPrintable('Größe 😀 日本')).toBe('Größe 😀 日本')
  })

  test('JSON parses back to the same value and holds nothing unprintable', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = toPrintableJson({ text })
        expect(JSON.parse(json)).toEqual({ text })
        expect(toPrintable(json)).toBe(json)
      }),
    )
  })
})

describe('edit distance', () => {
  test('finds the slip of the finger, and does not guess wildly', () => {
    expect(findNearest('githib', ['gitlab', 'github', 'files'])).toBe('github')
    expect(findNearest('lsit', ['list', 'get'])).toBe('list')
    expect(findNearest('xyz', ['github', 'files'])).toBeUndefined()
  })

  test('is a distance', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 })
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a))
        expect(editDistance(a, b) === 0).toBe(a === b)
      }),
    )
  })
})

describe('secret', () => {
  test('shows itself to nobody who does not ask for it by name', () => {
    const secret = new Secret('hunter2')
    const shown = [
      String(secret),
      `${secret.toString()}`,
      JSON.stringify({ secret }),
      inspect({ secret }),
      inspect(secret),
    ]
    expect(shown.join(' ')).not.toContain('hunter2')
    expect(secret.reveal()).toBe('hunter2')
  })
})
