/**
 * pool: boards of several projects, and the processes they share. Real servers throughout.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ClientHandlers } from '../../src/model/session.ts'
import { openBoard, type Board } from '../../src/runtime/board.ts'
import { tellGone } from '../../src/runtime/client-life.ts'
import { loadCatalog } from '../../src/runtime/load-catalog.ts'
import { Pool, type PoolOptions } from '../../src/runtime/pool.ts'
import type { World } from '../../src/world/world.ts'
import { serverEntry } from '../boards/open.ts'
import { allowAll } from '../boards/permits.ts'
import { exposeCollector } from '../memory/collector.ts'
import { createObserved, type Observed, type ObservedOptions } from '../worlds/observed.ts'

interface Shop extends AsyncDisposable {
  readonly scratch: Observed
  open(project: string, handlers?: ClientHandlers): Promise<Board>
}

function openShop(
  servers: Readonly<Record<string, object>>,
  { change, ...options }: Partial<PoolOptions> & ObservedOptions = {},
): Shop {
  const scratch = createObserved(change === undefined ? {} : { change })
  scratch.write('home/.config/plugboard/mcp.json', JSON.stringify({ mcpServers: servers }))
  const pool = new Pool({ idleMs: 0, maxInstances: 32, ...options })
  const boards: Board[] = []
  return {
    scratch,
    async open(project, handlers = {}) {
      const cwd = join(scratch.home, project)
      mkdirSync(join(cwd, '.git'), { recursive: true })
      const world = { ...scratch.world, cwd }
      const board = await openBoard(world, {
        load: () => loadCatalog(world, { trustFolder: true }),
        permit: allowAll,
        wait: 'all',
        loopLimit: 0,
        handlers,
        pool,
      })
      boards.push(board)
      return board
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(boards.map((board) => board.close()))
      scratch[Symbol.dispose]()
    },
  }
}

interface Who {
  readonly pid: number
  readonly cwd: string
}

async function who(board: Board, client?: object): Promise<Who> {
  const { text } = await board.call({ server: 'one', tool: 'who' }, {}, { client })
  return JSON.parse(text) as Who
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10))
}

test('two projects share a process, in the home of their user, until the last one leaves', async () => {
  await using shop = openShop({ one: serverEntry('tells-who') })
  const [a, b] = await Promise.all([shop.open('a'), shop.open('b')])
  const [first, second] = [await who(a), await who(b)]
  expect(second.pid).toBe(first.pid)
  expect(first.cwd).toBe(shop.scratch.home)
  expect(shop.scratch.children).toHaveLength(1)
  await a.close()
  expect(await who(b)).toMatchObject({ pid: first.pid })
  await b.close()
  expect(isAlive(first.pid)).toBe(false)
})

test.each([
  ['its entry says so', { isolation: 'project' }],
  [
    'its arguments speak of the folder',
    { args: [...(serverEntry('tells-who') as { args: string[] }).args, '.'] },
  ],
])('each project has its own when %s', async (_, more) => {
  await using shop = openShop({ one: { ...serverEntry('tells-who'), ...more } })
  const [a, b, again] = [await shop.open('a'), await shop.open('b'), await shop.open('a')]
  const [first, second, third] = [await who(a), await who(b), await who(again)]
  expect(first.cwd).toBe(join(shop.scratch.home, 'a'))
  expect(second.cwd).toBe(join(shop.scratch.home, 'b'))
  expect(third.pid).toBe(first.pid)
})

test('each client has its own, up to a limit and until it is gone, when the entry says `session`', async () => {
  await using shop = openShop(
    { one: { ...serverEntry('tells-who'), isolation: 'session' } },
    { maxInstances: 2 },
  )
  const board = await shop.open('a')
  const [x, y, z] = [{}, {}, {}]
  const [first, second, again] = [await who(board, x), await who(board, y), await who(board, x)]
  expect(again.pid).toBe(first.pid)
  expect(second.pid).not.toBe(first.pid)
  const refused = await board.call({ server: 'one', tool: 'who' }, {}, { client: z })
  expect(refused).toMatchObject({ outcome: 'not-sent' })
  expect(refused.text).toContain('2 clients have this server for themselves already, which is the limit')
  tellGone(x)
  await gone(first.pid)
  expect((await who(board, z)).pid).not.toBe(second.pid)
})

test('clients of one guest have half of what others have left, and the owner has the rest', async () => {
  await using shop = openShop(
    { one: { ...serverEntry('tells-who'), isolation: 'session' } },
    { maxInstances: 4 },
  )
  const board = await shop.open('a')
  const [first, ...more] = ['ada', 'ada', 'ada', 'bob', 'bob'].map((guest) => ({ guest }))
  await who(board, first)
  const outcomes: string[] = []
  for (const client of [...more, {}, {}])
    outcomes.push((await board.call({ server: 'one', tool: 'who' }, {}, { client })).outcome)
  expect(outcomes).toEqual(['done', 'not-sent', 'done', 'not-sent', 'done', 'not-sent'])
})

test('nothing of a request is kept for its client when it is over', async () => {
  await using shop = openShop({ one: { ...serverEntry('tells-who'), isolation: 'session' } })
  const board = await shop.open('a')
  const client = {}
  const ask = async (): Promise<readonly WeakRef<object>[]> => {
    const [handlers, onLog] = [{ roots: async () => [] }, () => undefined]
    const params = { name: 'who', arguments: {} }
    await board.request('one', 'tools/call', params, { client, handlers, onLog })
    return [new WeakRef(handlers), new WeakRef(onLog)]
  }
  const kept = await ask()
  const collect = exposeCollector()
  const left = (): number => {
    collect()
    return kept.filter((one) => one.deref() !== undefined).length
  }
  await expect.poll(left).toBe(0)
})

test('nothing is begun for a client that is gone, be it to go on with what it wanted to hear of', async () => {
  const planned: (() => void)[] = []
  // What is to happen in a second happens when the test says so.
  const change = (world: World): World => {
    const { clock } = world
    const after: World['clock']['after'] = (ms, step, hold) => {
      if (ms !== 1000 || hold !== 'loose') return clock.after(ms, step, hold)
      planned.push(step)
      return () => undefined
    }
    return { ...world, clock: { ...clock, after } }
  }
  const entries = { one: { ...serverEntry('tells-changes'), isolation: 'session' } }
  await using shop = openShop(entries, { change })
  const board = await shop.open('a')
  const [x, y] = [{}, {}]
  await board.subscribe('one', 'note://one', { client: x })
  const { pid } = shop.scratch.children.at(-1)!
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => planned.length).toBe(1)
  tellGone(x)
  planned[0]!()
  const refused = await board.call({ server: 'one', tool: 'subscribed' }, {}, { client: x })
  expect(refused).toMatchObject({ outcome: 'not-sent' })
  expect(refused.text).toContain('this client is gone')
  await board.call({ server: 'one', tool: 'subscribed' }, {}, { client: y })
  // For lists, for the one that is gone, for the one that is not.
  expect(shop.scratch.children).toHaveLength(3)
})

test('a process that nobody uses is ended, and started again by the next call, while its server stays ready', async () => {
  await using shop = openShop({ one: serverEntry('tells-who') }, { idleMs: 200 })
  const board = await shop.open('a')
  const { pid } = await who(board)
  await gone(pid)
  expect(board.server('one')).toMatchObject({ connection: { state: 'ready' }, isAsleep: true })
  const next = await who(board)
  expect(next.pid).not.toBe(pid)
  expect(shop.scratch.children).toHaveLength(2)
})

test('one that dies is lost to all who share it, and replaced for all', async () => {
  await using shop = openShop({ one: serverEntry('crashes-after', '--requests', '3') })
  const [a, b] = [await shop.open('a'), await shop.open('b')]
  const before = shop.scratch.children.length
  const results = await Promise.all(
    [a, b].map((board) => board.call({ server: 'one', tool: 'echo' }, { text: 'x' })),
  )
  // Both lost the same process, and both got another one.
  expect(results.map(({ outcome }) => outcome)).toEqual(expect.arrayContaining(['done']))
  expect(shop.scratch.children.length).toBeGreaterThan(before)
})

test('what it asks goes to the only board that waits for it, else it is refused with the reason', async () => {
  await using shop = openShop({
    one: { ...serverEntry('asks-back'), protocol: 'legacy' },
  })
  const answering = (name: string): ClientHandlers => ({
    elicit: async () => ({ action: 'accept', content: { name } }),
  })
  const [a, b] = [await shop.open('a', answering('Ada')), await shop.open('b', answering('Bob'))]
  const ask = async (board: Board): Promise<string> =>
    (await board.call({ server: 'one', tool: 'ask' }, { only: ['elicitation'] })).text
  expect(await ask(a)).toContain('Ada')
  expect(await ask(b)).toContain('Bob')
  expect(shop.scratch.children).toHaveLength(1)
  const both = await Promise.all([b.call({ server: 'one', tool: 'slow' }, { ms: 1000 }), ask(a)])
  expect(both[1]).toContain('nobody can tell which is meant')
})

test('one that takes a call at a time takes one of all projects together', async () => {
  await using shop = openShop({ one: { ...serverEntry('well-behaved'), supportsParallelCalls: false } })
  const [a, b] = [await shop.open('a'), await shop.open('b')]
  const startedAt = performance.now()
  await Promise.all([a, b].map((board) => board.call({ server: 'one', tool: 'slow' }, { ms: 500 })))
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990)
  expect(shop.scratch.children).toHaveLength(1)
})

test('a process is not started again before the one like it has ended', async () => {
  await using shop = openShop({ one: serverEntry('tells-who') })
  const a = await shop.open('a')
  const { pid } = await who(a)
  const closing = a.close()
  const b = await shop.open('b')
  const wasAlive = isAlive(pid)
  expect([(await who(b)).pid === pid, wasAlive]).toEqual([false, false])
  await closing
})

test('a reload waits for the calls of each client', async () => {
  const entry = { ...serverEntry('well-behaved'), isolation: 'session' }
  await using shop = openShop({ one: entry })
  const board = await shop.open('a')
  const client = {}
  await board.call({ server: 'one', tool: 'echo' }, { text: 'x' }, { client })
  const slow = board.call({ server: 'one', tool: 'slow' }, { ms: 1000 }, { client })
  const changed = { ...entry, env: { OTHER: '1' } }
  shop.scratch.write('home/.config/plugboard/mcp.json', JSON.stringify({ mcpServers: { one: changed } }))
  await board.reload()
  expect(await slow).toMatchObject({ outcome: 'done' })
})
