/**
 * connect: what connecting and calling cost, against plain Node without any library (the floor) and the official SDK's
 * client, in one run.
 *
 *   node bench/connect.mjs [--reps 5] [--check] [--only ready,stdio,http,memory,cache]
 *
 * Every sample is a process of its own; contestants take turns, so that a slow minute hits all of them. Ratios are of
 * medians. `--check` exits with 1 when a limit is missed.
 */
import { spawn, spawnSync } from 'node:child_process'
import http from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const TINY = here('servers/tiny.mjs')
const argument = (name) => process.argv[process.argv.indexOf(name) + 1]
const has = (name) => process.argv.includes(name)

if (has('--worker')) {
  const job = JSON.parse(argument('--worker'))
  console.log(JSON.stringify(await work(job)))
  process.exit(0)
}

const reps = has('--reps') ? Number(argument('--reps')) : 5
const only = has('--only')
  ? argument('--only').split(',')
  : ['cache', 'ready', 'hang', 'stdio', 'http', 'memory']
const scratch = mkdtempSync(join(tmpdir(), 'plugboard-bench-'))
const web = spawn(process.execPath, [here('servers/tiny-http.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] })
const port = await new Promise((resolve) => web.stdout.once('data', (text) => resolve(Number(text))))
const missed = []
try {
  const node = median(Array.from({ length: reps }, () => wall(['-e', '0'])))
  console.log(`node -e 0: ${node.toFixed(1)} ms; medians of ${reps}`)
  for (const one of only) measure(one, node)
} finally {
  web.kill()
  rmSync(scratch, { recursive: true })
}
if (missed.length > 0) console.log(`\nmissed: ${missed.join(', ')}`)
if (missed.length > 0 && has('--check')) process.exitCode = 1

function measure(what, node) {
  const who = what === 'cache' || what === 'hang' ? ['ours'] : ['floor', 'sdk', 'ours']
  const samples = Object.fromEntries(who.map((name) => [name, {}]))
  for (let rep = 0; rep < reps; rep++) {
    for (const name of who.map((_, i) => who[(i + rep) % who.length])) {
      const sample = runWorker({ what, who: name, url: `http://127.0.0.1:${port}/mcp`, home: scratch })
      for (const [key, value] of Object.entries(sample)) (samples[name][key] ??= []).push(value)
    }
  }
  const value = (name, key) => median(samples[name][key])
  console.log(`\n${TITLES[what]}`)
  for (const key of Object.keys(samples.ours)) {
    const cells = who.map((name) => `${name} ${value(name, key).toFixed(value(name, key) < 100 ? 2 : 0)}`)
    console.log(`  ${key.padEnd(22)} ${cells.join('   ')}${verdict(what, key, { value, node })}`)
  }
}

/** What the issue asks for: the ratio, and the most or the least it may be. */
function verdict(what, key, { value, node }) {
  const limits = {
    'ready.ready ms': () => [value('ours', key) / value('sdk', key), 'most', 1, '× the SDK'],
    'cache.tools ms': () => [value('ours', key) / node, 'most', 0.5, '× node -e 0'],
    'hang.extra ms': () => [value('ours', key), 'most', 30, 'ms more with one that hangs'],
    'stdio.p50 µs': () => [value('ours', key) / value('floor', key), 'most', 1.25, '× the floor'],
    'stdio.calls/s at 256': () => [value('ours', key) / value('floor', key), 'least', 0.5, '× the floor'],
    'stdio.8 MB ms': () => [value('ours', key) / value('floor', key), 'most', 1.3, '× the floor'],
    'http.calls/s at 32': () => [value('ours', key) / value('floor', key), 'least', 1, '× the floor'],
    'http.8 MB ms': () => [value('ours', key) / value('floor', key), 'most', 1.3, '× the floor'],
    'memory.kB per server': () => [value('ours', key) / value('sdk', key), 'most', 1, '× the SDK'],
  }
  const limit = limits[`${what}.${key}`]
  if (limit === undefined) return ''
  const [ratio, side, bound, unit] = limit()
  const isMissed = side === 'most' ? ratio > bound : ratio < bound
  if (isMissed) missed.push(`${what} ${key}`)
  return `   ${ratio.toFixed(2)} ${unit} (at ${side} ${bound})${isMissed ? '  MISSED' : ''}`
}

function wall(args) {
  const before = performance.now()
  spawnSync(process.execPath, args, { env: { PATH: process.env.PATH } })
  return performance.now() - before
}

function runWorker(job) {
  const args = ['--expose-gc', fileURLToPath(import.meta.url), '--worker', JSON.stringify(job)]
  const env = { PATH: process.env.PATH, HOME: job.home }
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { env, maxBuffer: 1 << 28 })
  if (status !== 0) throw new Error(`${JSON.stringify(job)} ended with ${status}: ${stderr}`)
  return JSON.parse(stdout.toString().trim().split('\n').at(-1))
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1]
}

const TITLES = {
  cache: 'a warm cache: tools after opening, while ten servers hang',
  ready: 'ten stdio servers connected and listed',
  hang: 'the same with one of the ten hanging, for the nine',
  stdio: 'calls over stdio, 100 B',
  http: 'calls over Streamable HTTP, 100 B',
  memory: 'memory in our process, fifty stdio servers',
}

// What a worker does: one contestant, one case.

async function work({ what, who, url }) {
  const contestant = await CONTESTANTS[who]()
  switch (what) {
    case 'cache':
      return measureCache(contestant)
    case 'ready':
      return measureReady(contestant)
    case 'hang':
      return measureHang(contestant)
    case 'memory':
      return measureMemory(contestant)
    default:
      return measureCalls(contestant, what === 'http' ? { one: { url } } : { one: tiny() })
  }
}

function tiny(...flags) {
  return { command: process.execPath, args: [TINY, ...flags] }
}

function tinies(count, ...flags) {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`s${i}`, tiny(...flags)]))
}

