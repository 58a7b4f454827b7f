/**
 * reconnect: a session that is lost comes back, one that cannot be had is given up, and a caller decides otherwise.
 */
import { describe, expect, it } from 'vitest'
import type { ConnectionState } from '../../src/model/connection.ts'
import { SessionError } from '../../src/model/session.ts'
import type { Board } from '../../src/runtime/board.ts'
import { isAlive, openTestBoard, serverEntry, type TestBoard, type TestOptions } from '../boards/open.ts'
import { call, connectionOf, problemOf, until, untilState } from '../boards/watch.ts'
import { createObserved, inTime, type Observed } from '../worlds/observed.ts'

interface One extends TestBoard {
  readonly seen: Observed
}

/** A board with the one server `x`. */
async function openOne(entry: object, options: TestOptions = {}, seen = createObserved()): Promise<One> {
  return { ...(await openTestBoard({ x: entry }, { ...options, scratch: seen })), seen }
}

/** Ends the server of this board, and gives back when that was noticed. */
async function kill({ board, seen }: One): Promise<void> {
  process.kill(seen.children.at(-1)!.pid, 'SIGKILL')
  await until(board, () => connectionOf(board, 'x').state !== 'ready')
}

/** Each state that the server comes to from now on. */
function statesOf(board: Board): readonly ConnectionState[] {
  const states: ConnectionState[] = []
  board.on('change', () => {
    const { state } = connectionOf(board, 'x')
    if (states.at(-1) !== state) states.push(state)
  })
  return states
}

describe('a server that was killed', () => {
  it.each([[['legacy']], [['modern', '--modern']]])('comes back by itself (%s)', async ([, ...args]) => {
    await using test = await openOne(serverEntry('well-behaved', ...args))
    const states = statesOf(test.board)
    await kill(test)
    await untilState(test.board, 'x', 'ready')
    expect(states).toEqual(['waiting', 'connecting', 'ready'])
    expect(test.seen.children).toHaveLength(2)
    expect(await call(test.board, 'x', ['echo', { text: 'back' }])).toBe('back')
  })

  it('is back at once for a call that needs it', async () => {
    await using test = await openOne(serverEntry('well-behaved'))
    await kill(test)
    const { retryAt } = connectionOf(test.board, 'x') as { readonly retryAt: number }
    expect(await call(test.board, 'x', ['echo', { text: 'now' }])).toBe('now')
    expect(Date.now()).toBeLessThan(retryAt)
  })

  it('takes the calls in flight with it, and they say that they were sent', async () => {
    await using test = await openOne(serverEntry('well-behaved'))
    const calls = [1, 2].map(() =>
      call(test.board, 'x', ['slow', { ms: 60_000 }]).catch((error: unknown) => error),
    )
    await call(test.board, 'x', ['echo'])
    await kill(test)
    for (const error of await Promise.all(calls)) {
      expect(error).toBeInstanceOf(SessionError)
      expect((error as SessionError).message).toBe('the process was ended by SIGKILL')
      expect((error as SessionError).failure).toEqual({
        kind: 'lost',
        wire: { kind: 'exit', signal: 'SIGKILL' },
        wasSent: true,
      })
    }
  })

  it('keeps its tools meanwhile, as deferred ones', async () => {
    await using test = await openOne(serverEntry('well-behaved'))
    await kill(test)
    expect(test.board.tools().map(({ tool, isDeferred }) => [tool, isDeferred])).toEqual([
      ['echo', true],
      ['slow', true],
    ])
    await untilState(test.board, 'x', 'ready')
    expect(test.board.tools().map(({ isDeferred }) => isDeferred)).toEqual([false, false])
  })
})

describe('a server that keeps failing', () => {
  const CRASHES = serverEntry('crashes-after', '--requests', '2')

  it('is given up after five tries within half a minute', async () => {
    const seen = createObserved({ change: inTime(20) })
    await using test = await openOne(CRASHES, {}, seen)
    const states = statesOf(test.board)
    const { problem } = await untilState(test.board, 'x', 'failed')
    expect(seen.children).toHaveLength(5)
    expect(states.at(-1)).toBe('failed')
    expect(problem.message).toMatch(
      /^Failed to connect to "x": the process exited with code 1 after .+, before it answered$/,
    )
    expect(problem.notes.slice(-2)).toEqual(['the last lines it wrote:', '  crashed'])
  })

  it('gets one more try from everyone who asks, and no more than that', async () => {
    const seen = createObserved({ change: inTime(20) })
    await using test = await openOne(CRASHES, {}, seen)
    await untilState(test.board, 'x', 'failed')
    const states = statesOf(test.board)
    expect((await problemOf(test.board.connect('x'))).code).toBe('connect/exit')
    expect((await problemOf(test.board.request('x', 'tools/list'))).code).toBe('connect/exit')
    expect(states).toEqual(['connecting', 'failed', 'connecting', 'failed'])
    expect(seen.children).toHaveLength(7)
  })

  it('is given up as well when it gets ready and dies young each time', async () => {
    // It answers `initialize`, `tools/list` and one call.
    const entry = { ...serverEntry('crashes-after', '--requests', '3'), protocol: 'legacy' }
    await using test = await openOne(entry)
    const { board } = test
    for (let round = 1; round <= 5; round++) {
      await call(board, 'x', ['echo'])
      await until(board, () => connectionOf(board, 'x').state !== 'ready')
    }
    expect(connectionOf(board, 'x')).toMatchObject({
      state: 'failed',
      problem: {
        code: 'connect/lost',
        message: 'the connection to `x` was lost: the process exited with code 1',
      },
    })
  })

  it('is given up at once when there is no such program', async () => {
    await using test = await openOne({ command: 'no-such-program-4711', args: ['--flag'] })
    const connection = connectionOf(test.board, 'x')
    expect(connection).toMatchObject({
      state: 'failed',
      problem: {
        code: 'connect/spawn',
        message: 'Failed to connect to "x": its command was not found',
        notes: ['wanted to run `no-such-program-4711 --flag`'],
        hints: ['check that the command is installed and on your PATH'],
      },
    })
  })

  it.each([
    ['its folder is a file', { ...serverEntry('well-behaved'), cwd: process.execPath }, 'is not a folder'],
    ['its command holds a zero byte', { command: 'a\0b' }, 'null bytes'],
    ['its command is a folder', { command: '/' }, 'its command may not be run (permission denied)'],
  ])('is given up at once when %s', async (_, entry, words) => {
    await using test = await openOne(entry)
    const { problem } = await untilState(test.board, 'x', 'failed')
    expect(problem.code).toBe('connect/spawn')
    expect(problem.message).toContain(words)
  })
})

