/**
 * official: the official example servers, and servers made with the official SDK, on a board.
 */
import { McpServer } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import type { Result } from '../../src/model/message.ts'
import type { Board } from '../../src/runtime/board.ts'
import { officialEntry, openTestBoard, type TestOptions } from '../boards/open.ts'
import { call, connectionOf, problemOf } from '../boards/watch.ts'
import { startProgram } from '../servers/http/program.ts'
import { createScratch } from '../worlds/scratch.ts'

/** What the board shows of the server `x`, with the number of its tools. */
function factsOf(board: Board): object {
  const [{ connection, era, offering }] = board.snapshot().servers as [
    ReturnType<Board['snapshot']>['servers'][number],
  ]
  return {
    state: connection.state,
    era,
    tools: board.tools().length,
    quarantined: offering?.quarantined,
    problems: offering?.problems,
  }
}

const ready = (tools: number, era = 'legacy'): object => ({
  state: 'ready',
  era,
  tools,
  quarantined: [],
  problems: [],
})

/** `server-everything` has one tool that is a task of 2025-11-25, which Plugboard does not route yet. */
const ONLY_AS_TASK = [
  { kind: 'tool', name: 'simulate-research-query', reason: expect.stringContaining('as a task') as unknown },
]

const CAN_ANSWER: TestOptions = {
  handlers: {
    roots: async () => [],
    elicit: async () => ({ action: 'decline' }),
    sample: async (): Promise<Result> => ({
      role: 'assistant',
      content: { type: 'text', text: 'ok' },
      model: 'm',
    }),
  },
}

describe('the official server-everything', () => {
  it('works over stdio', async () => {
    await using test = await openTestBoard({ x: officialEntry('everything') })
    expect(factsOf(test.board)).toEqual({ ...ready(12), quarantined: ONLY_AS_TASK })
    expect(await call(test.board, 'x', ['echo', { message: 'hello' }])).toBe('Echo: hello')
  })

  it('has more tools for a host that answers questions', async () => {
    await using test = await openTestBoard({ x: officialEntry('everything') }, CAN_ANSWER)
    expect(factsOf(test.board)).toEqual({ ...ready(16), quarantined: ONLY_AS_TASK })
    expect(await call(test.board, 'x', ['trigger-sampling-request', { prompt: 'x' }])).toContain(
      '"text": "ok"',
    )
  })

  it.each([
    ['over Streamable HTTP', 'everything-http', 'mcp', { type: 'http' }],
    ['over Streamable HTTP, found out from its address alone', 'everything-http', 'mcp', {}],
    ['over SSE', 'everything-sse', 'sse', { type: 'sse' }],
    ['over SSE, found out from its address alone', 'everything-sse', 'sse', {}],
  ] as const)('works %s', async (_, program, path, entry) => {
    await using server = await startProgram(program)
    await using test = await openTestBoard({ x: { ...entry, url: `${server.origin}/${path}` } }, CAN_ANSWER)
    expect(factsOf(test.board)).toEqual({ ...ready(16), quarantined: ONLY_AS_TASK })
    expect(await call(test.board, 'x', ['get-sum', { a: 40, b: 2 }])).toBe('The sum of 40 and 2 is 42.')
    expect(await call(test.board, 'x', ['trigger-elicitation-request'])).toContain('declined')
  })
})