async function measureReady(contestant) {
  const before = performance.now()
  const board = await contestant(tinies(10))
  const ready = performance.now() - before
  await board.close()
  return { 'ready ms': ready }
}

async function measureHang(contestant) {
  const ready = async (servers) => {
    const before = performance.now()
    const board = await contestant(servers, { wait: 'moment' })
    await Promise.all(
      Object.keys(servers)
        .filter((name) => name !== 'hung')
        .map((name) => board.waitFor(name)),
    )
    const time = performance.now() - before
    await board.close()
    return time
  }
  const without = await ready(tinies(9))
  const along = await ready({ hung: tiny('--hang'), ...tinies(9) })
  return { 'nine ms': without, 'with one hung ms': along, 'extra ms': along - without }
}

/** Filled by a first board, of which the servers answer; the second has servers that hang, under the same definitions. */
async function measureCache(contestant) {
  const servers = () =>
    Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [`s${i}`, { ...tiny('${HANG:---answer}'), env: {} }]),
    )
  const first = await contestant(servers())
  await first.close()
  process.env.HANG = '--hang'
  const before = performance.now()
  const second = await contestant(servers())
  const time = performance.now() - before
  if (second.tools() !== 100) throw new Error(`${second.tools()} tools`)
  await second.close()
  return { 'tools ms': time }
}

async function measureMemory(contestant) {
  const heap = async () => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    globalThis.gc()
    globalThis.gc()
    return process.memoryUsage().rss
  }
  const warm = await contestant(tinies(1))
  const before = await heap()
  const board = await contestant(tinies(50))
  const after = await heap()
  await board.close()
  await warm.close()
  return { 'kB per server': (after - before) / 50 / 1024 }
}

