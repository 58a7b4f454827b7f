/**
 * call: calls one tool, once.
 *
 * in     the server, the tool, the arguments, and the memory of earlier calls
 * out    exactly one outcome: it happened, it did not, or that is unknown
 * never  sends what the tool's schema certainly forbids; sends a call twice that may have happened, unless that does no
 *        harm
 */
import { isObject } from '../../base/is-object.ts'
import { NEEDS_PAGE } from '../../model/elicitation.ts'
import type { Params, Result, RpcError } from '../../model/message.ts'
import { FINDINGS_INTRO, type CallOutcome, type NotSent } from '../../model/outcome.ts'
import { TOOL_CHANGED, type ToolToCall } from '../../model/permission.ts'
import type { Problem } from '../../model/problem.ts'
import { SessionError, type RequestOptions, type SessionFailure } from '../../model/session.ts'
import { ProblemError } from '../../problem/problem.ts'
import { findDoubts, findFaults } from './arguments.ts'
import { isLooping, markOf, NO_REPEATS, remember, type Repeats } from './loop-guard.ts'
import {
  badArguments,
  gaveUp,
  goesInCircles,
  lostOnTheWay,
  mayPass,
  misspoke,
  notReached,
  refused,
  staysRefused,
  turnedDown,
} from './problems.ts'

export interface CallRequest {
  readonly target: ToolToCall
  readonly args: Params
  /** Whether the tool is as its user approved it. Only then may Plugboard trust its hints. */
  readonly isUnchanged: boolean
  readonly options: RequestOptions
}

/** The tool's server. */
export interface Addressee {
  /** Rejects with a SessionError, or with a ProblemError if the server cannot be reached. */
  send(params: Params, options: RequestOptions): Promise<Result>
  /** Returns the error, or a better description of it. */
  explain?(error: unknown): unknown
}

export interface Guard {
  /** How many times in a row the same call may get the same answer; 0 is off. */
  readonly limit: number
  /** Replaced after every call that has an answer. */
  repeats: Repeats
  /** Like `repeats`, for calls that were refused for their name or their arguments. */
  refused?: Repeats
}

export function call(to: Addressee, request: CallRequest, guard: Guard): CallOutcome | Promise<CallOutcome> {
  const { target, args, options } = request
  if (options.signal?.aborted === true) return aborted(target, false)
  const faults = findFaults(target.definition.inputSchema, args)
  if (faults.length > 0) {
    const refusal = notSent('bad-arguments', badArguments(target, faults))
    return refuseInTurn(guard, { target, args, refusal })
  }
  return sendUnlessLooping(to, request, guard)
}

export interface Refused {
  readonly target: Pick<ToolToCall, 'server' | 'tool'>
  readonly args: unknown
  readonly refusal: NotSentOutcome
}

/** The refusal. After too many of the same in a row, it also says that the call will be refused each time. */
export function refuseInTurn(guard: Guard, { target, args, refusal }: Refused): CallOutcome {
  if (guard.limit === 0) return refusal
  const mark = markOf(target.server, target.tool, args)
  const before = guard.refused ?? NO_REPEATS
  if (isLooping(before, mark, guard.limit))
    return notSent('loop-guard', staysRefused(target, before.times, refusal.problem))
  guard.refused = remember(before, mark, refusal)
  return refusal
}

function sendUnlessLooping(
  to: Addressee,
  request: CallRequest,
  guard: Guard,
): CallOutcome | Promise<CallOutcome> {
  if (guard.limit === 0) return sendAtMostTwice(to, request)
  const { target, args } = request
  const mark = markOf(target.server, target.tool, args)
  if (isLooping(guard.repeats, mark, guard.limit)) {
    return notSent('loop-guard', goesInCircles(target, guard.repeats.times))
  }
  return sendAtMostTwice(to, request).then((outcome) => {
    guard.repeats = remember(guard.repeats, mark, outcome)
    guard.refused = NO_REPEATS
    return outcome
  })
}

function sendAtMostTwice(to: Addressee, request: CallRequest): Promise<CallOutcome> {
  return sendOnce(to, request).then(
    (result) => judgeResult(result, request),
    (error: unknown) => {
      const { outcome, mayRepeat } = judge(error, to, request)
      return mayRepeat ? sendAgain(to, request, outcome) : outcome
    },
  )
}

async function sendAgain(to: Addressee, request: CallRequest, first: CallOutcome): Promise<CallOutcome> {
  const second = await sendOnce(to, request).then(
    (result) => judgeResult(result, request),
    (error: unknown) => judge(error, to, request).outcome,
  )
  return first.kind === 'unknown' ? afterUnknown(first, second) : second
}