describe('other official servers', () => {
  it('server-filesystem reads a file of the folder it was given, and of no other', async () => {
    using scratch = createScratch()
    scratch.write('project/note.txt', 'remember the milk')
    scratch.write('home/secret.txt', 'not for you')
    await using test = await openTestBoard({ x: officialEntry('filesystem', scratch.project) })
    expect(factsOf(test.board)).toEqual(ready(14))
    const read = (path: string): Promise<Result> =>
      test.board.request('x', 'tools/call', { name: 'read_text_file', arguments: { path } })
    expect(await read(`${scratch.project}/note.txt`)).toMatchObject({
      content: [{ text: 'remember the milk' }],
    })
    expect(await read(`${scratch.home}/secret.txt`)).toMatchObject({ isError: true })
  })

  it('server-memory remembers', async () => {
    using scratch = createScratch()
    const env = { MEMORY_FILE_PATH: `${scratch.home}/memory.jsonl` }
    await using test = await openTestBoard({ x: { ...officialEntry('memory'), env } })
    expect(factsOf(test.board)).toEqual(ready(9))
    const entity = { name: 'Ada', entityType: 'person', observations: ['likes engines'] }
    await call(test.board, 'x', ['create_entities', { entities: [entity] }])
    expect(JSON.parse(await call(test.board, 'x', ['read_graph']))).toEqual({
      entities: [entity],
      relations: [],
    })
  })

  it('server-sequential-thinking thinks', async () => {
    await using test = await openTestBoard({ x: officialEntry('sequential-thinking') })
    expect(factsOf(test.board)).toEqual(ready(1))
    const thought = { thought: 'hm', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }
    expect(JSON.parse(await call(test.board, 'x', ['sequentialthinking', thought]))).toMatchObject({
      thoughtNumber: 1,
      nextThoughtNeeded: false,
    })
  })
})

describe('a server in this process', () => {
  it('is called like any other, and closed with the board', async () => {
    const server = new McpServer({ name: 'inside', version: '1.0.0' })
    server.registerTool('greet', { description: 'Greets.' }, async () => ({
      content: [{ type: 'text', text: 'hello from inside' }],
    }))
    await using test = await openTestBoard(
      { x: { type: 'sdk', name: 'house' } },
      { inProcess: { house: server } },
    )
    const { board } = test
    expect(factsOf(board)).toEqual(ready(1))
    expect(await call(board, 'x', ['greet'])).toBe('hello from inside')
    expect(server.isConnected()).toBe(true)
    await board.close()
    expect(server.isConnected()).toBe(false)
  })

  it('comes back when it was disconnected and is asked for', async () => {
    const server = new McpServer({ name: 'inside', version: '1.0.0' })
    server.registerTool('greet', {}, async () => ({ content: [{ type: 'text', text: 'hello again' }] }))
    await using test = await openTestBoard(
      { x: { type: 'sdk', name: 'house' } },
      { inProcess: { house: server } },
    )
    await test.board.disconnect('x')
    expect(server.isConnected()).toBe(false)
    expect(await call(test.board, 'x', ['greet'])).toBe('hello again')
  })

  it('that nobody registered is a clear failure', async () => {
    await using test = await openTestBoard({ x: { type: 'sdk', name: 'house' } })
    expect((await problemOf(test.board.connect('x'))).message).toContain(
      'no in-process server is registered as `house`',
    )
  })
})

describe('a server on a port that is started anew', () => {
  it.each([
    // It answers 404 to the session that it does not know, as the specification wants.
    ['made with the SDK, legacy', 'sdk', { protocol: 'legacy' }, 'echo', { text: 'x' }],
    ['made with the SDK, modern', 'sdk', {}, 'echo', { text: 'x' }],
    // It answers 400.
    ['server-everything', 'everything-http', {}, 'echo', { message: 'x' }],
    ['server-everything over SSE', 'everything-sse', { type: 'sse' }, 'echo', { message: 'x' }],
  ] as const)('takes the next call as if nothing had been (%s)', async (_, program, entry, tool, args) => {
    await using first = await startProgram(program)
    const url = `${first.origin}/${program === 'everything-sse' ? 'sse' : 'mcp'}`
    await using test = await openTestBoard({ x: { ...entry, url } })
    const before = await call(test.board, 'x', [tool, args])
    await first[Symbol.asyncDispose]()
    await using second = await startProgram(program, first)
    expect(second.port).toBe(first.port)
    expect(await call(test.board, 'x', [tool, args])).toBe(before)
    expect(connectionOf(test.board, 'x').state).toBe('ready')
  })

  it('takes the next call, also when one was refused while it was away', async () => {
    await using first = await startProgram('sdk')
    await using test = await openTestBoard({ x: { url: `${first.origin}/mcp`, protocol: 'legacy' } })
    await first[Symbol.asyncDispose]()
    await expect(call(test.board, 'x', ['echo', { text: 'x' }])).rejects.toThrow()
    await using second = await startProgram('sdk', first)
    expect(second.port).toBe(first.port)
    expect(await call(test.board, 'x', ['echo', { text: 'back' }])).toBe('back')
  })
})
