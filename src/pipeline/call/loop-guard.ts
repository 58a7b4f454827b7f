/**
 * loop-guard: a model that does the same again and again, and gets the same answer.
 *
 * in     what is remembered of the calls before, and one call or its result
 * out    whether to stop; what is remembered now
 * never  keeps arguments or results, only what tells them apart
 */
import { digest } from '../../base/digest.ts'
import type { CallOutcome, NotSent } from '../../model/outcome.ts'

/** The last call that had an answer, and how many before it, in a row, were the same with the same answer. */
export interface Repeats {
  readonly call: number
  readonly answer: number
  readonly times: number
}

export const NO_REPEATS: Repeats = { call: 0, answer: 0, times: 0 }

/** What tells a call from another. */
export function markOf(server: string, tool: string, args: unknown): number {
  return digest([server, tool, args])
}

/** `limit`: how often it may be answered in the same way; 0 is off. */
export function isLooping({ call, times }: Repeats, mark: number, limit: number): boolean {
  return limit > 0 && times >= limit && call === mark
}

/** What has no answer, neither of the server nor a refusal of ours, neither goes on with a row nor ends it. */
export function remember(before: Repeats, mark: number, outcome: CallOutcome): Repeats {
  const answer = answerOf(outcome)
  if (answer === undefined) return before
  const isSame = before.call === mark && before.answer === answer
  return { call: mark, answer, times: isSame ? before.times + 1 : 1 }
}

/** Whoever calls again in the same way is refused in the same way. */
const REFUSED: ReadonlySet<NotSent> = new Set(['bad-arguments', 'unknown-tool'])

function answerOf(outcome: CallOutcome): number | undefined {
  switch (outcome.kind) {
    case 'done':
    case 'tool-error': {
      // What a server adds about the answer (a time, a number of the request) is not the answer.
      const { content, structuredContent, resultType } = outcome.result
      // A question in return is none either: the same call comes again with what was asked for.
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
