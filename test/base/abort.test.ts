import { describe, expect, test } from 'vitest'
import { Abort, toAbortSignal } from '../../src/base/abort.ts'

describe('Abort', () => {
  test('tells every listener once, in the order they came', () => {
    const abort = new Abort()
    const told: string[] = []
    abort.addEventListener('abort', () => told.push('first'))
    abort.addEventListener('abort', () => told.push('second'))
    abort.abort()
    abort.abort()
    expect(told).toEqual(['first', 'second'])
    expect(abort.aborted).toBe(true)
  })

  test('does not tell a listener that was taken away, nor one that came too late, as an AbortSignal would not', () => {
    const abort = new Abort()
    const told: string[] = []
    const early = (): void => void told.push('early')
    abort.addEventListener('abort', early)
    abort.removeEventListener('abort', early)
    abort.abort()
    abort.addEventListener('abort', () => told.push('late'))
    expect(told).toEqual([])
    expect(abort.aborted).toBe(true)
  })

  test('a listener that is added twice is told once', () => {
    const abort = new Abort()
    let count = 0
    const listener = (): void => void (count += 1)
    abort.addEventListener('abort', listener)
    abort.addEventListener('abort', listener)
    abort.abort()
    expect(count).toBe(1)
  })

  test('a listener that another takes away while they are told is not told, and those behind it are', () => {
    const abort = new Abort()
    const told: string[] = []
    const second = (): void => void told.push('second')
    abort.addEventListener('abort', () => abort.removeEventListener('abort', second))
    abort.addEventListener('abort', second)
    abort.addEventListener('abort', () => told.push('third'))
    abort.abort()
    expect(told).toEqual(['third'])
  })

  test('has the reason that an AbortController gives by itself', () => {
    const [ours, theirs] = [new Abort(), new AbortController()]
    ours.abort()
    theirs.abort()
    const { name, message } = theirs.signal.reason as DOMException
    expect(ours.reason).toMatchObject({ name, message })
  })
})

describe('toAbortSignal', () => {
  test('gives an AbortSignal back as it is', () => {
    const { signal } = new AbortController()
    expect(toAbortSignal(signal)).toBe(signal)
  })

  test('follows what it was made of, with its reason', () => {
    const abort = new Abort()
    const signal = toAbortSignal(abort)
    expect(signal.aborted).toBe(false)
    abort.abort()
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toBe(abort.reason)
  })

  test('is aborted from the start where that is over', () => {
    const abort = new Abort()
    abort.abort()
    expect(toAbortSignal(abort).aborted).toBe(true)
  })
})
