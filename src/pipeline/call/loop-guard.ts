/**
 * loop-guard: detects a model that repeats the same call and gets the same answer.
 *
 * in     the memory of earlier calls, and one call or its result
 * out    whether to stop; the new memory
 * never  keeps arguments or results, only hashes of them
 */
import { digest } from '../../base/digest.ts'
import type { CallOutcome, NotSent } from '../../model/outcome.ts'

/** The last call that had an answer, and how many equal calls before it, in a row, got the same answer. */
export interface Repeats {
  readonly call: number
  readonly answer: number
  readonly times: number
}

export const NO_REPEATS: Repeats = { call: 0, answer: 0, times: 0 }

/** Identifies a call. */
export function markOf(server: string, tool: string, args: unknown): number {
  return digest([server, tool, args])
}

/** `limit`: how many times it may get the same answer; 0 is off. */
export function isLooping({ call, times }: Repeats, mark: number, limit: number): boolean {
  return limit > 0 && times >= limit && call === mark
}

/** A call without an answer of the server, and without a refusal here, neither continues nor ends a series. */
export function remember(before: Repeats, mark: number, outcome: CallOutcome): Repeats {
  const answer = answerOf(outcome)
  if (answer === undefined) return before
  const isSame = before.call === mark && before.answer === answer
  return { call: mark, answer, times: isSame ? before.times + 1 : 1 }
}

/** The same call would be refused again for the same reason. */
const REFUSED: ReadonlySet<NotSent> = new Set(['bad-arguments', 'unknown-tool'])

function answerOf(outcome: CallOutcome): number | undefined {
  switch (outcome.kind) {
    case 'done':
    case 'tool-error': {
      // Fields that a server adds to the answer (a time, a request number) are not part of the answer.
      const { content, structuredContent, resultType } = outcome.result
      // A question is no answer either: the same call comes again with the requested input.
      if (resultType === 'input_required') return undefined
      return digest([outcome.kind, content, structuredContent])
    }
    case 'failed':
      return digest([outcome.kind, outcome.problem.message, outcome.problem.notes])
    case 'not-sent':
      return REFUSED.has(outcome.code) ? digest([outcome.code, outcome.problem.message]) : undefined
    case 'unknown':
    case 'aborted':
      return undefined
  }
}