async function measureCalls(contestant, servers) {
  const board = await contestant(servers)
  const small = 'x'.repeat(100)
  const call = (text) => board.call('one', text)
  const until = async (inFlight, ms) => {
    let count = 0
    const end = performance.now() + ms
    const loop = async () => {
      while (performance.now() < end) {
        await call(small)
        count += 1
      }
    }
    const before = performance.now()
    await Promise.all(Array.from({ length: inFlight }, loop))
    return (count / (performance.now() - before)) * 1000
  }
  const times = async (text, count) => {
    const all = []
    for (let i = 0; i < count; i++) {
      const before = performance.now()
      const got = await call(text)
      all.push(performance.now() - before)
      if (got.length !== text.length) throw new Error(`${got.length} of ${text.length} characters`)
    }
    return median(all)
  }
  await times(small, 1000)
  const p50 = await times(small, 3000)
  await until(32, 300)
  const at32 = await until(32, 1000)
  await until(256, 300)
  const at256 = await until(256, 1000)
  await times('z'.repeat(8 << 20), 1)
  const large = await times('z'.repeat(8 << 20), 4)
  await board.close()
  return { 'p50 µs': p50 * 1000, 'calls/s at 32': at32, 'calls/s at 256': at256, '8 MB ms': large }
}

const CONTESTANTS = {
  async ours() {
    const { openPlugboard } = await import('../dist/index.js')
    return async (servers, options = {}) => {
      const board = await openPlugboard({ servers, strict: true, ...options })
      return {
        tools: () => board.tools().length,
        call: async (server, text) => {
          const result = await board.request(server, 'tools/call', { name: 'echo', arguments: { text } })
          return result.content[0].text
        },
        waitFor: (name) => board.waitFor(name),
        close: () => board.close(),
      }
    }
  },

  async sdk() {
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
    return async (servers) => {
      const clients = new Map()
      await Promise.all(
        Object.entries(servers).map(async ([name, { command, args, url }]) => {
          const client = new Client({ name: 'bench', version: '1' })
          const transport = url
            ? new StreamableHTTPClientTransport(new URL(url))
            : new StdioClientTransport({ command, args, maxBufferSize: 1 << 28 })
          await client.connect(transport)
          await client.listTools()
          clients.set(name, client)
        }),
      )
      return {
        call: async (server, text) => {
          const result = await clients.get(server).callTool({ name: 'echo', arguments: { text } })
          return result.content[0].text
        },
        close: () => Promise.all([...clients.values()].map((client) => client.close())),
      }
    }
  },

  async floor() {
    return async (servers) => {
      const all = new Map()
      await Promise.all(
        Object.entries(servers).map(async ([name, server]) => {
          const one = server.url ? floorHttp(server.url) : floorStdio(server)
          await one.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} })
          await one.ask('tools/list', {})
          all.set(name, one)
        }),
      )
      return {
        call: async (server, text) =>
          (await all.get(server).ask('tools/call', { name: 'echo', arguments: { text } })).content[0].text,
        close: async () => all.forEach((one) => one.close()),
      }
    }
  },
}

/** Lines of JSON over pipes, with no check of anything. */
function floorStdio({ command, args }) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  const waiting = new Map()
  let pieces = []
  let unsent = ''
  let id = 0
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    let from = 0
    for (let to = chunk.indexOf('\n'); to !== -1; to = chunk.indexOf('\n', from)) {
      pieces.push(chunk.slice(from, to))
      const message = JSON.parse(pieces.length === 1 ? pieces[0] : pieces.join(''))
      pieces = []
      from = to + 1
      waiting.get(message.id)(message.result)
      waiting.delete(message.id)
    }
    if (from < chunk.length) pieces.push(chunk.slice(from))
  })
  return {
    ask: (method, params) =>
      new Promise((resolve) => {
        waiting.set(++id, resolve)
        if (unsent === '') {
          queueMicrotask(() => {
            child.stdin.write(unsent)
            unsent = ''
          })
        }
        unsent += `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
      }),
    close: () => child.kill(),
  }
}

/** `node:http` with connections that are kept, and no check of anything. */
function floorHttp(url) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 512 })
  const { hostname, port, pathname } = new URL(url)
  let id = 0
  return {
    ask: (method, params) =>
      new Promise((resolve, reject) => {
        const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }))
        const headers = {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'content-length': body.length,
        }
        const request = http.request(
          { hostname, port, path: pathname, method: 'POST', agent, headers },
          (answer) => {
            const chunks = []
            answer.on('data', (chunk) => chunks.push(chunk))
            answer.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString()).result))
          },
        )
        request.on('error', reject)
        request.end(body)
      }),
    close: () => agent.destroy(),
  }
}
