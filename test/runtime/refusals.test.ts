/**
 * refusals: remote servers that answer, and say no.
 */
import { describe, expect, test } from 'vitest'
import type { Connection } from '../../src/model/connection.ts'
import { openTestBoard } from '../boards/open.ts'
import { call, connectionOf } from '../boards/watch.ts'
import { answerLegacy, serve } from '../servers/http/loopback.ts'

type Waiting = Extract<Connection, { state: 'waiting' }>

describe('a server that has had too many requests', () => {
  test.each([
    ['seconds', { 'retry-after': '7' }, 7000, 7, []],
    [
      'a date',
      { date: 'Mon, 16 Nov 2026 10:00:00 GMT', 'retry-after': 'Mon, 16 Nov 2026 10:00:20 GMT' },
      20_000,
      20,
      [],
    ],
    ['longer than we wait', { 'retry-after': '3600' }, 30_000, 3600, ['so long is not waited: at most 30 s']],
  ])('is left alone for as long as it asks (%s)', async (_, headers, waitMs, seconds, notes) => {
    await using server = await serve(({ response }) => response.writeHead(429, headers).end('slow down'))
    await using test = await openTestBoard({ x: { type: 'http', url: server.url } })
    const { state, retryAt, problem } = connectionOf(test.board, 'x') as Waiting
    expect(state).toBe('waiting')
    expect(problem).toMatchObject({
      code: 'connect/http',
      message: `Failed to connect to "x": the server answered with HTTP 429 (too many requests); it asks to wait ${seconds} s`,
      notes: [`address: ${server.url}`, ...notes, 'it said: "slow down"'],
      hints: ['wait, and then try again; if it happens often, use fewer agents with this server'],
    })
    // Not asked in another way meanwhile.
    expect(server.received).toHaveLength(1)
    expect(Math.abs(retryAt - Date.now() - waitMs)).toBeLessThan(1500)
  })

  test('says so to whoever called it, and stays ready', async () => {
    await using server = await serve((one) => {
      if (one.message?.method !== 'tools/call') return answerLegacy(one)
      one.response.writeHead(429, { 'retry-after': '2' }).end()
    })
    await using test = await openTestBoard({ x: { type: 'http', url: server.url } })
    await expect(call(test.board, 'x', ['echo'])).rejects.toThrow(
      'HTTP 429 (too many requests); it asks to wait 2 s',
    )
    expect(connectionOf(test.board, 'x').state).toBe('ready')
  })
})
