/**
 * misbehaving: whatever a server does, it ends in a named state with a useful message, takes little memory, and its
 * neighbours notice nothing.
 */
import { describe, expect, it } from 'vitest'
import { SessionError } from '../../src/model/session.ts'
import { readServerLog } from '../../src/runtime/server-logs.ts'
import { findOurDirs, findProject } from '../../src/pipeline/discover/project.ts'
import { isAlive, openTestBoard, serverEntry, type TestBoard } from '../boards/open.ts'
import { call, connectionOf, leftOf, until, untilState } from '../boards/watch.ts'
import { createObserved, lend, type Observed } from '../worlds/observed.ts'

const MB = 1024 * 1024

interface Pair extends TestBoard {
  readonly seen: Observed
}

/** A server `x` that misbehaves, and a neighbour that answers meanwhile. Nothing is waited for. */
async function openPair(entry: object): Promise<Pair> {
  const seen = createObserved()
  const test = await openTestBoard(
    { x: entry, neighbour: serverEntry('well-behaved') },
    { scratch: seen, deadlineMs: 0 },
  )
  return { ...test, seen }
}

async function expectGoodNeighbour({ board }: Pair): Promise<void> {
  expect(await call(board, 'neighbour', ['echo', { text: 'still here' }])).toBe('still here')
  expect(connectionOf(board, 'neighbour').state).toBe('ready')
}

/** What is in the log of `x`, without the times. */
function logOf({ scratch: { world } }: TestBoard): readonly string[] {
  const dirs = findOurDirs(world, findProject(world))
  return readServerLog(world, dirs, 'x', 10_000).lines.map((line) => line.replace(/^\S+ /, ''))
}

describe('a server that writes what it should not', () => {
  it('may flood stderr: its tools work, the log is limited, and memory is not taken', async () => {
    const before = process.memoryUsage().rss
    await using test = await openPair(serverEntry('floods-stderr'))
    const { board } = test
    expect(await call(board, 'x', ['echo', { text: 'through the flood' }])).toBe('through the flood')
    await expectGoodNeighbour(test)
    // It has no way to tell when it is done: the last line of it is in the log.
    while (!logOf(test).at(-1)?.includes('flood over')) await call(board, 'x', ['slow', { ms: 200 }])
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * MB)
    expect(logOf(test).join('\n').length).toBeLessThan(6 * MB)
    expect(connectionOf(board, 'x').state).toBe('ready')
  })

  it('may print banners and logs to stdout: they are in its log, and it works', async () => {
    await using test = await openPair(serverEntry('chatty-stdout'))
    const { board } = test
    expect(await call(board, 'x', ['echo', { text: 'hi' }])).toBe('hi')
    await expectGoodNeighbour(test)
    await board.close()
    expect(
      logOf(test)
        .filter((line) => line.startsWith('stdout '))
        .slice(0, 4),
    ).toEqual([
      'stdout Chatty Server v1.0',
      'stdout ==================',
      'stdout [info] a request came in',
      'stdout {"level":30,"msg":"a log line in JSON"}',
    ])
  })

  it('may print them when its era is known, too', async () => {
    using seen = createObserved()
    for (const round of [1, 2]) {
      const servers = { x: serverEntry('chatty-stdout') }
      await using test = await openTestBoard(servers, { scratch: lend(seen), wait: 'all' })
      expect([round, connectionOf(test.board, 'x').state]).toEqual([round, 'ready'])
    }
  })

  it('may answer ids that nobody asked with: the right answers are taken, the others noted', async () => {
    await using test = await openPair(serverEntry('wrong-ids'))
    const { board } = test
    expect(await call(board, 'x', ['echo', { text: 'right' }])).toBe('right')
    expect(board.snapshot().servers.find(({ name }) => name === 'x')?.offering?.hello.version).toBe(
      '2025-11-25',
    )
    await expectGoodNeighbour(test)
    await board.close()
    expect(logOf(test)).toContain('event an answer that nobody asked for (id 999999)')
  })

  it('is ended when it writes 100 MB in one line, and the call says so', async () => {
    await using test = await openPair(serverEntry('giant-line'))
    const { board, seen } = test
    await board.connect('x')
    const before = process.memoryUsage().rss
    const { pid } = seen.children.find(({ program }) => program === 'giant-line')!
    const giant = call(board, 'x', ['giant', { mb: 100 }])
    await expectGoodNeighbour(test)
    const error: unknown = await giant.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(SessionError)
    expect((error as SessionError).failure).toEqual({
      kind: 'lost',
      wire: { kind: 'protocol', message: 'it wrote a line of more than 64 MB' },
      wasSent: true,
    })
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * MB)
    expect(await leftOf([pid], 1000)).toEqual([])
    // It is not given up for that.
    expect(await call(board, 'x', ['echo', { text: 'again' }])).toBe('again')
  })

  it('takes a line of 30 MB as it comes', async () => {
    await using test = await openPair(serverEntry('giant-line'))
    expect((await call(test.board, 'x', ['giant', { mb: 30 }])).length).toBe(30 * MB)
  })
})

