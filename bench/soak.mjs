/**
 * soak: fifty stdio servers, each killed about every ten seconds for a minute, while calls flow.
 *
 *   node --expose-gc bench/soak.mjs [--seconds 60] [--servers 50]
 *
 * Must hold at the end: every server `ready`, no process left behind, no handle or listener leaked, heap after a forced
 * collection within 10 % of the start. Prints the result as a table for docs/soak.md; exits with 1 when something does not
 * hold.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { argument } from './measure.mjs'

const SECONDS = Number(argument('--seconds') ?? 60)
const COUNT = Number(argument('--servers') ?? 50)
const KILL_EVERY_MS = 10_000
const TINY = fileURLToPath(new URL('servers/tiny.mjs', import.meta.url))

const home = mkdtempSync(join(tmpdir(), 'plugboard-soak-'))
process.env.PLUGBOARD_HOME = home
const { openPlugboard } = await import('../dist/index.js')

const names = Array.from({ length: COUNT }, (_, i) => `s${i}`)
const servers = Object.fromEntries(names.map((name) => [name, { command: process.execPath, args: [TINY] }]))
const board = await openPlugboard({ servers, strict: true, wait: 'all' })
const pids = new Set()
const counts = { calls: 0, lost: 0, refused: 0, kills: 0 }
const call = (name, tool, text) =>
  board.request(name, 'tools/call', { name: tool, arguments: { text } }, { timeoutMs: 15_000 })
const pidOf = async (name) => {
  const pid = Number((await call(name, 'pid', '')).content[0].text)
  pids.add(pid)
  return pid
}

// Everything that is made once is made before the first look.
await Promise.all(names.map(pidOf))
await Promise.all(names.map(killAndWait))
await Promise.all(names.map((name) => call(name, 'echo', 'x')))
const before = look()

const until = Date.now() + SECONDS * 1000
await Promise.all(names.flatMap((name) => [callOnAndOn(name), killOnAndOn(name)]))
await Promise.all(names.map((name) => board.waitFor(name)))
await Promise.all(names.map((name) => call(name, 'echo', 'still there')))
const after = look()
const states = board.snapshot().servers.map(({ connection }) => connection.state)
await board.close()
await pause(1500)

const left = [...pids].filter(isAlive)
const children = childrenOf(process.pid).filter((line) => !line.includes('sh -c'))
const checks = {
  'all servers ready': states.every((state) => state === 'ready'),
  'no process left': left.length === 0 && children.length === 0,
  'heap within 10 %': after.heap <= before.heap * 1.1,
  'no handle leaked': after.handles <= before.handles,
  'no listener leaked': after.listeners <= before.listeners,
  'calls went on': counts.calls > COUNT * SECONDS,
}
const mb = (bytes) => (bytes / 2 ** 20).toFixed(1)
console.log(`| ${COUNT} servers, ${SECONDS} s, Node ${process.version} | |
| --- | --- |
| servers killed | ${counts.kills} |
| calls answered | ${counts.calls} |
| calls lost with their server (told as such) | ${counts.lost} |
| calls refused while it came back | ${counts.refused} |
| heap before, after (MB) | ${mb(before.heap)}, ${mb(after.heap)} |
| active handles before, after | ${before.handles}, ${after.handles} |
| listeners on the process before, after | ${before.listeners}, ${after.listeners} |
| processes started, left at the end | ${pids.size}, ${left.length} |
${Object.entries(checks)
  .map(([name, holds]) => `| ${name} | ${holds ? 'yes' : '**no**'} |`)
  .join('\n')}`)
if (children.length > 0) console.log(children.join('\n'))
rmSync(home, { recursive: true })
process.exit(Object.values(checks).every(Boolean) ? 0 : 1)

async function callOnAndOn(name) {
  while (Date.now() < until) {
    try {
      await call(name, 'echo', 'x'.repeat(100))
      counts.calls += 1
    } catch (error) {
      if (error.failure?.kind === 'lost') counts.lost += 1
      else counts.refused += 1
    }
    await pause(10)
  }
}

async function killOnAndOn(name) {
  // Not all at the same moment, and the last ones early enough to come back.
  await pause(Math.random() * KILL_EVERY_MS)
  while (Date.now() < until - 2000) {
    try {
      process.kill(await pidOf(name), 'SIGKILL')
      counts.kills += 1
    } catch {
      // It was on its way back: the next time.
    }
    await pause(KILL_EVERY_MS * (0.8 + Math.random() * 0.4))
  }
}

/** Once before the first look: what coming back needs is then compiled and made. */
async function killAndWait(name) {
  process.kill(await pidOf(name), 'SIGKILL')
  await new Promise((resolve) => {
    const stop = board.on('change', ({ servers }) => {
      if (!servers.includes(name)) return
      stop()
      resolve()
    })
  })
  await pidOf(name)
}

function look() {
  globalThis.gc()
  globalThis.gc()
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
  return { heap: process.memoryUsage().heapUsed, handles: process.getActiveResourcesInfo().length, listeners }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function childrenOf(parent) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8')
        const isChild = new RegExp(`^PPid:\\s+${parent}$`, 'm').test(status)
        return isChild ? [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`] : []
      } catch {
        return []
      }
    })
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
