/**
 * subscriptions: what hosts hear of resources that change, from real servers of both eras.
 */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { SessionError } from '../../src/model/session.ts'
import type { Board } from '../../src/runtime/board.ts'
import type { ResourceChange } from '../../src/runtime/subscriptions.ts'
import { officialEntry, openTestBoard, serverEntry, type TestBoard } from '../boards/open.ts'
import { call, connectionOf, problemOf, until, untilState } from '../boards/watch.ts'
import { startProgram } from '../servers/http/program.ts'
import { createObserved, inTime, type Observed } from '../worlds/observed.ts'

interface Ear {
  readonly heard: readonly ResourceChange[]
  /** Resolves when so many have come. */
  when(count: number): Promise<readonly ResourceChange[]>
}

function listenTo(board: Board): Ear {
  const heard: ResourceChange[] = []
  let look = (): void => undefined
  board.on('resource', (change) => {
    heard.push(change)
    look()
  })
  return {
    heard,
    when: (count) =>
      new Promise((resolve) => {
        look = () => heard.length >= count && resolve([...heard])
        look()
      }),
  }
}

const ONE = 'note://one'
const TWO = 'note://two'

const touch = (board: Board, uri: string): Promise<string> => call(board, 'x', ['touch', { uri }])

/** Asks the server what it tells of, until it is this. Nobody is told when a server has heard of it. */
async function untilAsked(board: Board, uris: readonly string[]): Promise<void> {
  while ((await call(board, 'x', ['subscribed'])) !== uris.join('\n')) continue
}

const ERAS = [
  ['legacy', []],
  ['modern', ['--modern']],
] as const

async function openOne(
  args: readonly string[],
  seen: Observed = createObserved(),
): Promise<TestBoard & { seen: Observed }> {
  return { ...(await openTestBoard({ x: serverEntry('tells-changes', ...args) }, { scratch: seen })), seen }
}

async function kill({ board, seen }: { readonly board: Board; readonly seen: Observed }): Promise<void> {
  process.kill(seen.children.at(-1)!.pid, 'SIGKILL')
  await until(board, () => connectionOf(board, 'x').state !== 'ready')
}

describe.each(ERAS)('a subscription (%s)', (era, args) => {
  it('is told of, until it is ended', async () => {
    await using test = await openOne(args)
    const { board } = test
    const ear = listenTo(board)
    await touch(board, ONE)
    const end = await board.subscribe('x', ONE)
    await touch(board, ONE)
    await touch(board, TWO)
    expect(await ear.when(1)).toEqual([{ server: 'x', uri: ONE, by: 'server' }])
    end()
    end()
    await untilAsked(board, [])
    await touch(board, ONE)
    expect(ear.heard).toHaveLength(1)
  })

  it('of many at once is told of for each, whichever is ended', async () => {
    await using test = await openOne(args)
    const { board } = test
    const ear = listenTo(board)
    const [first, second, other] = await Promise.all([
      board.subscribe('x', ONE),
      board.subscribe('x', ONE),
      board.subscribe('x', TWO),
    ])
    expect(await call(board, 'x', ['subscribed'])).toBe(`${ONE}\n${TWO}`)
    first()
    other()
    await untilAsked(board, [ONE])
    await touch(board, ONE)
    expect(await ear.when(1)).toEqual([{ server: 'x', uri: ONE, by: 'server' }])
    second()
    await untilAsked(board, [])
  })

  it('is made again after a reconnect, which is told as a gap', async () => {
    await using test = await openOne(args)
    const { board } = test
    const ear = listenTo(board)
    await Promise.all([board.subscribe('x', ONE), board.subscribe('x', TWO)])
    await kill(test)
    await untilState(board, 'x', 'ready')
    const gaps = [...(await ear.when(2))].sort((a, b) => (a.uri < b.uri ? -1 : 1))
    expect(gaps).toEqual([
      { server: 'x', uri: ONE, by: 'gap' },
      { server: 'x', uri: TWO, by: 'gap' },
    ])
    await touch(board, TWO)
    expect((await ear.when(3))[2]).toEqual({ server: 'x', uri: TWO, by: 'server' })
  })

  it('is not made again when it was ended before', async () => {
    await using test = await openOne(args)
    const { board } = test
    const end = await board.subscribe('x', ONE)
    await kill(test)
    end()
    await untilState(board, 'x', 'ready')
    await untilAsked(board, [])
  })

  it('that the server refuses is an error, and the others stay', async () => {
    await using test = await openOne(args)
    const { board } = test
    const ear = listenTo(board)
    await board.subscribe('x', ONE)
    const error: unknown = await board.subscribe('x', 'note://secret').catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(SessionError)
    expect((error as SessionError).message).toBe(
      era === 'legacy'
        ? 'the server answered with error -32602: nobody is told of note://secret'
        : 'it did not agree to tell of changes to this resource',
    )
    await touch(board, ONE)
    expect(await ear.when(1)).toHaveLength(1)
    expect(board.snapshot().problems).toEqual([])
  })

  it('that a server no longer agrees to after a reconnect is a problem on the board', async () => {
    const seen = createObserved()
    await using test = await openOne([...args, '--once', `${seen.home}/mark`], seen)
    const { board } = test
    await board.subscribe('x', ONE)
    await kill(test)
    await until(board, () => board.snapshot().problems.length > 0)
    expect(board.snapshot().problems).toMatchObject([
      {
        code: 'connect/subscription-lost',
        severity: 'warning',
        message: '`x` does not tell any more when `note://one` changes',
      },
    ])
  })

  it('waits for the server, and can be given up', async () => {
    await using test = await openTestBoard(
      { x: serverEntry('tells-changes', ...args), slow: serverEntry('never-answers') },
      { only: [] },
    )
    const { board } = test
    expect(connectionOf(board, 'x').state).toBe('idle')
    await board.subscribe('x', ONE)
    expect(await call(board, 'x', ['subscribed'])).toBe(ONE)
    const controller = new AbortController()
    const waiting = board.subscribe('slow', ONE, { signal: controller.signal })
    controller.abort()
    await expect(waiting).rejects.toBeInstanceOf(SessionError)
  })
})

