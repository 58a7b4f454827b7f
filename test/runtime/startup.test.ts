/**
 * startup: what a board shows when it opens, how long that takes, and how it keeps up with what comes later.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { InProcessServer, ServerTransport } from '../../src/pipeline/connect/transports/in-process.ts'
import type { BoardChange } from '../../src/runtime/board-events.ts'
import { isAlive, openTestBoard, serverEntry, type TestBoard } from '../boards/open.ts'
import { call, connectionOf, problemOf, until, untilState } from '../boards/watch.ts'
import { createScratch } from '../worlds/scratch.ts'
import { createObserved, inTime, lend, type Observed } from '../worlds/observed.ts'

/** The machine is busy with other tests. */
const SLACK_MS = 750

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const startedAt = Date.now()
  const result = await work()
  return [result, Date.now() - startedAt]
}

const shown = ({ board }: TestBoard): readonly string[] =>
  board.tools().map(({ name, isDeferred }) => `${name}${isDeferred ? ' (deferred)' : ''}`)

/**
 * An entry whose program can be changed without changing the entry: the file decides what is started, so that what is
 * known of the server stays known.
 */
function scriptEntry(file: string): object {
  return { command: '/bin/sh', args: [file] }
}

function scriptFor(program: string, ...args: readonly string[]): string {
  const entry = serverEntry(program, ...args) as {
    readonly command: string
    readonly args: readonly string[]
  }
  return `exec ${[entry.command, ...entry.args].map((word) => `'${word}'`).join(' ')}\n`
}

describe('the tools at the start', () => {
  it('are there at once when they are known, although the server does not answer', async () => {
    using seen = createObserved()
    const servers = { x: scriptEntry(`${seen.project}/x.sh`) }
    seen.write('project/x.sh', scriptFor('well-behaved'))
    {
      await using test = await openTestBoard(servers, { scratch: lend(seen) })
      expect(shown(test)).toEqual(['mcp__x__echo', 'mcp__x__slow'])
    }
    seen.write('project/x.sh', scriptFor('never-answers'))
    const [test, ms] = await timed(() => openTestBoard(servers, { scratch: lend(seen) }))
    await using _ = test
    expect(shown(test)).toEqual(['mcp__x__echo (deferred)', 'mcp__x__slow (deferred)'])
    expect(ms).toBeLessThan(250 + SLACK_MS)
    expect(connectionOf(test.board, 'x').state).toBe('connecting')
    expect(test.board.snapshot().servers[0]?.cachedAt).toBeGreaterThan(Date.now() - 60_000)
  })

  it('become real when the server arrives, and a listener hears of it', async () => {
    using seen = createObserved()
    const servers = { x: scriptEntry(`${seen.project}/x.sh`) }
    seen.write('project/x.sh', scriptFor('well-behaved'))
    await (await openTestBoard(servers, { scratch: lend(seen) }))[Symbol.asyncDispose]()
    seen.write('project/x.sh', scriptFor('echoes-env'))
    await using test = await openTestBoard(servers, { scratch: lend(seen) })
    expect(shown(test)).toEqual(['mcp__x__echo (deferred)', 'mcp__x__slow (deferred)'])
    const changes: BoardChange[] = []
    test.board.on('change', (change) => changes.push(change))
    await untilState(test.board, 'x', 'ready')
    expect(shown(test)).toEqual(['mcp__x__echo', 'mcp__x__slow', 'mcp__x__env'])
    expect(changes).toContainEqual({ servers: ['x'], tools: true, section: false })
    expect(test.board.snapshot().servers[0]).not.toHaveProperty('cachedAt')
  })

  it('are the same value until something about them changes', async () => {
    await using test = await openTestBoard({ x: serverEntry('changes-tools') })
    const before = test.board.tools()
    await call(test.board, 'x', ['echo'])
    expect(test.board.tools()).toBe(before)
  })
})