describe('a server that does not get ready', () => {
  it('and stops in the middle of a line ends with its startup time', async () => {
    await using test = await openPair({ ...serverEntry('half-line'), startupTimeout: 600 })
    const { problem } = await untilState(test.board, 'x', 'waiting')
    expect(problem.message).toMatch(
      /^Failed to connect to "x": no answer after \d+ ms \(when it was asked for its tools\)$/,
    )
    await expectGoodNeighbour(test)
  })

  it('and never lists its prompts has its tools when the time is over', async () => {
    const entry = serverEntry('slow-list', '--ms', '1', '--mute-prompts')
    await using test = await openPair({ ...entry, startupTimeout: 1500 })
    await untilState(test.board, 'x', 'ready')
    const { offering } = test.board.snapshot().servers.find(({ name }) => name === 'x')!
    expect(offering?.tools.map(({ name }) => name)).toEqual(['echo', 'slow'])
    expect(offering?.problems.map(({ message }) => message)).toEqual([
      'the server could not list its prompts',
    ])
  })

  it('and is slow to list its tools is given the whole of its time, and no more', async () => {
    const entry = serverEntry('slow-list', '--ms', '600000')
    await using test = await openPair({ ...entry, startupTimeout: 1500 })
    const { problem } = await untilState(test.board, 'x', 'waiting')
    expect(problem.message).toBe(
      'Failed to connect to "x": no answer after 1.5 s (when it was asked for its tools)',
    )
  })

  it('and never answers ends with its startup time, and a hint', async () => {
    await using test = await openPair({ ...serverEntry('never-answers'), startupTimeout: 300 })
    const { problem } = await untilState(test.board, 'x', 'waiting')
    expect(problem).toMatchObject({
      code: 'connect/timeout',
      severity: 'error',
      message: 'Failed to connect to "x": no answer after 300 ms (while it started)',
      hints: [
        'if it is only slow to start, raise `startupTimeout` (milliseconds) in its entry',
        'to see how far it comes, run `plugboard test x`',
      ],
    })
    await expectGoodNeighbour(test)
  })

  it('and exits in the handshake says with which code, and what it wrote', async () => {
    await using test = await openPair(serverEntry('dies-in-handshake'))
    const { problem } = await untilState(test.board, 'x', 'waiting')
    expect(problem.code).toBe('connect/exit')
    expect(problem.message).toMatch(
      /^Failed to connect to "x": the process exited with code 3 after \d+ ms, before it answered$/,
    )
    expect(problem.notes.slice(-2)).toEqual(['the last lines it wrote:', '  fatal: no licence'])
    expect(problem.hints).toEqual(['to see all it wrote, run `plugboard logs x`'])
    await expectGoodNeighbour(test)
  })

  it('and dies between its lists has failed, although its tools are known', async () => {
    await using test = await openPair(
      inlineEntry(`serve({
        capabilities: { tools: {}, resources: {} },
        methods: { 'resources/list': () => void setTimeout(() => process.exit(4), 50) },
      })`),
    )
    const { problem } = await untilState(test.board, 'x', 'waiting')
    expect(problem.message).toMatch(
      /^Failed to connect to "x": the process exited with code 4 after \d+ ms, before it answered$/,
    )
    await expectGoodNeighbour(test)
  })

  it.each([
    ['lists-forever', 'there are more than 1,000 pages'],
    ['same-cursor', 'page 2 leads back to a page before it'],
  ])('because its list never ends (%s) is given up', async (program, reason) => {
    await using test = await openPair(serverEntry(program))
    const { problem } = await untilState(test.board, 'x', 'failed')
    expect(problem.message).toBe(
      `Failed to connect to "x": the server lists its tools without end: ${reason}`,
    )
    await expectGoodNeighbour(test)
    expect(await leftOf(pidsOf(test, program), 3000)).toEqual([])
  })
})

