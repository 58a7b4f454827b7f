/**
 * hidden-text: what readers do not see is found, and what honest texts hold is not.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { findHidden } from '../../src/base/hidden-text.ts'

describe('found', () => {
  test.each([
    ['a zero-width space', 'dele\u200bte', 'invisible characters', 'dele\\u{200b}te'],
    ['a joiner between Latin letters', 'dele\u200dte', 'invisible characters', 'dele\\u{200d}te'],
    ['a mark of byte order', 'a\ufeffb', 'invisible characters', 'a\\u{feff}b'],
    ['a soft hyphen', 'a\u00adb', 'invisible characters', 'a\\xadb'],
    ['an override of direction', 'safe\u202etxt.exe', 'characters that reorder text', 'safe\\u{202e}txt.exe'],
    ['an isolate', 'a\u2066b', 'characters that reorder text', 'a\\u{2066}b'],
    ['tag characters', 'x\u{e0041}\u{e0042}', 'tag characters', 'x\\u{e0041}\\u{e0042}'],
    ['a flag followed by tags', '🏴\u{e0067}', 'tag characters', '🏴\\u{e0067}'],
    ['a terminal sequence', 'a\u001b[2Kb', 'control characters', 'a\\x1b[2Kb'],
    ['a bell', 'a\u0007b', 'control characters', 'a\\x07b'],
    ['a separator of lines', 'a\u2028b', 'invisible characters', 'a\\u{2028}b'],
    ['variants that carry data', 'a\u{e0100}\u{e0101}b', 'invisible characters', 'a\\u{e0100}\\u{e0101}b'],
    [
      'data in the variants of an emoji',
      `⚠${'\ufe0f\ufe0e'.repeat(2)}`,
      'invisible characters',
      '⚠\ufe0f\ufe0e\\u{fe0f}\\u{fe0e}',
    ],
  ])('%s', (_, text, what, around) => {
    expect(findHidden(text)).toEqual([{ what, around }])
  })

  test('only the first few, with a little of the text around', () => {
    const found = findHidden(`${'word '.repeat(20)}x\u200b`.repeat(10))
    expect(found).toHaveLength(3)
    expect(found[0]?.around).toBe(' word word x\\u{200b}word word wo')
  })

  test('in time, whatever the text', () => {
    const start = performance.now()
    for (const text of ['\u200b'.repeat(1e6), '👩\u200d'.repeat(3e5), 'ن\u200c'.repeat(3e5)]) findHidden(text)
    expect(performance.now() - start).toBeLessThan(3000)
  })
})

describe('not found', () => {
  test.each([
    ['plain text', 'Lists issues.\r\n\tOne per line.'],
    ['letters of any script', 'Ünïcödé, 検索, поиск, αναζήτηση, חיפוש'],
    ['emoji', '⚠️ careful 👩‍💻 👍🏽 1️⃣ #️⃣ ❤️‍🔥'],
    ['joiners of Persian and Hindi', 'می‌خواهم क्‍ष'],
  ])('in %s', (_, text) => {
    expect(findHidden(text)).toEqual([])
  })

  test('in the tools of 48 real servers', () => {
    const folder = fileURLToPath(new URL('../corpus', import.meta.url))
    const texts = readdirSync(folder).flatMap((file) =>
      stringsIn(JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'))),
    )
    expect(texts.length).toBeGreaterThan(1000)
    expect(texts.flatMap((text) => findHidden(text))).toEqual([])
  })
})

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [key, ...stringsIn(inner)])
}