describe('a stream of the modern era', () => {
  it('that the server ends is opened again, and told as a gap', async () => {
    const seen = createObserved({ change: inTime(20) })
    await using test = await openOne(['--modern'], seen)
    const { board } = test
    const ear = listenTo(board)
    await board.subscribe('x', ONE)
    await call(board, 'x', ['hang-up'])
    expect(await ear.when(1)).toEqual([{ server: 'x', uri: ONE, by: 'gap' }])
    await touch(board, ONE)
    expect(await ear.when(2)).toHaveLength(2)
  })
})

describe('a server that does not offer it', () => {
  it('is a problem that says so', async () => {
    await using test = await openTestBoard({ x: serverEntry('well-behaved') })
    expect(await problemOf(test.board.subscribe('x', ONE))).toMatchObject({
      code: 'connect/no-subscriptions',
      message: '`x` does not offer to tell when a resource changes',
    })
    expect(await problemOf(test.board.subscribe('nobody', ONE))).toMatchObject({
      code: 'connect/unknown-server',
    })
  })
})

describe('the official server-everything', () => {
  const URI = 'demo://resource/dynamic/text/1'

  it('tells over stdio', async () => {
    await using test = await openTestBoard({ x: officialEntry('everything') })
    const ear = listenTo(test.board)
    await test.board.subscribe('x', URI)
    await call(test.board, 'x', ['toggle-subscriber-updates'])
    expect((await ear.when(1))[0]).toEqual({ server: 'x', uri: URI, by: 'server' })
  })

  it('tells over HTTP, also after it was restarted and nobody asked for anything', async () => {
    await using server = await startProgram('everything-http')
    await using test = await openTestBoard({ x: { type: 'http', url: `${server.origin}/mcp` } })
    const { board } = test
    const ear = listenTo(board)
    await board.subscribe('x', URI)
    await call(board, 'x', ['toggle-subscriber-updates'])
    expect((await ear.when(1))[0]).toEqual({ server: 'x', uri: URI, by: 'server' })
    await server[Symbol.asyncDispose]()
    await using _ = await startProgram('everything-http', { port: server.port })
    const before = ear.heard.length
    expect((await ear.when(before + 1)).at(-1)).toEqual({ server: 'x', uri: URI, by: 'gap' })
    await call(board, 'x', ['toggle-subscriber-updates'])
    expect((await ear.when(before + 2)).at(-1)).toEqual({ server: 'x', uri: URI, by: 'server' })
  })
})

describe('a modern server of the official SDK, over HTTP', () => {
  it('tells of what was subscribed to, and of nothing else', async () => {
    const create = (): Server => {
      const server = new Server(
        { name: 'notes', version: '1' },
        { capabilities: { resources: { subscribe: true } } },
      )
      server.setRequestHandler('resources/list', () => ({ resources: [] }))
      return server
    }
    const handler = createMcpHandler(create, { legacy: 'reject' })
    const http = createServer(toNodeHandler(handler) as RequestListener)
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
    try {
      await using test = await openTestBoard({ x: { type: 'http', url } })
      const { board } = test
      expect(board.snapshot().servers[0]?.era).toBe('modern')
      const ear = listenTo(board)
      const end = await board.subscribe('x', ONE)
      await board.subscribe('x', TWO)
      handler.notify.resourceUpdated('note://three')
      handler.notify.resourceUpdated(ONE)
      handler.notify.resourceUpdated(TWO)
      expect((await ear.when(2)).map(({ uri }) => uri)).toEqual([ONE, TWO])
      end()
      await board.request('x', 'resources/list')
    } finally {
      http.closeAllConnections()
      http.close()
      await handler.close()
    }
  })
})