describe('opening', () => {
  const HANGING = { hanging: serverEntry('never-answers'), quick: serverEntry('well-behaved') }

  it('waits for a moment only, for hosts that stay', async () => {
    const [test, ms] = await timed(() => openTestBoard(HANGING, { wait: 'moment' }))
    await using _ = test
    expect(ms).toBeGreaterThanOrEqual(240)
    expect(ms).toBeLessThan(250 + SLACK_MS)
    await test.board.connect('quick')
    expect(shown(test)).toEqual(['mcp__quick__echo', 'mcp__quick__slow'])
  })

  it('takes no longer than the last server needs, when all are well', async () => {
    // Here the moment takes a minute.
    const scratch = createObserved({ change: inTime(1 / 240) })
    const servers = { x: serverEntry('well-behaved'), dead: { command: 'no-such-program-4711' } }
    const [test, ms] = await timed(() => openTestBoard(servers, { wait: 'moment', scratch }))
    await using _ = test
    expect(ms).toBeLessThan(10_000)
    expect(connectionOf(test.board, 'x').state).toBe('ready')
  })

  it('waits for servers that nothing is known of, up to their own limit', async () => {
    const hanging = { ...serverEntry('never-answers'), startupTimeout: 600 }
    const [test, ms] = await timed(() => openTestBoard({ ...HANGING, hanging }))
    await using _ = test
    expect(ms).toBeGreaterThanOrEqual(590)
    expect(connectionOf(test.board, 'hanging').state).toBe('waiting')
    expect(connectionOf(test.board, 'quick').state).toBe('ready')
  })

  describe('a server that used up all its time', () => {
    /** After a first opening that waited for it in vain; its 30 s are 0.6 s there. */
    async function afterWait(
      seen: Observed,
      more: object = {},
    ): Promise<(options?: object) => ReturnType<typeof openTimed>> {
      seen.write('project/x.sh', scriptFor('never-answers'))
      const x = { ...scriptEntry(`${seen.project}/x.sh`), ...more }
      const quick = { ...serverEntry('well-behaved'), startupTimeout: 0 }
      const servers = { x, quick }
      const { clock } = seen.world
      // By the same date: what it leaves behind must not be newer than what comes after.
      const soon: typeof clock.after = (ms, step) => clock.after(ms / 50, step)
      const hasty = { ...lend(seen), world: { ...seen.world, clock: { ...clock, after: soon } } }
      const [test] = await openTimed(servers, { scratch: hasty, stay: 'once' })
      expect(connectionOf(test.board, 'x').state).toBe('waiting')
      await test[Symbol.asyncDispose]()
      return (options = {}) => openTimed(servers, { scratch: lend(seen), ...options })
    }

    const openTimed = (...given: Parameters<typeof openTestBoard>): Promise<readonly [TestBoard, number]> =>
      timed(() => openTestBoard(...given))

    it('is given a second chance, and no more, the next time', async () => {
      using seen = createObserved()
      const open = await afterWait(seen)
      const [test, ms] = await open()
      await using _ = test
      expect(ms).toBeGreaterThanOrEqual(740)
      expect(ms).toBeLessThan(750 + SLACK_MS)
      expect(connectionOf(test.board, 'x').state).toBe('connecting')
      expect(test.board.tools().map(({ server }) => server)).toEqual(['quick', 'quick'])
      const absences = test.board.readiness().servers.map(({ name, absence }) => [name, absence])
      expect(Object.fromEntries(absences)).toEqual({ x: 'late', quick: undefined })
    })

    it('is one that failed, for the board that waited for it in full, also while it is tried again', async () => {
      using seen = createObserved()
      const x = { ...serverEntry('never-answers'), startupTimeout: 400 }
      await using test = await openTestBoard({ x }, { scratch: lend(seen) })
      await untilState(test.board, 'x', 'connecting')
      expect(test.board.readiness().servers).toMatchObject([
        { name: 'x', state: 'connecting', absence: 'failed', problem: { code: 'connect/timeout' } },
      ])
      // Begun anew, what failed is forgotten.
      void test.board.restart('x').catch(() => undefined)
      expect(test.board.readiness().servers).toEqual([
        { name: 'x', state: 'connecting', required: false, tools: 0, absence: 'late' },
      ])
    })

    it('is given no more by a deadline, which is only the longest that opening takes', async () => {
      using seen = createObserved()
      const open = await afterWait(seen)
      const [test, ms] = await open({ deadlineMs: 20_000 })
      await using _ = test
      expect(ms).toBeLessThan(750 + SLACK_MS)
    })

    it('is waited for in full again once it has been ready', async () => {
      using seen = createObserved()
      const open = await afterWait(seen)
      seen.write('project/x.sh', scriptFor('well-behaved'))
      {
        const [test] = await open()
        await using _ = test
        await untilState(test.board, 'x', 'ready')
      }
      // What it offered is forgotten as well, or nobody would wait because of that.
      rmSync(join(seen.home, '.cache/plugboard/offerings'), { recursive: true })
      seen.write('project/x.sh', scriptFor('slow-start', '--ms', '1500'))
      const [test] = await open()
      await using _ = test
      expect(connectionOf(test.board, 'x').state).toBe('ready')
    })

    it.each([
      ['it is required', { required: true }, {}],
      ['all are waited for', {}, { wait: 'all' }],
    ])('is waited for in full when %s', async (_when, more, options) => {
      using seen = createObserved()
      const open = await afterWait(seen, more)
      seen.write('project/x.sh', scriptFor('slow-start', '--ms', '1500'))
      const [test] = await open(options)
      await using _ = test
      expect(connectionOf(test.board, 'x').state).toBe('ready')
    })
  })

  it('waits for all, known or not, when it is asked to', async () => {
    using seen = createObserved()
    const servers = { x: serverEntry('slow-start', '--ms', '400') }
    for (const _ of ['unknown', 'known']) {
      await using test = await openTestBoard(servers, { scratch: lend(seen), wait: 'all' })
      expect(shown(test)).toEqual(['mcp__x__echo', 'mcp__x__slow'])
    }
  })

  it('ends with its deadline, whatever it waits for', async () => {
    const [test, ms] = await timed(() => openTestBoard(HANGING, { wait: 'all', deadlineMs: 400 }))
    await using _ = test
    expect(ms).toBeGreaterThanOrEqual(390)
    expect(ms).toBeLessThan(400 + SLACK_MS)
    expect(connectionOf(test.board, 'hanging').state).toBe('connecting')
  })

  it('connects only what is wanted', async () => {
    const seen = createObserved()
    const options = { scratch: seen, only: ['quick'], wait: 'all' } as const
    await using test = await openTestBoard(HANGING, options)
    expect(connectionOf(test.board, 'hanging')).toEqual({ state: 'idle' })
    expect(seen.children).toHaveLength(1)
  })

  it('reports whether what is required is ready', async () => {
    const dead = { command: 'no-such-program-4711' }
    const quick = { ...serverEntry('well-behaved'), required: true }
    await using fine = await openTestBoard({ dead, quick })
    const { waitedMs, ...report } = fine.board.readiness()
    expect(report).toEqual({
      ok: true,
      servers: [
        {
          name: 'dead',
          state: 'failed',
          required: false,
          tools: 0,
          problem: expect.objectContaining({ code: 'connect/spawn' }) as unknown,
          absence: 'failed',
        },
        { name: 'quick', state: 'ready', required: true, tools: 2 },
      ],
    })
    expect(waitedMs).toBeGreaterThan(0)
    await using broken = await openTestBoard({ dead: { ...dead, required: true }, quick })
    expect(broken.board.readiness().ok).toBe(false)
  })
})

