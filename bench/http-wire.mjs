/**
 * http-wire: what a call costs over our Streamable HTTP wire, against plain `node:http`, in one run.
 *
 *   node bench/http-wire.mjs [--reps 5] [--calls 4000] [--check] [--json]
 *
 * Prints calls per second of 100 bytes at 1, 32 and 256 in flight, answered with JSON, with events, and asked in the
 * modern revision; and the time of one answer of 8 MB. Each as a ratio to the floor, interleaved and as medians.
 * `--check` exits with 1 when a limit is missed: more calls than the floor at 32 in flight, 8 MB in 1.3 times its time.
 */
import { spawn } from 'node:child_process'
import http from 'node:http'
import { fileURLToPath } from 'node:url'
import { loadSource } from './load-source.mjs'
import { argument, has, median } from './measure.mjs'

if (has('--serve')) serve()
else await main()

async function main() {
  const reps = Number(argument('--reps') ?? 5)
  const calls = Number(argument('--calls') ?? 4000)
  const isJson = has('--json')
  const { openHttp, createNodeHttp, nodeClock } = await loadSource(`
    export { openHttp } from './src/pipeline/connect/transports/http.ts'
    export { createNodeHttp } from './src/world/node/http.ts'
    export { nodeClock } from './src/world/node/clock.ts'`)
  const http = createNodeHttp({})
  const server = await startServer()
  const url = `http://127.0.0.1:${server.port}`
  const wire = (path, params) => openWire({ openHttp, http, nodeClock }, `${url}${path}`, params)
  const clients = {
    'node:http': openFloor(server.port),
    'wire, JSON': wire('/json', {}),
    'wire, events': wire('/events', {}),
    'wire, modern': wire('/json', {
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' },
    }),
  }
  const figures = {}
  for (const inFlight of [1, 32, 256]) {
    const count = inFlight === 1 ? calls / 4 : calls
    figures[`calls/s at ${inFlight}`] = await interleave(clients, reps, (call) => rate(call, inFlight, count))
  }
  figures['8 MB, ms'] = await interleave(clients, reps, (call) => timeOfLarge(call))
  for (const client of Object.values(clients)) await client.close()
  server.stop()
  if (isJson) console.log(JSON.stringify(figures))
  else print(figures)
  const [at32, large] = [figures['calls/s at 32'], figures['8 MB, ms']]
  const isMissed = at32['wire, JSON'] <= at32['node:http'] || large['wire, JSON'] > 1.3 * large['node:http']
  if (isMissed && has('--check')) process.exitCode = 1
}

function openWire({ openHttp, http, nodeClock }, url, extra) {
  const pending = new Map()
  const launch = { kind: 'http', url, headers: new Map(), fallback: 'none' }
  const wire = openHttp(
    launch,
    { http, clock: nodeClock },
    { onMessage: (message) => settle(message.id, message.result), onEnd: () => undefined },
  )
  const settle = (id, result) => {
    pending.get(id)(result)
    pending.delete(id)
  }
  let id = 0
  return {
    call: (text) =>
      new Promise((resolve, reject) => {
        pending.set(++id, resolve)
        const params = { name: 'echo', arguments: text, ...extra }
        wire.send(
          { jsonrpc: '2.0', id, method: 'tools/call', params },
          { onFailure: (failure) => reject(new Error(JSON.stringify(failure))) },
        )
      }),
    close: () => wire.close(),
  }
}

/** What plain Node can do: a kept connection for each call in flight, and no care for anything else. */
function openFloor(port) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 512 })
  let id = 0
  const call = (text) =>
    new Promise((resolve, reject) => {
      const params = { name: 'echo', arguments: text }
      const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params }))
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'content-length': body.length,
      }
      const options = { host: '127.0.0.1', port, path: '/json', method: 'POST', agent, headers }
      const request = http.request(options, (response) => {
        const chunks = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () => {
          const text = chunks.length === 1 ? chunks[0].toString() : Buffer.concat(chunks).toString()
          resolve(JSON.parse(text).result)
        })
      })
      request.on('error', reject)
      request.end(body)
    })
  return { call, close: () => agent.destroy() }
}

async function rate(call, inFlight, count) {
  let left = count
  const text = { text: 'x'.repeat(100) }
  const before = performance.now()
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left-- > 0) await call(text)
    }),
  )
  return count / ((performance.now() - before) / 1000)
}

async function timeOfLarge(call) {
  const before = performance.now()
  const { content } = await call({ bytes: 8 * 1024 * 1024 })
  if (content[0].text.length !== 8 * 1024 * 1024) throw new Error('something got lost')
  return performance.now() - before
}

/** One after the other, in a changing order, so that a slow minute hits all of them; the first round only warms up. */
async function interleave(clients, reps, measure) {
  const names = Object.keys(clients)
  const all = Object.fromEntries(names.map((name) => [name, []]))
  for (let rep = -1; rep < reps; rep++) {
    names.push(names.shift())
    for (const name of names) {
      const figure = await measure(clients[name].call)
      if (rep >= 0) all[name].push(figure)
    }
  }
  return Object.fromEntries(Object.keys(clients).map((name) => [name, median(all[name])]))
}

function print(figures) {
  for (const [title, row] of Object.entries(figures)) {
    console.log(title)
    for (const [name, figure] of Object.entries(row)) {
      const ratio = (figure / row['node:http']).toFixed(2)
      console.log(
        `  ${name.padEnd(14)} ${figure.toFixed(figure < 1000 ? 1 : 0).padStart(8)}   ${ratio} × node:http`,
      )
    }
  }
}

function startServer() {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return new Promise((resolve) => {
    child.stdout.once('data', (line) => resolve({ port: Number(line), stop: () => child.kill() }))
  })
}

/** Answers every call at once: with its own text, or with as many bytes as it asks for. */
function serve() {
  const server = http.createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { id, params } = JSON.parse(Buffer.concat(chunks))
      const text = params.arguments.text ?? 'x'.repeat(params.arguments.bytes)
      const body = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })
      if (request.url === '/events') {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
        response.end(`event: message\ndata: ${body}\n\n`)
      } else {
        const length = Buffer.byteLength(body)
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': length })
        response.end(body)
      }
    })
  })
  server.keepAliveTimeout = 120_000
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
}
