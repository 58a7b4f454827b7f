/**
 * call: whatever a way to send comes to has one outcome, and is repeated only where the rules say so.
 */
import { describe, expect, test } from 'vitest'
import type { Result } from '../../../src/model/message.ts'
import type { CallOutcome } from '../../../src/model/outcome.ts'
import { SessionError } from '../../../src/model/session.ts'
import type { WireFailure } from '../../../src/model/wire.ts'
import { call } from '../../../src/pipeline/call/call.ts'
import { NO_REPEATS } from '../../../src/pipeline/call/loop-guard.ts'
import { createProblem, ProblemError } from '../../../src/problem/problem.ts'

const EXIT: WireFailure = { kind: 'exit', exitCode: 1 }
const lost = (wire: WireFailure, wasSent: boolean): Error => new SessionError({ kind: 'lost', wire, wasSent })
const notConnected = (code: string): Error => new ProblemError(createProblem({ code, message: 'no' }))
const OK: Result = { content: [] }

/** Each step is what the next request comes to. */
async function play(
  steps: readonly (Result | Error)[],
  { annotations, isUnchanged = true }: { annotations?: object; isUnchanged?: boolean } = {},
): Promise<{ outcome: CallOutcome; sent: number }> {
  let sent = 0
  const send = (): Promise<Result> => {
    const step = steps[sent]
    sent += 1
    if (step === undefined) throw new Error('sent too often')
    return step instanceof Error ? Promise.reject(step) : Promise.resolve(step)
  }
  const definition = {
    name: 't',
    inputSchema: { type: 'object' },
    ...(annotations === undefined ? {} : { annotations }),
  }
  const target = { server: 's', tool: 't', name: 'mcp__s__t', definition }
  const guard = { limit: 3, repeats: NO_REPEATS }
  const outcome = await call({ send }, { target, args: {}, isUnchanged, options: {} }, guard)
  return { outcome, sent }
}

const gist = ({ outcome, sent }: { outcome: CallOutcome; sent: number }): object => ({
  kind: outcome.kind,
  ...('code' in outcome ? { code: outcome.code } : {}),
  ...('wasSent' in outcome ? { wasSent: outcome.wasSent } : {}),
  ...('problem' in outcome ? { problem: outcome.problem.code } : {}),
  sent,
})

describe('one answer', () => {
  test.each<[string, Result | Error, object]>([
    ['a result', OK, { kind: 'done', sent: 1 }],
    ['a result with isError', { isError: true }, { kind: 'tool-error', sent: 1 }],
    [
      'an error',
      new SessionError({ kind: 'rpc', error: { code: -32602, message: 'x' } }),
      { kind: 'failed', problem: 'call/failed', sent: 1 },
    ],
    [
      'nonsense',
      new SessionError({ kind: 'bad-answer', message: 'x' }),
      { kind: 'failed', problem: 'call/failed', sent: 1 },
    ],
    [
      'HTTP 404',
      lost({ kind: 'http', status: 404, body: 'x' }, false),
      { kind: 'failed', problem: 'call/failed', sent: 1 },
    ],
    [
      'HTTP 503',
      lost({ kind: 'http', status: 503, body: 'x' }, true),
      { kind: 'unknown', problem: 'call/lost', sent: 1 },
    ],
    ['a loss', lost(EXIT, true), { kind: 'unknown', problem: 'call/lost', sent: 1 }],
    [
      'silence',
      new SessionError({ kind: 'timeout', afterMs: 5 }),
      { kind: 'unknown', problem: 'call/timeout', sent: 1 },
    ],
    [
      'an abort',
      new SessionError({ kind: 'aborted', wasSent: true }),
      { kind: 'aborted', wasSent: true, problem: 'call/aborted', sent: 1 },
    ],
    ...[
      'connect/spawn',
      'connect/needs-auth',
      'connect/not-ready',
      'connect/not-chosen',
      'connect/timeout',
    ].map((code): [string, Error, object] => [
      code,
      notConnected(code),
      { kind: 'not-sent', code: 'not-connected', problem: code, sent: 1 },
    ]),
    [
      'a page to open first',
      notConnected('call/needs-page'),
      { kind: 'failed', problem: 'call/needs-page', sent: 1 },
    ],
    [
      'another tool than was allowed',
      notConnected('call/changed'),
      { kind: 'not-sent', code: 'denied', problem: 'call/changed', sent: 1 },
    ],
  ])('%s', async (_, step, expected) => {
    expect(gist(await play([step]))).toEqual(expected)
  })

  test('a bug is no outcome', async () => {
    await expect(play([new TypeError('bug')])).rejects.toThrow('bug')
  })
})

describe('sent once more', () => {
  const idempotent = { annotations: { idempotentHint: true } }

  test.each<[string, Error]>([
    ['a try that failed', notConnected('connect/exit')],
    ['a connection that was gone', lost({ kind: 'network', code: 'ECONNREFUSED', message: 'x' }, false)],
    ['a sign-in that ran out', lost({ kind: 'http', status: 401, body: '' }, false)],
  ])('for want of a connection: %s', async (_, step) => {
    expect(gist(await play([step, OK]))).toEqual({ kind: 'done', sent: 2 })
    expect(gist(await play([step, step]))).toMatchObject({ kind: 'not-sent', code: 'not-connected', sent: 2 })
  })

  test.each([{ idempotentHint: true }, { readOnlyHint: true }])(
    'after an unknown end: %j',
    async (annotations) => {
      expect(gist(await play([lost(EXIT, true), OK], { annotations }))).toEqual({ kind: 'done', sent: 2 })
      expect(gist(await play([lost(EXIT, true), lost(EXIT, true)], { annotations }))).toMatchObject({
        kind: 'unknown',
        sent: 2,
      })
    },
  )

  test.each([{}, { idempotentHint: false }, { idempotentHint: 'true' }, { destructiveHint: false }])(
    'not after an unknown end when the tool promises nothing: %j',
    async (annotations) => {
      expect(gist(await play([lost(EXIT, true)], { annotations }))).toMatchObject({
        kind: 'unknown',
        sent: 1,
      })
    },
  )

  test('not when what it promises was not what somebody approved', async () => {
    const played = await play([lost(EXIT, true)], { ...idempotent, isUnchanged: false })
    expect(gist(played)).toMatchObject({ kind: 'unknown', sent: 1 })
  })

  test('and what was sent before stays sent', async () => {
    const unsent = notConnected('connect/spawn')
    expect(gist(await play([lost(EXIT, true), unsent], idempotent))).toEqual({
      kind: 'unknown',
      problem: 'call/lost',
      sent: 2,
    })
    const aborted = new SessionError({ kind: 'aborted', wasSent: false })
    expect(gist(await play([lost(EXIT, true), aborted], idempotent))).toMatchObject({
      kind: 'aborted',
      wasSent: true,
    })
  })
})