describe('a caller', () => {
  it('disconnects a server: it is gone, idle, and back when it is asked for', async () => {
    await using test = await openOne(serverEntry('well-behaved'))
    const { board, seen } = test
    await board.disconnect('x')
    expect(connectionOf(board, 'x')).toEqual({ state: 'idle' })
    expect(seen.children.filter(({ pid }) => isAlive(pid))).toEqual([])
    expect(await call(board, 'x', ['echo', { text: 'back' }])).toBe('back')
    expect(seen.children).toHaveLength(2)
  })

  it.each([
    ['a request', (board: Board) => board.request('x', 'tools/list')],
    ['`connect`', (board: Board) => board.connect('x')],
    ['`waitFor`', (board: Board) => board.waitFor('x')],
    ['`restart`', (board: Board) => board.restart('x')],
  ])('disconnects a server, and %s that comes while it goes connects it again', async (_, ask) => {
    await using test = await openOne(serverEntry('ignores-sigterm'))
    const { board, seen } = test
    const leaving = board.disconnect('x')
    await ask(board)
    await leaving
    expect(connectionOf(board, 'x').state).toBe('ready')
    // Not beside the one before, which may have a lock or a port.
    expect(seen.children.map(({ pid }) => isAlive(pid))).toEqual([false, true])
  })

  it('disconnects a server that is being connected: who waits for it is refused', async () => {
    await using test = await openOne(serverEntry('well-behaved'))
    const { board, seen } = test
    for (const ask of ['restart', 'connect', 'waitFor'] as const) {
      board.restart('x').catch(() => undefined)
      const waiting = problemOf(board[ask]('x'))
      await board.disconnect('x')
      expect(await waiting).toMatchObject({ code: 'connect/closed', message: '`x` was disconnected' })
      expect(connectionOf(board, 'x')).toEqual({ state: 'idle' })
    }
    expect(seen.children.filter(({ pid }) => isAlive(pid))).toEqual([])
  })

  it('disconnects a server twice, and restarts it twice', async () => {
    await using test = await openOne(serverEntry('well-behaved'))
    const { board, seen } = test
    await Promise.all([board.disconnect('x'), board.disconnect('x')])
    expect(connectionOf(board, 'x')).toEqual({ state: 'idle' })
    await Promise.all([board.restart('x'), board.restart('x')])
    expect(seen.children.filter(({ pid }) => isAlive(pid))).toHaveLength(1)
  })

  it('restarts a server: another process, ready when it resolves', async () => {
    await using test = await openOne(serverEntry('well-behaved'))
    const { board, seen } = test
    await board.restart('x')
    expect(connectionOf(board, 'x').state).toBe('ready')
    const [first, second] = seen.children.map(({ pid }) => isAlive(pid))
    expect([first, second]).toEqual([false, true])
  })

  it('waits for a server, and all who wait share one try', async () => {
    await using test = await openOne(serverEntry('slow-start', '--ms', '300'), { deadlineMs: 0 })
    const { board, seen } = test
    await Promise.all([board.waitFor('x'), board.connect('x'), call(board, 'x', ['echo'])])
    expect(connectionOf(board, 'x').state).toBe('ready')
    expect(seen.children).toHaveLength(1)
  })

  it('waits no longer than it likes', async () => {
    await using test = await openOne(serverEntry('never-answers'), { deadlineMs: 0 })
    const { board } = test
    const controller = new AbortController()
    const waiting = board.waitFor('x', controller)
    controller.abort()
    await expect(waiting).rejects.toMatchObject({ failure: { kind: 'aborted', wasSent: false } })
    await expect(board.waitFor('x', controller)).rejects.toMatchObject({ failure: { kind: 'aborted' } })
    expect(await problemOf(board.request('x', 'tools/list', {}, { timeoutMs: 50 }))).toMatchObject({
      code: 'connect/not-ready',
      message: '`x` was not ready after 50 ms',
    })
    expect(connectionOf(board, 'x').state).toBe('connecting')
  })

  it('who names no server that there is learns which ones there are', async () => {
    await using test = await openOne(serverEntry('well-behaved'))
    expect(await problemOf(test.board.connect('y'))).toMatchObject({
      code: 'connect/unknown-server',
      message: 'no server is named `y`',
    })
  })

  it('who asks a closed board is refused', async () => {
    await using test = await openOne(serverEntry('well-behaved'))
    await test.board.close()
    expect((await problemOf(test.board.request('x', 'tools/list'))).code).toBe('connect/closed')
  })
})
