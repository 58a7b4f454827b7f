/**
 * connect: what connecting and calling cost, against plain Node without any library (the floor) and the official SDK's
 * client, in one run.
 *
 *   node bench/connect.mjs [--reps 5] [--check] [--only cache,ready,hang,stdio,pin,http,memory]
 *
 * Every sample is a process of its own; contestants take turns, so that a slow minute hits all of them. Ratios are of
 * medians. `--check` exits with 1 when a limit is missed.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { argument, has, listed, median, sampleOf, wall } from './measure.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

const reps = Number(argument('--reps') ?? 5)
const only = listed('--only') ?? ['cache', 'ready', 'hang', 'stdio', 'pin', 'http', 'memory']
const TITLES = {
  cache: 'a warm cache: tools after opening, while ten servers hang',
  ready: 'ten stdio servers connected and listed',
  hang: 'ten stdio servers, until nine are ready, whatever the tenth does',
  stdio: 'calls over stdio, 100 B',
  pin: 'calls over stdio, 100 B, client and server on one processor: work, without the time that it takes to wake up another',
  http: 'calls over Streamable HTTP, 100 B',
  memory: 'memory in our process, for each of fifty stdio servers beyond the first fifty',
}

const scratch = mkdtempSync(join(tmpdir(), 'plugboard-bench-'))
const web = spawn(process.execPath, [here('servers/tiny-http.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] })
const port = await new Promise((resolve) => web.stdout.once('data', (text) => resolve(Number(text))))
const missed = []
try {
  const node = median(
    Array.from({ length: reps }, () =>
      wall(process.execPath, ['-e', '0'], { env: { PATH: process.env.PATH } }),
    ),
  )
  console.log(`node -e 0: ${node.toFixed(1)} ms; medians of ${reps}`)
  for (const one of only) measure(one, node)
} finally {
  web.kill()
  rmSync(scratch, { recursive: true })
}
if (missed.length > 0) console.log(`\nmissed: ${missed.join(', ')}`)
if (missed.length > 0 && has('--check')) process.exitCode = 1

function measure(what, node) {
  const who = what === 'cache' ? ['ours'] : what === 'hang' ? ['answers', 'hangs'] : ['floor', 'sdk', 'ours']
  const samples = Object.fromEntries(who.map((name) => [name, {}]))
  for (let rep = 0; rep < reps; rep++) {
    for (const name of who.map((_, i) => who[(i + rep) % who.length])) {
      const sample = runWorker({ what, ...contestant(name), url: `http://127.0.0.1:${port}/mcp` })
      for (const [key, value] of Object.entries(sample)) (samples[name][key] ??= []).push(value)
    }
  }
  const value = (name, key) => median(samples[name][key])
  console.log(`\n${TITLES[what]}`)
  for (const key of Object.keys(samples[who.at(-1)])) {
    const cells = who.map((name) => `${name} ${value(name, key).toFixed(value(name, key) < 100 ? 2 : 0)}`)
    console.log(`  ${key.padEnd(22)} ${cells.join('   ')}${verdict(what, key, { value, node })}`)
  }
}

/** With a hanging server there is one contestant, in two cases. */
function contestant(name) {
  return name === 'answers' || name === 'hangs' ? { who: 'ours', tenth: name } : { who: name }
}

/** What the issue asks for: the ratio, and the most or the least it may be. */
function verdict(what, key, { value, node }) {
  const limits = {
    'ready.ready ms': () => [value('ours', key) / value('sdk', key), 'most', 1, '× the SDK'],
    'cache.tools ms': () => [value('ours', key) / node, 'most', 0.5, '× node -e 0'],
    'hang.nine ms': () => [value('hangs', key) / value('answers', key), 'most', 1.1, '× when it answers'],
    'stdio.p50 µs': () => [value('ours', key) / value('floor', key), 'most', 1.25, '× the floor'],
    'pin.p50 µs': () => [value('ours', key) / value('floor', key), 'most', 1.25, '× the floor'],
    'stdio.calls/s at 256': () => [value('ours', key) / value('floor', key), 'least', 0.5, '× the floor'],
    'stdio.8 MB ms': () => [value('ours', key) / value('floor', key), 'most', 1.3, '× the floor'],
    'http.calls/s at 32': () => [value('ours', key) / value('floor', key), 'least', 1, '× the floor'],
    'http.8 MB ms': () => [value('ours', key) / value('floor', key), 'most', 1.3, '× the floor'],
    'memory.live kB per server': () => [value('ours', key) / value('sdk', key), 'most', 1, '× the SDK'],
    'memory.resident MB in all': () => [value('ours', key) / value('sdk', key), 'most', 1, '× the SDK'],
  }
  const limit = limits[`${what}.${key}`]
  if (limit === undefined) return ''
  const [ratio, side, bound, unit] = limit()
  const isMissed = side === 'most' ? ratio > bound : ratio < bound
  if (isMissed) missed.push(`${what} ${key}`)
  return `   ${ratio.toFixed(2)} ${unit} (at ${side} ${bound})${isMissed ? '  MISSED' : ''}`
}

function runWorker(job) {
  const args = ['--expose-gc', here('connect-worker.mjs'), JSON.stringify(job)]
  const env = { PATH: process.env.PATH, HOME: mkdtempSync(join(scratch, 'home-')) }
  return sampleOf(args, env, job.what === 'pin' ? 'one' : 'all')
}