describe('the number of servers that start at once', () => {
  it('is eight for each processor, until one shows a sign of life or has had half a second', async () => {
    const seen = createObserved()
    const names = Array.from({ length: 18 }, (_, i) => `s${i}`)
    const servers = Object.fromEntries(names.map((name) => [name, serverEntry('slow-start', '--ms', '5000')]))
    const startedAt = Date.now()
    await using _ = await openTestBoard(servers, { scratch: seen, deadlineMs: 0 })
    await seen.whenStarted(18)
    const waves = [0, 8, 16].map((from) =>
      seen.children.slice(from, from + 8).map(({ at }) => at - startedAt),
    )
    // No more than eight in each half second, for one processor; timers of Node may be a millisecond early.
    expect(Math.min(...waves[1]!)).toBeGreaterThanOrEqual(498)
    expect(Math.min(...waves[2]!)).toBeGreaterThanOrEqual(998)
    // And one that does not answer holds nobody up for longer.
    expect(Math.max(...waves[2]!)).toBeLessThan(1000 + SLACK_MS)
  })

  it('that change without end are read again less and less often, and in the end once more', async () => {
    await using test = await openTestBoard({ x: serverEntry('changes-often') })
    const { board } = test
    await new Promise<void>((resolve) => {
      let heard = 0
      board.on('notification', () => ++heard === 200 && resolve())
    })
    const listed = Number(await call(board, 'x', ['stop']))
    // Each pause is twice as long as the one before: 200 notices take a second, and a busy machine some more.
    expect(listed).toBeLessThan(20)
    const shown = (): string => board.tools().find(({ tool }) => tool === 'work')!.description!
    await until(board, () => shown() === `Number ${listed + 1}.`)
  })

  it('is no limit to how many are ready', async () => {
    const seen = createObserved()
    const names = Array.from({ length: 8 }, (_, i) => `s${i}`)
    const servers = Object.fromEntries(names.map((name) => [name, serverEntry('well-behaved')]))
    await using test = await openTestBoard(servers, { scratch: seen, wait: 'all' })
    expect(test.board.readiness().servers.map(({ state }) => state)).toEqual(names.map(() => 'ready'))
    expect(seen.children).toHaveLength(8)
  })
})

