/**
 * loop-guard: calls in, verdicts out.
 */
import { describe, expect, test } from 'vitest'
import type { CallOutcome } from '../../../src/model/outcome.ts'
import {
  isLooping,
  markOf,
  NO_REPEATS,
  remember,
  type Repeats,
} from '../../../src/pipeline/call/loop-guard.ts'
import { createProblem } from '../../../src/problem/problem.ts'

const done = (text: string, more: object = {}): CallOutcome => ({
  kind: 'done',
  result: { content: [{ type: 'text', text }], ...more },
})
const problem = createProblem({ code: 'call/x', message: 'x' })
const A = markOf('s', 't', { a: 1, b: 2 })
const B = markOf('s', 't', { a: 2 })

function after(...calls: readonly (readonly [number, CallOutcome])[]): Repeats {
  return calls.reduce((repeats, [mark, outcome]) => remember(repeats, mark, outcome), NO_REPEATS)
}

describe('the same call', () => {
  test('is stopped after the third same answer in a row', () => {
    const calls = [1, 2, 3].map((count) =>
      after(...Array.from({ length: count }, () => [A, done('x')] as const)),
    )
    expect(calls.map((repeats) => isLooping(repeats, A, 3))).toEqual([false, false, true])
  })

  test('is known by what it says, not by the order of its arguments', () => {
    expect(markOf('s', 't', { b: 2, a: 1 })).toBe(A)
    expect(new Set([A, B, markOf('s', 'u', { a: 1, b: 2 }), markOf('st', '', { a: 1, b: 2 })]).size).toBe(4)
  })

  test('goes on when the answer is another', () => {
    const repeats = after([A, done('x')], [A, done('x')], [A, done('y')])
    expect(repeats.times).toBe(1)
  })

  test('goes on when another came between', () => {
    const repeats = after([A, done('x')], [A, done('x')], [B, done('x')], [A, done('x')])
    expect(isLooping(repeats, A, 3)).toBe(false)
  })

  test('is the same whatever the server notes beside the answer', () => {
    const repeats = after([A, done('x', { _meta: { n: 1 } })], [A, done('x', { _meta: { n: 2 } })])
    expect(repeats.times).toBe(2)
  })

  test('counts errors as answers, and what was not answered not at all', () => {
    const failed: CallOutcome = { kind: 'failed', problem }
    expect(after([A, failed], [A, failed]).times).toBe(2)
    const silent: CallOutcome[] = [
      { kind: 'unknown', problem },
      { kind: 'aborted', wasSent: true, problem },
      { kind: 'not-sent', code: 'loop-guard', problem },
    ]
    for (const outcome of silent) expect(after([A, failed], [A, outcome], [A, failed]).times).toBe(2)
  })

  test('is never stopped where the guard is off', () => {
    expect(isLooping(after([A, done('x')], [A, done('x')], [A, done('x')]), A, 0)).toBe(false)
  })

  test('takes no more memory for a large answer', () => {
    expect(after([A, done('x'.repeat(1_000_000))])).toEqual({
      call: expect.any(Number) as number,
      answer: expect.any(Number) as number,
      times: 1,
    })
  })
})
