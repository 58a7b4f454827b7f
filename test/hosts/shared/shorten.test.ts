/**
 * shorten: what is left out is counted, and what stands beside a long text is still there.
 */
import { assert, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shortenDifference, shortenList, shortenText, shortenUrl } from '../../../src/hosts/shared/shorten.ts'

const MARK = /^(?<head>.*) \[… (?<count>\d+) more characters …\] (?<tail>.*)$/s

describe('a text', () => {
  test('that is long keeps its two ends, and the mark counts the rest', () => {
    assert(
      property(string({ minLength: 231, maxLength: 2000 }), (text) => {
        const { head, count, tail } = MARK.exec(shortenText(text, 'short'))!.groups!
        expect(text.startsWith(head!) && text.endsWith(tail!)).toBe(true)
        expect(head!.length + Number(count) + tail!.length).toBe(text.length)
      }),
    )
  })

  test('stays as it is where it is short, or wanted whole', () => {
    const long = 'x'.repeat(5000)
    expect(shortenText('x'.repeat(230), 'short')).toBe('x'.repeat(230))
    expect(shortenText(long, 'whole')).toBe(long)
    expect(shortenUrl(`https://host.test/${long}`, 'whole')).toBe(`https://host.test/${long}`)
  })

  test('that is cut inside a character has no half of it', () => {
    expect(shortenText(`${'x'.repeat(99)}😀${'y'.repeat(500)}`, 'short')).toMatch(
      /^x{99}\\u\{d83d\} \[… \d+ more characters …\] y{100}$/,
    )
  })
})

describe('a list', () => {
  const as = { form: 'short', between: ' ', what: 'arguments' } as const

  test('shows both ends of every item, and less of each the more there are', () => {
    const items = Array.from({ length: 100 }, (_, i) => `<${i}>${'x'.repeat(500)}</${i}>`)
    const shown = shortenList(items, as)
    for (const [i] of items.entries()) expect(shown).toContain(`</${i}>`)
    expect(shown.length).toBeLessThan(10_000)
  })

  test('of more than a hundred says how many it leaves out', () => {
    const items = Array.from({ length: 1000 }, (_, i) => `<${i}>`)
    expect(shortenList(items, as)).toContain('<49> [… 900 more arguments …] <950>')
    expect(shortenList(items, { ...as, form: 'whole' })).toBe(items.join(' '))
  })
})

describe('two texts', () => {
  const long = 'x'.repeat(1000)

  test.each([
    ['a word in the middle', `${long}safe${long}`, `${long}evil${long}`, ['safe', 'evil']],
    ['an addition', `${long}${long}`, `${long}!${long}`, ['', '!']],
    ['an end', `${long}${long}`, `${long}${long}!`, ['', '!']],
    ['all', 'a'.repeat(1000), 'b'.repeat(1000), ['a', 'b']],
  ])('are shown around the place where they differ: %s', (_, was, is, [gone, here]) => {
    const [before, after] = shortenDifference(was, is, 'short')
    expect(before).not.toBe(after)
    expect(before).toContain(gone)
    expect(after).toContain(here)
    expect(Math.max(before.length, after.length)).toBeLessThan(350)
  })
})
