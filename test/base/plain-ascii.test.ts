import { assert, oneof, property, string } from 'fast-check'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { SIEVE_BYTES } from '../../src/base/byte-sieve.ts'
import { copyBareAscii, isBareAscii, isPlainAscii } from '../../src/base/plain-ascii.ts'
import { stripControls } from '../../src/base/strip-controls.ts'
import { haveSeenLongTexts } from './long-texts.ts'

it('the first long texts of a process are not worth a look, until they were a megabyte together', async () => {
  vi.resetModules()
  const fresh = await import('../../src/base/plain-ascii.ts')
  expect([1, 2, 3].map(() => fresh.isPlainAscii('x'.repeat(400_000)))).toEqual([false, false, true])
})

it('where programs cannot be compiled nothing is known to be plain', async () => {
  vi.resetModules()
  vi.stubGlobal('WebAssembly', undefined)
  try {
    const without = await import('../../src/base/plain-ascii.ts')
    expect([1, 2].map(() => without.isPlainAscii('x'.repeat(1_100_000)))).toEqual([false, false])
  } finally {
    vi.unstubAllGlobals()
  }
})

describe('a long text', () => {
  beforeAll(haveSeenLongTexts)

  const BARE = "The quick brown fox jumps over the lazy dog's 0123456789 ~!@#$%^&*()".repeat(2000)
  const from = (first: number, count: number): number[] =>
    Array.from({ length: count }, (_, at) => first + at)

  /** Every place of those that are looked at together: at the beginning, around the end of a slice; and at the end. */
  const PLACES = [...from(0, 33), ...from(SIEVE_BYTES - 33, 35), BARE.length - 1, BARE.length]

  const withAt = (text: string, place: number): string => BARE.slice(0, place) + text + BARE.slice(place)
  const gradeOf = (text: string): string =>
    isBareAscii(text) ? 'bare' : isPlainAscii(text) ? 'plain' : 'odd'

  it.each<readonly [string, readonly number[]]>([
    ['bare', from(0x20, 0x5f).filter((code) => code !== 0x22 && code !== 0x5c)],
    ['plain', [0x09, 0x0a, 0x22, 0x5c]],
    ['odd', [...from(0, 0x20).filter((code) => code !== 0x09 && code !== 0x0a), ...from(0x7f, 0x22)]],
    ['odd', [0xe9, 0xff, 0x100, 0x2028, 0x20ac, 0x1f600, 0xd800]],
  ])('is %s with each of these, wherever it is', (grade, codes) => {
    for (const code of codes)
      for (const place of PLACES)
        expect([code, place, gradeOf(withAt(String.fromCodePoint(code), place))]).toEqual([
          code,
          place,
          grade,
        ])
  })

  it('is what its worst character is', () => {
    const odd = /[^\t\n -~]/
    const escaped = /[\t\n"\\]/
    const byDefinition = (text: string): string =>
      odd.test(text) ? 'odd' : escaped.test(text) ? 'plain' : 'bare'
    const texts = oneof(string({ unit: 'binary-ascii', maxLength: 100 }), string({ maxLength: 100 }))
    assert(property(texts, (text) => gradeOf(text) === byDefinition(text)))
  })

  it('may have no length at all', () => {
    expect([isPlainAscii(''), isBareAscii('')]).toEqual([true, true])
  })

  it('does not depend on what was looked at before it', () => {
    expect(isPlainAscii('\u0007'.repeat(SIEVE_BYTES))).toBe(false)
    for (let length = 0; length < 70; length++) expect(isBareAscii('x'.repeat(length))).toBe(true)
  })

  it('is copied while it is looked at', () => {
    for (const text of ['', 'x', BARE, BARE.slice(0, SIEVE_BYTES), BARE.slice(0, SIEVE_BYTES + 1)]) {
      const bytes = new Uint8Array(text.length + 3)
      expect(copyBareAscii(text, bytes)).toBe(true)
      expect(new TextDecoder().decode(bytes)).toBe(`${text}\0\0\0`)
      expect([copyBareAscii(`${text}é`, bytes), copyBareAscii(`${text}\n`, bytes)]).toEqual([false, false])
    }
  })

  it('loses its controls as a short one does, and nothing else', () => {
    for (const place of PLACES) {
      expect(stripControls(withAt('\u001b[31m\u0007\u009b1m\u007f', place))).toBe(BARE)
      expect(stripControls(withAt('é€\t\n', place))).toBe(withAt('é€\t\n', place))
    }
    expect(stripControls(BARE)).toBe(BARE)
  })
})