describe('a server that dies of the question which era it is', () => {
  it('is started again as a legacy one, and never asked again', async () => {
    using seen = createObserved()
    const starts: number[] = []
    for (const text of ['first', 'second']) {
      await using test = await openTestBoard({ x: serverEntry('dies-on-probe') }, { scratch: lend(seen) })
      expect(await call(test.board, 'x', ['echo', { text }])).toBe(text)
      expect(test.board.snapshot().servers[0]?.era).toBe('legacy')
      starts.push(seen.children.length)
    }
    expect(starts).toEqual([2, 3])
    expect(seen.children.filter(({ pid }) => isAlive(pid))).toEqual([])
  })
})

describe('a server that does not want to leave', () => {
  it('leaves in the end, and its neighbours at once', async () => {
    await using test = await openPair(serverEntry('ignores-sigterm'))
    const { board } = test
    await board.connect('x')
    await expectGoodNeighbour(test)
    const [stubborn, neighbour] = [pidsOf(test, 'ignores-sigterm'), pidsOf(test, 'well-behaved')]
    const startedAt = Date.now()
    const closing = board.close()
    expect(await leftOf(neighbour, 900)).toEqual([])
    expect(stubborn.every(isAlive)).toBe(true)
    await closing
    expect(Date.now() - startedAt).toBeLessThan(4000)
    expect(stubborn.filter(isAlive)).toEqual([])
  })
})

describe('secrets that a server spills', () => {
  const TOKEN = 'sk-very-secret-4711'

  it('are in no log and no problem', async () => {
    const seen = createObserved({ env: { API_TOKEN: TOKEN } })
    const entry = { ...serverEntry('leaks-secret'), env: { API_TOKEN: '${API_TOKEN}' } }
    await using test = await openTestBoard({ x: entry }, { scratch: seen })
    const { board } = test
    // What the tool answers is the host's: it is not touched.
    expect(await call(board, 'x', ['leak'])).toBe(`the token is ${TOKEN}`)
    process.kill(seen.children[0]!.pid, 'SIGKILL')
    await until(board, () => connectionOf(board, 'x').state !== 'ready')
    expect(connectionOf(board, 'x')).toMatchObject({
      problem: {
        code: 'connect/lost',
        message: 'the connection to `x` was lost: the process was ended by SIGKILL',
        notes: ['the last lines it wrote:', '  starting with token ‹secret›'],
      },
    })
    await board.close()
    expect(logOf(test)).toContain('stderr starting with token ‹secret›')
    expect(logOf(test).join('\n')).not.toContain(TOKEN)
  })

  it('are not even given to one that was not meant to have them', async () => {
    const env = { API_TOKEN: TOKEN, GITHUB_TOKEN: 'ghp_x', LANG: 'C', XDG_DATA_HOME: '/nowhere' }
    const entry = { ...serverEntry('echoes-env'), env: { MODE: 'test' } }
    await using test = await openTestBoard({ x: entry }, { scratch: createObserved({ env }) })
    expect((await call(test.board, 'x', ['env'])).split('\n')).toEqual([
      'LANG',
      'MODE',
      'PATH',
      'XDG_DATA_HOME',
    ])
  })
})

/** A server that is too odd for a file of its own. */
function inlineEntry(script: string): object {
  const speak = new URL('../servers/speak.mjs', import.meta.url).href
  const text = `import { serve } from ${JSON.stringify(speak)}\n${script}`
  return { command: process.execPath, args: ['--input-type=module', '-e', text] }
}

function pidsOf({ seen }: Pair, wanted: string): readonly number[] {
  return seen.children.filter(({ program }) => program === wanted).map(({ pid }) => pid)
}
