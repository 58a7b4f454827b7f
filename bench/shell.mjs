/**
 * shell: how long it takes until the shell is on the screen, against starting Node at all, in one run.
 *
 *   node bench/shell.mjs [--reps 15] [--check] [--json]
 *
 * In a pseudo-terminal, on a home with 20 servers that never answer: from the start of the process to the line in which
 * one types. At most 6 times `node -e 0`; `--check` exits with 1 when that is missed. The time until all servers are in
 * the status line is printed for comparison.
 */
import { spawn } from '@lydell/node-pty'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { argument, has, median, timed } from './measure.mjs'

const BIN = fileURLToPath(new URL('../dist/bin.js', import.meta.url))
const LIMIT = 6
const SERVERS = 20
const reps = Number(argument('--reps') ?? 15)
const isJson = has('--json')

const home = mkdtempSync(join(tmpdir(), 'plugboard-bench-'))
try {
  const silent = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1e6)'] }
  const servers = Array.from({ length: SERVERS }, (_, i) => [`server-${i}`, silent])
  mkdirSync(join(home, '.config/plugboard'), { recursive: true })
  writeFileSync(
    join(home, '.config/plugboard/mcp.json'),
    JSON.stringify({ mcpServers: Object.fromEntries(servers) }),
  )
  const env = { PATH: process.env.PATH, HOME: home, TERM: 'xterm-256color', PLUGBOARD_KEYCHAIN: 'off' }
  const times = { node: [], paint: [], status: [] }
  // Interleaved, so that a slow minute hits both; the first round warms the page cache.
  for (let rep = -1; rep < reps; rep++) {
    const node = timed(() => spawnSync(process.execPath, ['-e', '0'], { env, cwd: home }))
    const { paint, status } = await openShell(env)
    if (rep < 0) continue
    times.node.push(node)
    times.paint.push(paint)
    times.status.push(status)
  }
  report(median(times.node), median(times.paint), median(times.status))
} finally {
  rmSync(home, { recursive: true })
}

/** Leaves it as its users do, so that nothing stays behind. */
function openShell(env) {
  const before = performance.now()
  const child = spawn(process.execPath, [BIN], { cols: 100, rows: 30, cwd: home, env })
  const seen = {}
  let text = ''
  return new Promise((resolve) => {
    child.onData((data) => {
      text += data
      if (text.includes('/help')) seen.paint ??= performance.now() - before
      if (!text.includes(`${SERVERS} connecting`) || seen.status !== undefined) return
      seen.status = performance.now() - before
      child.write('\u0003\u0003')
    })
    child.onExit(() => resolve(seen))
  })
}

function report(node, paint, status) {
  const ratio = paint / node
  if (isJson) console.log(JSON.stringify({ ratio }))
  else {
    console.log(`${SERVERS} servers, none of which answers; medians of ${reps} runs, ms`)
    console.log(`  node -e 0        ${node.toFixed(1)}`)
    console.log(`  first paint      ${paint.toFixed(1)}   ${ratio.toFixed(2)} × node -e 0   (limit ${LIMIT})`)
    console.log(`  all in the line  ${status.toFixed(1)}   ${(status / node).toFixed(2)} × node -e 0`)
  }
  if (ratio > LIMIT && has('--check')) process.exitCode = 1
}
