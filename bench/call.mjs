/**
 * call: what `board.call` costs, with the arguments checked, the loop guarded and the result translated, against the raw
 * SDK's `callTool`, over stdio, in one run.
 *
 *   node bench/call.mjs [--reps 5] [--check]
 *
 * Every sample is a process of its own; contestants take turns, so that a slow minute hits both. Ratios are of medians.
 * `--check` exits with 1 when a limit is missed.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const worker = fileURLToPath(new URL('call-worker.mjs', import.meta.url))
const has = (name) => process.argv.includes(name)
const reps = has('--reps') ? Number(process.argv[process.argv.indexOf('--reps') + 1]) : 5
const CONTESTANTS = ['sdk', 'ours', 'request']
const LIMIT = 1

const scratch = mkdtempSync(join(tmpdir(), 'plugboard-bench-'))
const samples = Object.fromEntries(CONTESTANTS.map((name) => [name, {}]))
try {
  for (let rep = 0; rep < reps; rep++) {
    for (const name of CONTESTANTS.map((_, i) => CONTESTANTS[(i + rep) % CONTESTANTS.length])) {
      for (const [key, value] of Object.entries(run(name))) (samples[name][key] ??= []).push(value)
    }
  }
} finally {
  rmSync(scratch, { recursive: true })
}

console.log(`one call over stdio, 100 B, µs; medians of ${reps}`)
const missed = []
for (const key of Object.keys(samples.ours)) {
  const [sdk, ours, request] = CONTESTANTS.map((name) => median(samples[name][key]))
  const ratio = ours / sdk
  if (ratio > LIMIT) missed.push(key)
  const cells = `SDK callTool ${sdk.toFixed(1)}   board.call ${ours.toFixed(1)}   board.request ${request.toFixed(1)}`
  console.log(
    `  ${key.padEnd(14)} ${cells}   ${ratio.toFixed(2)} × the SDK (at most ${LIMIT})${ratio > LIMIT ? '  MISSED' : ''}`,
  )
}
if (missed.length > 0 && has('--check')) process.exitCode = 1

function run(who) {
  const env = { PATH: process.env.PATH, HOME: mkdtempSync(join(scratch, 'home-')) }
  const { stdout, stderr, status } = spawnSync(process.execPath, [worker, who], { env })
  if (status !== 0) throw new Error(`${who} ended with ${status}: ${stderr}`)
  return JSON.parse(stdout.toString().trim().split('\n').at(-1))
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1]
}
