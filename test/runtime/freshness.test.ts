/**
 * freshness: how long what a server lists holds, and for whom (`ttlMs` and `cacheScope` of 2026-07-28).
 */
import { describe, expect, test } from 'vitest'
import { Secret } from '../../src/base/secret.ts'
import type { BoardChange } from '../../src/runtime/board-events.ts'
import { openTestBoard, type TestBoard } from '../boards/open.ts'
import { until } from '../boards/watch.ts'
import { sendJson, serve, type Loopback, type Received } from '../servers/http/loopback.ts'
import { lend } from '../worlds/observed.ts'
import { createScratch, type Scratch } from '../worlds/scratch.ts'

const MINUTE = 60_000

/** What each list says of itself, beside what is in it. */
type Hints = Readonly<Record<string, { readonly ttlMs?: number; readonly cacheScope?: string }>>

const LISTS: Readonly<Record<string, object>> = {
  'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
  'resources/list': { resources: [{ uri: 'a:b', name: 'b' }] },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'c' }] },
  'prompts/list': { prompts: [{ name: 'greet' }] },
}

/** A modern server with one thing in each list; `more` is read for every answer. */
function answerModern(one: Received, hints: Hints, more: Record<string, object> = {}): void {
  const { id, method } = one.message
  const capabilities = { tools: {}, resources: {}, prompts: {} }
  const instructions = 'for you alone'
  const discovered = {
    supportedVersions: ['2026-07-28'],
    capabilities,
    instructions,
    ttlMs: 0,
    cacheScope: 'private',
  }
  const result =
    method === 'server/discover' ? discovered : { ...LISTS[method], ...hints[method], ...more[method] }
  sendJson(one, { jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } })
}

/** A world whose clock can be put forward. */
function createTimed(): { readonly scratch: Scratch; wait(ms: number): void } {
  const scratch = createScratch()
  const { clock } = scratch.world
  let ahead = 0
  return {
    scratch: { ...scratch, world: { ...scratch.world, clock: { ...clock, now: () => clock.now() + ahead } } },
    wait: (ms) => void (ahead += ms),
  }
}