/** A call that may have been sent once stays so, whatever the second attempt gives. */
function afterUnknown(first: CallOutcome, second: CallOutcome): CallOutcome {
  if (second.kind === 'not-sent') return first
  return second.kind === 'aborted' ? { ...second, wasSent: true } : second
}

function sendOnce(to: Addressee, { target, args, options }: CallRequest): Promise<Result> {
  return to.send({ name: target.tool, arguments: args }, options)
}

function judgeResult(result: Result, request: CallRequest): CallOutcome {
  if (result['isError'] !== true) return { kind: 'done', result }
  const findings = doubtsOf(request)
  return findings.length === 0 ? { kind: 'tool-error', result } : { kind: 'tool-error', result, findings }
}

function failed(request: CallRequest, problem: Problem, error?: RpcError): CallOutcome {
  const answer = error === undefined ? {} : { error }
  const findings = doubtsOf(request)
  if (findings.length === 0) return { kind: 'failed', problem, ...answer }
  const notes = [...problem.notes, FINDINGS_INTRO, ...findings]
  return { kind: 'failed', problem: { ...problem, notes }, ...answer, findings }
}

/** The faults of the arguments that were not certain enough for a refusal. */
function doubtsOf({ target, args }: CallRequest): readonly string[] {
  return findDoubts(target.definition.inputSchema, args)
}

interface Tried {
  readonly outcome: CallOutcome
  readonly mayRepeat: boolean
}

function judge(cause: unknown, to: Addressee, request: CallRequest): Tried {
  const error = to.explain === undefined ? cause : to.explain(cause)
  if (error instanceof ProblemError) return judgeProblem(error)
  if (error instanceof SessionError) return judgeFailure(error.failure, request)
  throw error
}

function judgeProblem({ problem, cause }: ProblemError): Tried {
  const isAnswered = cause instanceof SessionError && cause.failure.kind === 'rpc'
  const answer = isAnswered ? { error: cause.failure.error } : {}
  // The server has answered: the user must open a page first.
  if (problem.code === NEEDS_PAGE) return settled({ kind: 'failed', problem, ...answer })
  const code = problem.code === TOOL_CHANGED ? 'denied' : 'not-connected'
  return { outcome: { ...notSent(code, problem), ...answer }, mayRepeat: mayPass(problem) }
}

function judgeFailure(failure: SessionFailure, request: CallRequest): Tried {
  const { target } = request
  switch (failure.kind) {
    case 'rpc':
      return settled(failed(request, refused(target, failure.error), failure.error))
    case 'bad-answer':
      return settled({ kind: 'failed', problem: misspoke(target, failure.message) })
    case 'aborted':
      return settled(aborted(target, failure.wasSent))
    case 'timeout':
      return {
        outcome: { kind: 'unknown', problem: lostOnTheWay(target, failure) },
        // The whole time limit of the call is used up.
        mayRepeat: failure.limit !== 'duration' && isRepeatable(request),
      }
    case 'lost':
      return judgeLoss(failure, request)
    case 'not-started':
      return { outcome: notSent('not-connected', failure.problem), mayRepeat: false }
  }
}

function judgeLoss(failure: Lost, request: CallRequest): Tried {
  const { target } = request
  const { wire, wasSent } = failure
  if (wasSent) {
    return {
      outcome: { kind: 'unknown', problem: lostOnTheWay(target, failure) },
      mayRepeat: isRepeatable(request),
    }
  }
  // The connection works, but the server refused the request. A 401 means that the user must sign in.
  if (wire.kind === 'http' && wire.status !== 401) {
    return settled(failed(request, turnedDown(target, wire)))
  }
  return { outcome: notSent('not-connected', notReached(target, wire)), mayRepeat: true }
}

type Lost = Extract<SessionFailure, { kind: 'lost' }>

/** Whether a second call does no harm. The tool itself says so, which counts only while the tool is as approved. */
function isRepeatable({ target, isUnchanged }: CallRequest): boolean {
  const { annotations } = target.definition
  if (!isUnchanged || !isObject(annotations)) return false
  return annotations['readOnlyHint'] === true || annotations['idempotentHint'] === true
}

function settled(outcome: CallOutcome): Tried {
  return { outcome, mayRepeat: false }
}

type NotSentOutcome = Extract<CallOutcome, { kind: 'not-sent' }>

export function notSent(code: NotSent, problem: Problem): NotSentOutcome {
  return { kind: 'not-sent', code, problem }
}

function aborted(target: ToolToCall, wasSent: boolean): CallOutcome {
  return { kind: 'aborted', wasSent, problem: gaveUp(target, wasSent) }
}
