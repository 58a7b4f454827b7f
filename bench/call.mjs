/**
 * call: what `board.call` costs, with the arguments checked, the loop guarded and the result translated, against the raw
 * SDK's `callTool`, over stdio, in one run.
 *
 *   node bench/call.mjs [--reps 3] [--check]
 *
 * Ratios are of medians. `--check` exits with 1 when `board.call` is slower than the SDK.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { argument, has, median, sampleOf } from './measure.mjs'

const worker = fileURLToPath(new URL('call-worker.mjs', import.meta.url))
const reps = Number(argument('--reps') ?? 3)
const LIMIT = 1

const scratch = mkdtempSync(join(tmpdir(), 'plugboard-bench-'))
const samples = []
try {
  for (let rep = 0; rep < reps; rep++) samples.push(run())
} finally {
  rmSync(scratch, { recursive: true })
}

console.log(`one call over stdio, 100 B, µs; medians of ${reps}`)
const missed = []
for (const title of Object.keys(samples[0])) {
  for (const what of ['wall', 'cpu']) {
    const value = (name) => median(samples.map((sample) => sample[title][name][what]))
    const [sdk, ours, request] = ['sdk', 'ours', 'request'].map(value)
    const ratio = ours / sdk
    const isMissed = what === 'wall' && ratio > LIMIT
    if (isMissed) missed.push(title)
    console.log(
      [
        `  ${title}, ${what}`.padEnd(22),
        `SDK callTool ${sdk.toFixed(1)}   board.call ${ours.toFixed(1)}   (board.request ${request.toFixed(1)})`,
        `${ratio.toFixed(2)} × the SDK${what === 'wall' ? ` (at most ${LIMIT})` : ''}${isMissed ? '  MISSED' : ''}`,
      ].join('   '),
    )
  }
}
if (missed.length > 0 && has('--check')) process.exitCode = 1

function run() {
  return sampleOf([worker], { PATH: process.env.PATH, HOME: mkdtempSync(join(scratch, 'home-')) })
}
