/**
 * What two strangers broke: each of these once hung, leaked or lied.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Secret } from '../../src/base/secret.ts'
import type { Problem } from '../../src/model/problem.ts'
import type { Board } from '../../src/runtime/board.ts'
import { planReload } from '../../src/runtime/reload.ts'
import { loadCatalog } from '../../src/runtime/load-catalog.ts'
import { openTestBoard, serverEntry } from '../boards/open.ts'
import { call, connectionOf, untilState } from '../boards/watch.ts'
import { createMemoryWorld } from '../worlds/memory.ts'
import { createScratch } from '../worlds/scratch.ts'

/** An HTTP server that answers as the test says, and ends with it. */
async function openWeb(
  answer: (
    message: { id?: number; method: string },
    response: ServerResponse,
    request: IncomingMessage,
  ) => void,
): Promise<AsyncDisposable & { readonly url: string; readonly open: () => Promise<number> }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(405).end()
      answer(JSON.parse(Buffer.concat(chunks).toString()) as { method: string }, response, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    open: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, n) => (error ? reject(error) : resolve(n))),
      ),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Why it is not ready. */
function problemOf(board: Board, name: string): Problem {
  const connection = connectionOf(board, name)
  if (!('problem' in connection)) throw new Error(`${name} is ${connection.state}`)
  return connection.problem
}

const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'w', version: '1' },
}

function sayJson(response: ServerResponse, id: number | undefined, rest: object): void {
  if (id === undefined) return void response.writeHead(202).end()
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id, ...rest }))
}

describe('a server over HTTP', () => {
  it('that leaves calls without an answer does not use up its connections', async () => {
    let isMute = true
    await using web = await openWeb(({ id, method }, response) => {
      if (method === 'initialize') sayJson(response, id, { result: HELLO })
      else if (method === 'tools/list') sayJson(response, id, { result: { tools: [] } })
      else if (method !== 'tools/call') sayJson(response, id, { error: { code: -32601, message: 'no' } })
      else if (!isMute) sayJson(response, id, { result: { content: [] } })
    })
    await using test = await openTestBoard({ x: { type: 'http', url: web.url } })
    const ask = (timeoutMs: number): Promise<unknown> =>
      test.board.request('x', 'tools/call', { name: 'a' }, { timeoutMs })
    const outcomes = await Promise.allSettled(Array.from({ length: 140 }, () => ask(300)))
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
    isMute = false
    expect(await ask(5000)).toEqual({ content: [] })
  })

  it('that no longer knows us is asked anew, and then needs a sign-in', async () => {
    let isKnown = true
    await using web = await openWeb(({ id, method }, response) => {
      if (!isKnown) return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
      if (method === 'initialize') return sayJson(response, id, { result: HELLO })
      sayJson(response, id, { result: { tools: [] } })
    })
    await using test = await openTestBoard({ x: { type: 'http', url: web.url } })
    expect(connectionOf(test.board, 'x').state).toBe('ready')
    isKnown = false
    await expect(test.board.request('x', 'tools/list')).rejects.toThrow('HTTP 401')
    await untilState(test.board, 'x', 'needs-auth')
  })
})

describe('values', () => {
  it('that nobody ever gives end with the time limit, and a board can be closed meanwhile', async () => {
    const never = { find: () => new Promise<Secret>(() => undefined) }
    await using test = await openTestBoard(
      { x: { type: 'http', url: 'http://127.0.0.1:9/', startupTimeout: 300 } },
      { credentials: never },
    )
    expect(problemOf(test.board, 'x').message).toContain(
      'no answer after 300 ms (while its values were looked up)',
    )
  })

  it('from a command that never stops talking are none, and it is ended at once', async () => {
    using scratch = createScratch()
    const before = performance.now()
    const { stdout, timedOut } = await scratch.world.shell.run('yes', {
      env: scratch.world.env,
      cwd: scratch.home,
      timeoutMs: 20_000,
    })
    expect([timedOut, stdout.length < 2 * 1024 * 1024]).toEqual([true, true])
    expect(performance.now() - before).toBeLessThan(10_000)
  })
})