/** How often each list was asked for, without its `/list`. */
function asked({ received }: Loopback): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { message } of received) {
    const [, name] = /^(.*)\/list$/.exec(message?.method ?? '') ?? []
    if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

const ONCE = { tools: 1, resources: 1, 'resources/templates': 1, prompts: 1 }

describe('a list', () => {
  const HINTS: Hints = {
    'tools/list': { ttlMs: 10 * MINUTE },
    'resources/list': { ttlMs: 5 * MINUTE },
    'resources/templates/list': { ttlMs: 0 },
    'prompts/list': { ttlMs: 20 * MINUTE },
  }

  test('is read again when its own time is over and somebody looks at it, and only then', async () => {
    await using server = await serve((one) => answerModern(one, HINTS))
    const { scratch, wait } = createTimed()
    await using test = await openTestBoard({ x: { type: 'http', url: server.url } }, { scratch })
    const { board } = test
    board.tools()
    board.snapshot()
    wait(6 * MINUTE)
    // The tools still hold, and nobody looks at anything else.
    board.tools()
    await board.request('x', 'ping')
    expect(asked(server)).toEqual(ONCE)

    board.snapshot()
    await server.until('resources/list', 2)
    wait(5 * MINUTE)
    board.tools()
    await server.until('tools/list', 2)
    await board.request('x', 'ping')
    expect(asked(server)).toEqual({ ...ONCE, tools: 2, resources: 2 })

    wait(10 * MINUTE)
    board.snapshot()
    await server.until('prompts/list', 2)
    await board.request('x', 'ping')
    // A time of 0 is none.
    expect(asked(server)).toEqual({ tools: 3, resources: 3, 'resources/templates': 1, prompts: 2 })
  })

  test('that is the same as before is no change, and one that is not replaces its own part', async () => {
    const more: Record<string, object> = {}
    await using server = await serve((one) => answerModern(one, HINTS, more))
    const { scratch, wait } = createTimed()
    await using test = await openTestBoard({ x: { type: 'http', url: server.url } }, { scratch })
    const { board } = test
    const changes: BoardChange[] = []
    board.on('change', (change) => changes.push(change))
    const tools = board.tools()
    wait(11 * MINUTE)
    expect(board.tools()).toBe(tools)
    await server.until('tools/list', 2)
    await board.request('x', 'ping')
    expect(board.tools()).toBe(tools)
    expect(changes).toEqual([])

    more['resources/list'] = { resources: [{ uri: 'a:z', name: 'z' }] }
    board.snapshot()
    const offering = (): readonly unknown[] => board.snapshot().servers[0]!.offering!.resources
    await until(board, () => changes.length > 0)
    expect(offering()).toEqual([{ uri: 'a:z', name: 'z' }])
    expect(changes).toEqual([{ servers: ['x'], tools: false, section: false }])
    expect(board.tools()).toBe(tools)
  })

  test('that calls itself out of date at once is not read without end by a host that looks at every change', async () => {
    let count = 0
    await using server = await serve((one) => {
      const { method } = one.message
      const tools = [{ name: `tool-${++count}`, inputSchema: { type: 'object' } }]
      answerModern(
        one,
        { 'tools/list': { ttlMs: 1 } },
        method === 'tools/list' ? { [method]: { tools } } : {},
      )
    })
    const { scratch, wait } = createTimed()
    await using test = await openTestBoard({ x: { type: 'http', url: server.url } }, { scratch })
    const { board } = test
    board.on('change', () => void board.tools())
    wait(1000)
    board.tools()
    await until(board, () => board.tools()[0]!.tool !== 'tool-1')
    for (let i = 0; i < 5; i++) await board.request('x', 'ping')
    expect(asked(server)['tools']).toBe(2)
  })
})

describe('what was shown to one credential', () => {
  /** What another one finds before the server has answered it. */
  async function shownTo(token: string, hints: Hints): Promise<object> {
    using scratch = createScratch()
    let isMute = false
    await using server = await serve((one) => isMute || answerModern(one, hints))
    const open = (value: string): Promise<TestBoard> => {
      const world = { ...scratch.world, env: { ...scratch.world.env, TOKEN: value } }
      const servers = { x: { type: 'http', url: server.url, headers: { Authorization: '${TOKEN}' } } }
      return openTestBoard(servers, { scratch: lend({ ...scratch, world }), deadlineMs: 300 })
    }
    await (await open('Bearer ada'))[Symbol.asyncDispose]()
    isMute = true
    await using test = await open(token)
    const { offering } = test.board.snapshot().servers[0]!
    return {
      tools: test.board.tools().map(({ tool, isDeferred }) => [tool, isDeferred]),
      resources: offering?.resources.length,
      prompts: offering?.prompts.length,
      instructions: offering?.hello.instructions,
    }
  }

  const scope = (cacheScope: string): Hints =>
    Object.fromEntries(Object.keys(LISTS).map((method) => [method, { ttlMs: MINUTE, cacheScope }]))
  const WHOLE = { tools: [['echo', true]], resources: 1, prompts: 1, instructions: 'for you alone' }
  const NOTHING = { tools: [], resources: undefined, prompts: undefined, instructions: undefined }

  test.each<[string, Hints]>([
    ['private', scope('private')],
    ['public', scope('public')],
    ['unsaid', {}],
  ])('is shown to it again (%s)', async (_, hints) => {
    expect(await shownTo('Bearer ada', hints)).toEqual(WHOLE)
  })

  test.each<[string, Hints]>([
    ['private', scope('private')],
    ['unsaid', {}],
    ['private tools', { ...scope('public'), 'tools/list': { cacheScope: 'private' } }],
  ])('is not shown to another (%s)', async (_, hints) => {
    expect(await shownTo('Bearer bob', hints)).toEqual(NOTHING)
  })

  test('is shown to another as far as it is public', async () => {
    expect(await shownTo('Bearer bob', scope('public'))).toEqual({ ...WHOLE, instructions: undefined })
    const hints = { ...scope('public'), 'prompts/list': { cacheScope: 'private' } }
    expect(await shownTo('Bearer bob', hints)).toEqual({ ...WHOLE, prompts: 0, instructions: undefined })
  })

  test.each([
    ['private', []],
    ['public', ['echo']],
  ])(
    'is not kept in sight when the credential changes while the board is open (%s)',
    async (cacheScope, left) => {
      let mute: string | undefined
      await using server = await serve(
        (one) => one.headers.authorization === mute || answerModern(one, scope(cacheScope)),
      )
      let token = 'ada-token'
      const credentials = { find: async () => new Secret(token) }
      await using test = await openTestBoard({ x: { type: 'http', url: server.url } }, { credentials })
      const { board } = test
      expect(board.tools()).toHaveLength(1)
      token = 'bob-token'
      mute = 'Bearer bob-token'
      board.restart('x').catch(() => undefined)
      await server.until('server/discover', 2)
      expect(board.tools().map(({ tool }) => tool)).toEqual(left)
    },
  )
})
