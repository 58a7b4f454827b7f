/**
 * gateway: what a call through `plugboard serve --http` costs, against a bare `node:http` hop and a gateway made with the
 * raw SDK, in front of the same server over HTTP, in one run.
 *
 *   npm run bench:gateway -- [--reps 3] [--memory] [--check]
 *
 * Medians. `added` is what a call takes longer than without anything in between, at one call at a time. `--memory` looks
 * at the memory after 10,000 and after 100,000 calls. `--check` exits with 1 when what is added is more than 1.5 times the
 * hop's, when the SDK is faster, or when the memory grew by more than a tenth.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { argument, has, median } from './measure.mjs'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const reps = Number(argument('--reps') ?? 3)
const LIMITS = { added: 1.5, memory: 1.1 }

const running = new Set()

/** A program that says on its first line where it is. */
async function start(args, { env = {}, port = Number, on = 'stdout' } = {}) {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  running.add(child)
  let said = ''
  child.stderr.on('data', (text) => (said += text))
  const lines = createInterface({ input: child[on] })[Symbol.asyncIterator]()
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${args[0]} ended: ${said}`)
  })
  ended.catch(() => undefined)
  const next = async () => {
    const { value, done } = await Promise.race([lines.next(), ended])
    // Its end says why.
    return done ? ended : value
  }
  return { child, next, port: port(await next()) }
}

function stop({ child }) {
  running.delete(child)
  child.kill('SIGKILL')
}

const TOKEN = 'a-token-for-the-bench-that-nobody-else-has'

async function startPlugboard(url) {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-bench-'))
  const put = (path, text) => {
    mkdirSync(join(home, path, '..'), { recursive: true })
    writeFileSync(join(home, path), text, { mode: 0o600 })
  }
  put('.config/plugboard/mcp.json', JSON.stringify({ mcpServers: { srv: { type: 'http', url } } }))
  const rules = [{ tool: 'mcp__srv__*', action: 'allow' }]
  put('.config/plugboard/settings.json', JSON.stringify({ permissions: { rules } }))
  put('.local/state/plugboard/gateway-token', `${TOKEN}\n`)
  const program = [at('../dist/bin.js'), 'serve', '--http', '0']
  const gateway = await start(program, {
    env: { HOME: home },
    on: 'stderr',
    port: (line) => Number(/:(\d+)\/mcp/.exec(line)?.[1]),
  })
  return { ...gateway, token: TOKEN, close: () => rmSync(home, { recursive: true, force: true }) }
}

const CONTESTANTS = {
  direct: async () => undefined,
  'node:http hop': (server) => start([at('gateway/hop.mjs'), String(server.port)]),
  plugboard: (server) => startPlugboard(`http://127.0.0.1:${server.port}/mcp`),
  'raw SDK': (server) => start([at('gateway/sdk-gateway.mjs'), `http://127.0.0.1:${server.port}/mcp`]),
}

const rssOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024

async function measure(open, { calls, times } = {}) {
  const server = await start([at('servers/tiny-http.mjs')])
  const gateway = await open(server)
  const { port, token } = gateway ?? server
  const job = { url: `http://127.0.0.1:${port}/mcp`, token, ...(calls === undefined ? {} : { ms: 1, calls }) }
  const load = await start([at('gateway/load.mjs'), JSON.stringify(job)], { port: JSON.parse })
  const sample = load.port
  const memory = []
  for (let i = 0; i < (times ?? 0); i++) {
    load.child.stdin.write('more\n')
    await load.next()
    memory.push(rssOf(gateway.child.pid))
  }
  for (const one of [load, gateway, server]) if (one !== undefined) stop(one)
  gateway?.close?.()
  return { ...sample, memory }
}

const samples = Object.fromEntries(Object.keys(CONTESTANTS).map((name) => [name, []]))
const missed = []
try {
  for (let rep = 0; rep < reps; rep++)
    for (const [name, open] of Object.entries(CONTESTANTS)) samples[name].push(await measure(open))
  report()
  if (has('--memory')) await reportMemory()
} finally {
  for (const child of running) child.kill('SIGKILL')
}
if (has('--check') && missed.length > 0) {
  console.error(`missed: ${missed.join(', ')}`)
  process.exitCode = 1
}

function report() {
  const value = (name, what) => median(samples[name].map((sample) => sample[what]))
  const added = (name) => value(name, 'p50') - value('direct', 'p50')
  const row = (...cells) =>
    console.log(cells.map((cell, i) => (i === 0 ? cell.padEnd(16) : cell.padStart(16))).join(''))
  console.log(`one call of 100 B over HTTP, medians of ${reps}`)
  row('', 'p50 µs', 'added µs', '/ hop', 'calls/s @32', 'calls/s @256')
  for (const name of Object.keys(CONTESTANTS)) {
    const ratio = name === 'direct' ? '' : (added(name) / added('node:http hop')).toFixed(2)
    const [p50, at32, at256] = ['p50', 'at32', 'at256'].map((what) => value(name, what).toFixed(0))
    row(name, p50, name === 'direct' ? '' : added(name).toFixed(0), ratio, at32, at256)
  }
  if (added('plugboard') > LIMITS.added * added('node:http hop')) missed.push('latency added')
  for (const what of ['at32', 'at256'])
    if (value('plugboard', what) < value('raw SDK', what)) missed.push(`throughput ${what}`)
}

async function reportMemory() {
  const { memory } = await measure(CONTESTANTS.plugboard, { calls: 10_000, times: 10 })
  const [early] = memory
  const late = memory.at(-1)
  console.log(
    `memory after 10,000 calls ${early.toFixed(0)} MB, after 100,000 ${late.toFixed(0)} MB, ratio ${(late / early).toFixed(2)}`,
  )
  if (late / early > LIMITS.memory) missed.push('memory')
}