describe('secrets', () => {
  it('in arguments are not in the problem of a server that fails', async () => {
    const args = ['-e', 'process.exit(1)', '--api-key', 'sk-verysecret12345']
    await using test = await openTestBoard({ x: { command: process.execPath, args } }, { stay: 'once' })
    expect(JSON.stringify(problemOf(test.board, 'x'))).not.toContain('sk-verysecret12345')
  })

  it('that a server repeats in an error are not in what its caller gets', async () => {
    await using web = await openWeb(({ id, method }, response, request) => {
      if (method === 'initialize') return sayJson(response, id, { result: HELLO })
      if (method === 'tools/list') return sayJson(response, id, { result: { tools: [] } })
      sayJson(response, id, { error: { code: -1, message: `bad ${request.headers.authorization}` } })
    })
    const headers = { Authorization: 'Bearer tok-4f9a8b7c6d5e' }
    await using test = await openTestBoard({ x: { type: 'http', url: web.url, headers } })
    await expect(test.board.request('x', 'tools/call', { name: 'a' })).rejects.toThrow('‹secret›')
  })
})

describe('what floods', () => {
  it('a program that writes anything but messages ends as what it is, and its neighbour does not notice', async () => {
    await using test = await openTestBoard(
      { yes: { command: 'yes' }, good: serverEntry('well-behaved') },
      { stay: 'once', wait: 'all' },
    )
    expect(problemOf(test.board, 'yes').message).toMatch(
      /it wrote 10000 lines to stdout that are no MCP messages/,
    )
    expect(await call(test.board, 'good', ['echo', { text: 'hi' }])).toBe('hi')
  })
})

describe('a board', () => {
  it('that is closed while it reloads starts nothing', async () => {
    const { board, servers, scratch } = await openTestBoard({})
    servers['late'] = serverEntry('well-behaved')
    const reloaded = board.reload()
    await board.close()
    expect(await reloaded).toEqual({ added: [], removed: [], changed: [], reconnected: [] })
    scratch[Symbol.dispose]()
  })

  it('waits for what is required, also when its tools are known from last time', async () => {
    const servers = { x: { ...serverEntry('slow-start', '--ms', '600'), required: true } }
    await using first = await openTestBoard(servers)
    await first.board.close()
    await using second = await openTestBoard(servers, {
      scratch: { ...first.scratch, [Symbol.dispose]: () => undefined },
    })
    expect(second.board.readiness().ok).toBe(true)
  })

  it('survives listeners that throw, and tells the others', async () => {
    const heard: string[] = []
    const uncaught: unknown[] = []
    const note = (error: unknown): void => void uncaught.push(error)
    const before = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException').on('uncaughtException', note)
    try {
      await using test = await openTestBoard({ x: serverEntry('well-behaved') })
      test.board.on('change', () => {
        throw new Error('a host at fault')
      })
      test.board.on('change', ({ servers }) => heard.push(...servers))
      await test.board.restart('x')
      await new Promise((resolve) => setImmediate(resolve))
      expect(heard).toContain('x')
      expect(String(uncaught[0])).toContain('a host at fault')
    } finally {
      process.off('uncaughtException', note)
      for (const listener of before) process.on('uncaughtException', listener)
    }
  })
})

describe('a file that cannot be read for the moment', () => {
  it('keeps its servers, and only its own', async () => {
    const file = '/home/ada/.config/plugboard/mcp.json'
    const cursor = '/home/ada/.cursor/mcp.json'
    const good = JSON.stringify({ mcpServers: { a: { command: 'a' } } })
    const load = async (
      files: Record<string, string>,
    ): Promise<Awaited<ReturnType<typeof loadCatalog>>['catalog']> =>
      (await loadCatalog(createMemoryWorld({ files }))).catalog
    const before = await load({
      [file]: good,
      [cursor]: JSON.stringify({ mcpServers: { b: { command: 'b' } } }),
    })
    const running = before.servers.map((server) => ({ server, connection: { state: 'ready' as const } }))
    expect(planReload(running, await load({ [file]: good.slice(0, 20) }))).toMatchObject({ removed: ['b'] })
    expect(planReload(running, await load({}))).toMatchObject({ removed: ['a', 'b'] })
  })
})
