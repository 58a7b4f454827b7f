import { describe, expect, it } from 'vitest'
import { copyPlainAscii, isPlainAscii } from '../../src/base/plain-ascii.ts'
import { stripControls } from '../../src/base/strip-controls.ts'

const LONG = 'The quick brown fox.\tAnd "more" \\ ~\n'.repeat(2000)

const from = (first: number, count: number): number[] => Array.from({ length: count }, (_, at) => first + at)

/** Every place of the sixteen that are looked at together: at the beginning, around the end of a slice; and at the end. */
const PLACES = [...from(0, 16), ...from(16_384 - 16, 18), LONG.length - 1, LONG.length]

const withAt = (text: string, place: number): string => LONG.slice(0, place) + text + LONG.slice(place)

describe('a long text', () => {
  it('is plain ASCII with every printable character, tabs and line breaks, whatever its length', () => {
    const printable = Array.from({ length: 95 }, (_, at) => String.fromCodePoint(0x20 + at)).join('')
    for (const place of PLACES) expect(isPlainAscii(withAt(printable, place))).toBe(true)
    for (let length = 0; length < 9; length++) expect(isPlainAscii('x'.repeat(length))).toBe(true)
  })

  it('is not with any other character in it, wherever that is', () => {
    const controls = Array.from({ length: 0xa1 }, (_, code) => code).filter(
      (code) => (code < 0x20 && code !== 0x09 && code !== 0x0a) || code >= 0x7f,
    )
    for (const code of [...controls, 0xe9, 0x20ac, 0x1f600, 0xd800])
      for (const place of PLACES)
        expect([code, place, isPlainAscii(withAt(String.fromCodePoint(code), place))]).toEqual([
          code,
          place,
          false,
        ])
  })

  it('does not depend on what was looked at before it', () => {
    expect(isPlainAscii('\u0007'.repeat(20_000))).toBe(false)
    expect(isPlainAscii('short')).toBe(true)
  })

  it('is copied while it is looked at', () => {
    const printable = LONG.replaceAll(/[\t\n]/g, ' ')
    for (const text of ['', 'x', LONG, printable, printable.slice(0, 16_384), printable.slice(0, 16_385)]) {
      const bytes = new Uint8Array(text.length + 3)
      expect(copyPlainAscii(text, bytes)).toBe(true)
      expect(new TextDecoder().decode(bytes)).toBe(`${text}\0\0\0`)
      expect(copyPlainAscii(`${text}é`, bytes)).toBe(false)
    }
  })

  it('loses its controls as a short one does, and nothing else', () => {
    for (const place of PLACES) {
      expect(stripControls(withAt('\u001b[31m\u0007\u009b1m\u007f', place))).toBe(LONG)
      expect(stripControls(withAt('é€', place))).toBe(withAt('é€', place))
    }
    expect(stripControls(LONG)).toBe(LONG)
  })
})