/**
 * Says that its tools changed right behind its first list of them. The second list, with one more, comes only when it was
 * asked for its prompts and has answered that.
 */
function changesAtOnce(): InProcessServer {
  let listed = 0
  let tellPrompts!: () => void
  const hasListedPrompts = new Promise<void>((resolve) => (tellPrompts = resolve))
  const tool = (name: string): object => ({ name, inputSchema: { type: 'object' } })
  const answers: Readonly<Record<string, (transport: ServerTransport) => Promise<object>>> = {
    initialize: async () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true }, prompts: {} },
      serverInfo: { name: 'x', version: '1' },
    }),
    'tools/list': async (transport) => {
      listed += 1
      if (listed > 1) {
        await hasListedPrompts
        return { tools: [tool('one'), tool('two')] }
      }
      queueMicrotask(() => {
        void transport.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
      })
      return { tools: [tool('one')] }
    },
    'prompts/list': async () => {
      // Behind the change, which is told in between.
      await new Promise((resolve) => setImmediate(resolve))
      setImmediate(tellPrompts)
      return { prompts: [{ name: 'review' }] }
    },
  }
  return {
    async connect(transport) {
      const onmessage = ({ id, method }: { readonly id?: number; readonly method: string }): void => {
        if (id === undefined) return
        const answer = answers[method]
        const error = { code: -32601, message: 'no such method' }
        if (answer === undefined) void transport.send({ jsonrpc: '2.0', id, error })
        else void answer(transport).then((result) => transport.send({ jsonrpc: '2.0', id, result }))
      }
      Object.assign(transport, { onmessage })
    },
  }
}

describe('a list that changes', () => {
  it('while the first ones are still read takes nothing away from them', async () => {
    await using test = await openTestBoard(
      { x: { type: 'sdk', name: 'changes' } },
      { inProcess: { changes: changesAtOnce() } },
    )
    const { board } = test
    await until(board, () => board.tools().length === 2)
    const { offering } = board.snapshot().servers[0]!
    expect(offering?.prompts.map(({ name }) => name)).toEqual(['review'])
  })

  it.each([[['legacy']], [['modern', '--modern']]])('is read again (%s)', async ([, ...args]) => {
    await using test = await openTestBoard({ x: serverEntry('changes-tools', ...args) })
    const { board } = test
    const changes: BoardChange[] = []
    board.on('change', (change) => changes.push(change))
    await call(board, 'x', ['grow'])
    await until(board, () => board.tools().length === 4)
    expect(board.tools().map(({ tool }) => tool)).toEqual(['echo', 'slow', 'grow', 'grown_1'])
    expect(changes).toEqual([{ servers: ['x'], tools: true, section: false }])
    await Promise.all([1, 2, 3].map(() => call(board, 'x', ['grow'])))
    await until(board, () => board.tools().length === 7)
    expect(await call(board, 'x', ['grown_4'])).toBe('this is grown_4')
  })

  it('is read again when the time is over that the server vouched for it, and not before', async () => {
    const scratch = createScratch()
    let passed = 0
    const clock = { ...scratch.world.clock, now: () => Date.now() + passed }
    await using test = await openTestBoard(
      { x: serverEntry('changes-tools', '--modern') },
      { stay: 'once', scratch: { ...scratch, world: { ...scratch.world, clock } } },
    )
    const { board } = test
    await call(board, 'x', ['grow'])
    passed = 59_000
    expect(board.tools()).toHaveLength(3)
    await call(board, 'x', ['echo'])
    expect(board.tools()).toHaveLength(3)
    passed = 61_000
    board.tools()
    await until(board, () => board.tools().length === 4)
  })

  it('is not listened for by a host that does not stay', async () => {
    await using test = await openTestBoard({ x: serverEntry('changes-tools', '--modern') }, { stay: 'once' })
    const heard: string[] = []
    test.board.on('notification', ({ method }) => heard.push(method))
    await call(test.board, 'x', ['grow'])
    await call(test.board, 'x', ['echo'])
    expect(heard).toEqual([])
  })
})

