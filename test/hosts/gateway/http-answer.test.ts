/**
 * http-answer: what a client gets that has to wait.
 */
import { describe, expect, test } from 'vitest'
import { Heartbeats } from '../../../src/hosts/gateway/heartbeats.ts'
import { HttpAnswer } from '../../../src/hosts/gateway/http-answer.ts'
import type { Reply } from '../../../src/world/world.ts'
import { createMovedClock } from '../../worlds/moved-clock.ts'

const ANSWER = { jsonrpc: '2.0', id: 1, result: { ok: true } } as const

function open(canStream: boolean) {
  const clock = createMovedClock()
  const sent: unknown[] = []
  const reply: Reply = {
    send: ({ status, body }) => void sent.push([status, body]),
    stream: (status, headers) => void sent.push([status, headers['content-type']]),
    write: (text) => void sent.push(text),
    end: () => void sent.push('end'),
    bytes: () => 0,
    onGone: () => undefined,
  }
  const answer = new HttpAnswer(reply, { heartbeats: new Heartbeats(clock), canStream })
  return { clock, sent, answer }
}

describe('an answer', () => {
  test('that comes at once is JSON, and no timer looks after it any more', () => {
    const { clock, sent, answer } = open(true)
    answer.finish(ANSWER, 200)
    clock.pass(60_000)
    expect(sent).toEqual([[200, JSON.stringify(ANSWER)]])
    expect(clock.waiting).toBe(0)
  })

  test('that takes longer than ten seconds becomes a stream, with a sign of life every ten seconds', () => {
    const { clock, sent, answer } = open(true)
    clock.pass(25_000)
    answer.finish(ANSWER, 200)
    clock.pass(60_000)
    expect(sent).toEqual([
      [200, 'text/event-stream; charset=utf-8'],
      ': still here\n\n',
      ': still here\n\n',
      `event: message\ndata: ${JSON.stringify(ANSWER)}\n\n`,
      'end',
    ])
  })

  test('stays JSON for a client that takes no events, however long it takes', () => {
    const { clock, sent, answer } = open(false)
    clock.pass(25_000)
    answer.finish(ANSWER, 200)
    expect(sent).toEqual([[200, JSON.stringify(ANSWER)]])
  })
})
