/**
 * id-table: entries under their ids, and that none is kept when it is gone.
 */
import { getHeapSpaceStatistics } from 'node:v8'
import { describe, expect, it } from 'vitest'
import { IdTable } from '../../src/base/id-table.ts'
import { exposeCollector } from '../memory/collector.ts'

describe('things under their numbers', () => {
  it('are there until they are taken', () => {
    const table = new IdTable<{ name: string }>()
    expect([table.get(1), table.take(1), table.all()]).toEqual([undefined, undefined, []])
    const [a, b] = [{ name: 'a' }, { name: 'b' }]
    const [first, second] = [table.add(a), table.add(b)]
    expect([first, second]).toEqual([1, 2])
    expect([table.get(first), table.get(second), table.size]).toEqual([a, b, 2])
    expect(table.take(first)).toBe(a)
    expect([table.get(first), table.take(first), table.size]).toEqual([undefined, undefined, 1])
    expect(table.all()).toEqual([b])
  })

  it('are found by nothing but a number that was given', () => {
    const table = new IdTable<object>()
    table.add({})
    const others = ['1', 1.5, 0, -1, 9, 1 + 2 ** 32, Number.NaN, Infinity, null, undefined, {}]
    expect(others.map((one) => table.get(one))).toEqual(others.map(() => undefined))
  })

  it('keep their number and their order, however many come and go', () => {
    const table = new IdTable<{ number: number }>()
    const add = (): number => {
      const thing = { number: 0 }
      thing.number = table.add(thing)
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
      else expect(table.take(number)).toEqual({ number })
    }
    expect(table.all().map(({ number }) => number)).toEqual(lasting)
    expect(lasting.map((number) => table.get(number))).toEqual(lasting.map((number) => ({ number })))
    for (const number of lasting) table.take(number)
    expect([table.size, table.all()]).toEqual([0, []])
  })

  it('are there by the thousand at once, and none is left after', () => {
    const table = new IdTable<object>()
    const numbers = Array.from({ length: 3000 }, () => table.add({}))
    expect(new Set(numbers).size).toBe(3000)
    expect(numbers.every((number) => table.take(number) !== undefined)).toBe(true)
    expect([table.size, table.get(numbers[0]), table.add({}) > numbers.at(-1)!]).toEqual([0, undefined, true])
  })

  it('do not outlive their time when the table they are in is an old one', () => {
    const collect = exposeCollector()
    const table = new IdTable<object>()
    table.add({})
    // Now it is among what has lived for long.
    collect()
    collect()
    const before = oldBytes()
    let most = before
    for (let turn = 0; turn < 200_000; turn++) {
      const number = table.add({ payload: Array.from({ length: 20 }, () => turn) })
      table.take(number - 32)
      if (turn % 1000 === 0) most = Math.max(most, oldBytes())
    }
    // Of 50 MB. In a Map so much of them becomes old that the whole heap has to be searched in between.
    expect(most - before).toBeLessThan(5e6)
  })
})

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')!.space_used_size
}