describe('a reload', () => {
  it('applies the difference, and leaves alone what did not change', async () => {
    const seen = createObserved()
    const entries = {
      same: serverEntry('well-behaved', 'same'),
      gone: serverEntry('well-behaved'),
      other: serverEntry('well-behaved'),
      down: serverEntry('dies-in-handshake'),
    }
    await using test = await openTestBoard({ ...entries }, { scratch: seen })
    const { board, servers } = test
    delete servers['gone']
    servers['other'] = serverEntry('well-behaved', '--modern')
    servers['fresh'] = serverEntry('echoes-env')
    const changes: BoardChange[] = []
    board.on('change', (change) => changes.push(change))
    expect(await board.reload()).toEqual({
      added: ['fresh'],
      removed: ['gone'],
      changed: ['other'],
      reconnected: ['down'],
    })
    expect(board.snapshot().servers.map(({ name }) => name)).toEqual(['down', 'fresh', 'other', 'same'])
    await Promise.all([board.connect('fresh'), board.connect('other')])
    expect(shown(test)).toEqual([
      'mcp__fresh__echo',
      'mcp__fresh__slow',
      'mcp__fresh__env',
      'mcp__other__echo',
      'mcp__other__slow',
      'mcp__same__echo',
      'mcp__same__slow',
    ])
    expect(board.snapshot().servers.find(({ name }) => name === 'other')?.era).toBe('modern')
    const unchanged = seen.children.filter(({ args }) => args.includes('same'))
    expect(unchanged.map(({ pid }) => isAlive(pid))).toEqual([true])
    const touched = new Set(changes.filter(({ tools }) => tools).flatMap((change) => change.servers))
    expect([...touched]).toEqual(expect.arrayContaining(['gone', 'other', 'fresh']))
    expect(touched).not.toContain('same')
  })

  it('lets a call end on the server that it began on', async () => {
    await using test = await openTestBoard({ x: serverEntry('well-behaved') })
    const { board, servers } = test
    const slow = call(board, 'x', ['slow', { ms: 400 }])
    servers['x'] = serverEntry('echoes-env')
    await board.reload()
    expect((await call(board, 'x', ['env'])).split('\n')).toContain('PATH')
    expect(await slow).toBe('done')
  })

  it('sends on a request that waits to the server that is there now', async () => {
    await using test = await openTestBoard({ x: serverEntry('never-answers') }, { deadlineMs: 0 })
    const { board, servers } = test
    const waiting = call(board, 'x', ['env'])
    const connecting = board.connect('x')
    servers['x'] = serverEntry('never-answers', 'second')
    await board.reload()
    servers['x'] = serverEntry('echoes-env')
    await board.reload()
    expect((await waiting).split('\n')).toContain('PATH')
    await connecting
  })

  it('does not give a request that waits more time than it had', async () => {
    await using test = await openTestBoard({ x: serverEntry('never-answers') }, { deadlineMs: 0 })
    const { board, servers } = test
    const startedAt = Date.now()
    const waiting = problemOf(board.request('x', 'tools/list', {}, { timeoutMs: 300 }))
    servers['x'] = serverEntry('never-answers', 'second')
    await board.reload()
    expect(await waiting).toMatchObject({
      code: 'connect/not-ready',
      message: '`x` was not ready after 300 ms',
    })
    expect(Date.now() - startedAt).toBeLessThan(300 + SLACK_MS)
  })

  it('lets a request that waits fail as the server that is there now does', async () => {
    await using test = await openTestBoard({ x: serverEntry('never-answers') }, { deadlineMs: 0 })
    const { board, servers } = test
    const waiting = problemOf(board.request('x', 'tools/list'))
    servers['x'] = { command: 'no-such-program-4711' }
    await board.reload()
    expect((await waiting).code).toBe('connect/spawn')
  })

  it('of the same files changes nothing', async () => {
    await using test = await openTestBoard({ x: serverEntry('well-behaved') })
    const tools = test.board.tools()
    expect(await test.board.reload()).toEqual({ added: [], removed: [], changed: [], reconnected: [] })
    expect(test.board.tools()).toBe(tools)
  })
})
