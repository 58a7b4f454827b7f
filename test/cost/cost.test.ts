/**
 * cost: what commands load, start and send, counted. Times are for `npm run bench`; these numbers are the same on any
 * machine, so a step in the wrong direction cannot hide.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createNodeWorld, openPlugboard, type Board } from '../../src/index.ts'
import { COMMANDS, HTTP_REQUESTS, ROUND_TRIPS, type Cost } from './limits.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const BIN = at('../../dist/bin.js')

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'plugboard-cost-'))
})

afterEach(() => rmSync(home, { recursive: true }))

describe.each(Object.entries(COMMANDS))('plugboard %s', (line, limit) => {
  test('loads, starts and writes no more than it is allowed', () => {
    const words = line.replace(', again', '').split(' ')
    if (words.length !== line.split(' ').length) measure(words)
    expect(excess(measure(words), limit)).toEqual({})
  })
})

/** What is more than the limit, by what it is. */
function excess(found: Cost, limit: Cost): Partial<Record<keyof Cost, unknown>> {
  const builtins = found.builtins.filter((one) => !limit.builtins.includes(one))
  const counts = (['files', 'kilobytes', 'started', 'writtenBefore'] as const).filter(
    (key) => found[key] > limit[key],
  )
  return Object.fromEntries([
    ...(builtins.length > 0 ? [['builtins', builtins]] : []),
    ...counts.map((key) => [key, `${found[key]}, and at most ${limit[key]} are allowed`]),
  ])
}

function measure(words: readonly string[]): Cost {
  const server = (name: string): object => ({
    command: process.execPath,
    args: [at('server.mjs'), join(home, `${name}.txt`)],
  })
  const servers = { one: server('one'), two: server('two') }
  mkdirSync(join(home, '.config/plugboard'), { recursive: true })
  writeFileSync(join(home, '.config/plugboard/mcp.json'), JSON.stringify({ mcpServers: servers }))
  const file = join(home, 'cost.json')
  execFileSync(process.execPath, ['--require', at('hook.cjs'), BIN, ...words], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, COST_FILE: file },
  })
  return JSON.parse(readFileSync(file, 'utf8')) as Cost
}

describe.each(['legacy', 'modern'] as const)('a %s server over stdio', (era) => {
  test('is asked no more than needed: to connect, to connect again, and for each call', async () => {
    const { connect, again, call } = ROUND_TRIPS[era]
    expect(await talk(era, 2)).toEqual([...connect, ...call, ...call])
    expect(await talk(era, 1)).toEqual([...again, ...call])
  })
})

test('a server over HTTP is asked no more than needed', async () => {
  const heard: string[] = []
  const { url, close } = await serveHttp((what) => heard.push(what))
  const board = await openHere({ one: { type: 'http', url } })
  const connected = heard.splice(0)
  await board.call({ server: 'one', tool: 'echo' }, { text: 'x' })
  const called = heard.splice(0)
  await board.close()
  close()
  expect([...connected, ...called].sort()).toEqual([...HTTP_REQUESTS.connect, ...HTTP_REQUESTS.call].sort())
  expect(called.filter((one) => one !== 'GET')).toEqual(HTTP_REQUESTS.call)
})

const TOOL = { name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }
const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'counts', version: '1' },
  },
  'tools/list': { tools: [TOOL] },
  'tools/call': { content: [{ type: 'text', text: 'x' }] },
}

async function serveHttp(
  tell: (what: string) => void,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.method !== 'POST') {
        if (request.method === 'GET') tell('GET')
        return response.writeHead(405).end()
      }
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as { id?: number; method: string }
      tell(method)
      if (id === undefined) return response.writeHead(202).end()
      const result = RESULTS[method]
      const outcome =
        result === undefined ? { error: { code: -32601, message: 'no such method' } } : { result }
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'one' })
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** What a server hears of a board that is opened and makes some calls, which are all different. */
async function talk(era: string, calls: number): Promise<readonly string[]> {
  const file = join(home, 'heard.txt')
  writeFileSync(file, '')
  const board = await openHere({ one: { command: process.execPath, args: [at('server.mjs'), file, era] } })
  for (let i = 0; i < calls; i++) {
    const { text } = await board.call({ server: 'one', tool: 'echo' }, { text: `call ${i}` })
    expect(text).toBe(`call ${i}`)
  }
  await board.close()
  return readFileSync(file, 'utf8').trim().split('\n')
}

/** In a home of its own, where nothing is known of any server at first. */
function openHere(servers: Readonly<Record<string, object>>): Promise<Board> {
  const world = { ...createNodeWorld({ cwd: home }), home, env: { PATH: process.env['PATH']!, HOME: home } }
  return openPlugboard({ world, servers, strict: true, wait: 'all', mode: 'bypass' })
}
