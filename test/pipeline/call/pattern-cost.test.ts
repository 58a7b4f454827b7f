/**
 * pattern-cost: what is taken for cheap is.
 */
import { describe, expect, test } from 'vitest'
import { costOf, isCheap } from '../../../src/pipeline/call/pattern-cost.ts'

describe('patterns of real tools', () => {
  test.each([
    '^[a-z0-9_-]+$',
    '^#[0-9A-Fa-f]{6}$',
    '^(timestamp|duration):(asc|desc)$',
    '^[Hh][Tt][Tt][Pp][Ss]?://',
    '^\\d{3}(,\\d{3})*$',
    '^[a-zA-Z0-9]([a-zA-Z0-9._+-]{0,58}[a-zA-Z0-9])?$',
    '^[0-9]+-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    '^(?!.*x)[a-z]*$',
    '[*+?(){}|]\\+\\(',
  ])('%s is cheap', (pattern) => {
    expect(isCheap(costOf(pattern), 64)).toBe(true)
  })
})

/** Each with a text that it takes for ever to refuse. */
const DANGERS: readonly string[] = [
  '^(a+)+$',
  '^(a*)*$',
  '(a|a)*$',
  '^(a|aa)+$',
  '^(a?){60}$',
  '^(?:a{1,9}){1,60}$',
  `^${'a?'.repeat(50)}${'a'.repeat(50)}$`,
  `^${'(a|a)'.repeat(50)}b$`,
  '^((a+)b?)+$',
]

describe('patterns that backtrack without end', () => {
  test.each(DANGERS)('%s is not', (pattern) => {
    expect(isCheap(costOf(pattern), 64)).toBe(false)
  })

  test('what is repeated once has as many choices as it had', () => {
    expect(costOf('^(a+)?$')).toEqual({ power: 1, bits: 1 })
    expect(costOf('^(a|b){1}$')).toEqual({ power: 0, bits: 1 })
  })

  test('the price depends on the length of the text', () => {
    const cost = costOf('a*b*')
    expect(cost).toEqual({ power: 3, bits: 0 })
    expect([isCheap(cost, 100), isCheap(cost, 1000)]).toEqual([true, false])
  })

  test('the worst that is cheap is', () => {
    // As many choices as may be, in a text as long as may be, that fits nowhere.
    const text = `${'a'.repeat(1500)}!`
    const pattern = '^a*a*$'
    expect(isCheap(costOf(pattern), text.length)).toBe(true)
    const before = performance.now()
    new RegExp(pattern, 'u').test(text)
    expect(performance.now() - before).toBeLessThan(1000)
  })
})
