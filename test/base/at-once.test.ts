import { describe, expect, test } from 'vitest'
import { atOnce } from '../../src/base/at-once.ts'

const next = (value: number): number => value + 1

describe('a step after something', () => {
  test('is taken in the same turn where that is there', () => {
    expect(atOnce(1, next)).toBe(2)
    expect(atOnce<undefined, string>(undefined, () => 'nothing to wait for')).toBe('nothing to wait for')
  })

  test('waits where that is still to come', async () => {
    const answer = atOnce(Promise.resolve(1), next)
    expect(answer).toBeInstanceOf(Promise)
    expect(await answer).toBe(2)
  })

  test('waits for a promise of any make: a host may have put another class in place of the usual one', async () => {
    // oxlint-disable-next-line unicorn/no-thenable -- what is looked for
    const made = { then: (step: (value: number) => number) => Promise.resolve(step(1)) }
    expect(await atOnce(made as unknown as Promise<number>, next)).toBe(2)
  })

  test('is not taken when that fails', async () => {
    await expect(atOnce(Promise.reject<number>(new Error('no')), next)).rejects.toThrow('no')
  })
})
