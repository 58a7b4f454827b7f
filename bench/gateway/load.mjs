/**
 * load: clients of a gateway, as light as they can be: one session, connections kept, 100 bytes to echo.
 *
 *   node bench/gateway/load.mjs '{"url":…,"token":…,"ms":2000,"calls":10000}'
 *
 * Prints `{ p50, at32, at256 }` (µs, calls a second), then, for every line that it reads, makes `calls` more calls and
 * says so. Ends with an error at the first wrong answer.
 */
import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'

const { url, token, ms = 2000, calls = 10_000 } = JSON.parse(process.argv[2])
const { hostname: host, port, pathname: path } = new URL(url)
const agent = new Agent({ keepAlive: true, maxSockets: 1024 })
/** Another text with every call: the gateway stops whoever gets the same answer again and again. */
const textOf = (id) => String(id).padEnd(100, 'x')
let session = {}
let lastId = 0

function post(message) {
  const body = Buffer.from(JSON.stringify(message))
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': body.length,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...session,
  }
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, path, method: 'POST', agent, headers }, (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks).toString() }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const ask = async (method, params) => {
  const { body } = await post({ jsonrpc: '2.0', id: ++lastId, method, params })
  return JSON.parse(body)
}

async function greet() {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'load', version: '1' },
  }
  const { headers } = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
  const id = headers['mcp-session-id']
  session = { 'mcp-protocol-version': '2025-11-25', ...(id === undefined ? {} : { 'mcp-session-id': id }) }
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
}

/** The server may be on its way still. */
async function findEcho() {
  for (;;) {
    const { result } = await ask('tools/list', {})
    const found = result.tools.find(({ name }) => /(^|_)echo$/.test(name))
    if (found !== undefined) return found.name
  }
}

await greet()
const name = await findEcho()

async function call() {
  const text = textOf(lastId)
  const answer = await ask('tools/call', { name, arguments: { text } })
  if (answer.result?.content?.[0]?.text !== text) throw new Error(`a wrong answer: ${JSON.stringify(answer)}`)
}

async function latency() {
  for (let i = 0; i < 500; i++) await call()
  const times = []
  for (let i = 0; i < 2000; i++) {
    const before = performance.now()
    await call()
    times.push(performance.now() - before)
  }
  return times.sort((a, b) => a - b)[1000] * 1000
}

async function throughput(clients) {
  const until = performance.now() + ms
  let done = 0
  const one = async () => {
    for (; performance.now() < until; done++) await call()
  }
  await Promise.all(Array.from({ length: clients }, one))
  return (done / ms) * 1000
}

console.log(
  JSON.stringify({ p50: await latency(), at32: await throughput(32), at256: await throughput(256) }),
)
for await (const _ of createInterface({ input: process.stdin })) {
  let left = calls
  const one = async () => {
    while (left-- > 0) await call()
  }
  await Promise.all(Array.from({ length: 32 }, one))
  console.log('more')
}
process.exit()
