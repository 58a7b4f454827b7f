/**
 * numbered: things under their numbers, and that none is kept when it is gone.
 */
import { getHeapSpaceStatistics } from 'node:v8'
import { describe, expect, it } from 'vitest'
import { Numbered } from '../../src/base/numbered.ts'
import { exposeCollector } from '../memory/collector.ts'

describe('things under their numbers', () => {
  it('are there until they are taken', () => {
    const numbered = new Numbered<{ name: string }>()
    expect([numbered.get(1), numbered.take(1), numbered.all()]).toEqual([undefined, undefined, []])
    const [a, b] = [{ name: 'a' }, { name: 'b' }]
    const [first, second] = [numbered.add(a), numbered.add(b)]
    expect([first, second]).toEqual([1, 2])
    expect([numbered.get(first), numbered.get(second), numbered.size]).toEqual([a, b, 2])
    expect(numbered.take(first)).toBe(a)
    expect([numbered.get(first), numbered.take(first), numbered.size]).toEqual([undefined, undefined, 1])
    expect(numbered.all()).toEqual([b])
  })

  it('are found by nothing but a number that was given', () => {
    const numbered = new Numbered<object>()
    numbered.add({})
    const others = ['1', 1.5, 0, -1, 9, 1 + 2 ** 32, Number.NaN, Infinity, null, undefined, {}]
    expect(others.map((one) => numbered.get(one))).toEqual(others.map(() => undefined))
  })

  it('keep their number and their order, however many come and go', () => {
    const numbered = new Numbered<{ number: number }>()
    const add = (): number => {
      const thing = { number: 0 }
      thing.number = numbered.add(thing)
      return thing.number
    }
    const given = new Set<number>()
    // Some stay for long: whoever comes later gets a number whose place is free.
    const lasting: number[] = []
    for (let turn = 0; turn < 5000; turn++) {
      const number = add()
      expect(given.has(number)).toBe(false)
      given.add(number)
      if (turn % 50 === 0) lasting.push(number)
      else expect(numbered.take(number)).toEqual({ number })
    }
    expect(numbered.all().map(({ number }) => number)).toEqual(lasting)
    expect(lasting.map((number) => numbered.get(number))).toEqual(lasting.map((number) => ({ number })))
    for (const number of lasting) numbered.take(number)
    expect([numbered.size, numbered.all()]).toEqual([0, []])
  })

  it('are there by the thousand at once, and none is left after', () => {
    const numbered = new Numbered<object>()
    const numbers = Array.from({ length: 3000 }, () => numbered.add({}))
    expect(new Set(numbers).size).toBe(3000)
    expect(numbers.every((number) => numbered.take(number) !== undefined)).toBe(true)
    expect([numbered.size, numbered.get(numbers[0]), numbered.add({}) > numbers.at(-1)!]).toEqual([
      0,
      undefined,
      true,
    ])
  })

  it('do not outlive their time when the table they are in is an old one', () => {
    const collect = exposeCollector()
    const numbered = new Numbered<object>()
    numbered.add({})
    // Now it is among what has lived for long.
    collect()
    collect()
    const before = oldBytes()
    let most = before
    for (let turn = 0; turn < 200_000; turn++) {
      const number = numbered.add({ payload: Array.from({ length: 20 }, () => turn) })
      numbered.take(number - 32)
      if (turn % 1000 === 0) most = Math.max(most, oldBytes())
    }
    // Of 50 MB. In a Map so much of them becomes old that the whole heap has to be searched in between.
    expect(most - before).toBeLessThan(5e6)
  })
})

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')!.space_used_size
}
