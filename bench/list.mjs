/**
 * list: what `plugboard list` costs, against starting Node at all, in one run.
 *
 *   npm run bench:list -- [--reps 21] [--check] [--json]
 *
 * Prints wall time against `node -e 0` on a home with 200 servers in 4 files (limits in measure.mjs) in an empty
 * environment, and cost per server at 10,000 against 1,000 (at most 1.5: linear). `--check` exits with 1 when a limit is
 * missed.
 *
 * The environment of this machine is measured too, for comparison only: a variable such as NODE_EXTRA_CA_CERTS makes
 * Node itself so slow to start that nearly anything would stay below twice that.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeHome } from './homes.mjs'
import { argument, has, median, START, wall } from './measure.mjs'

const BIN = fileURLToPath(new URL('../dist/bin.js', import.meta.url))
const LIMITS = { start: START.list, growth: 1.5 }
const reps = Number(argument('--reps') ?? 21)
const isJson = has('--json')
const say = (...words) => isJson || console.log(...words)

const scratch = mkdtempSync(join(tmpdir(), 'plugboard-bench-'))
try {
  const home = makeHome(join(scratch, 'home'), 200, 4)
  const start = measureStart(home, 'in an empty environment', { PATH: process.env.PATH })
  measureStart(home, 'in this environment', process.env)
  const growth = measureGrowth()
  if (isJson) console.log(JSON.stringify({ start, growth }))
  const isMissed = start > LIMITS.start || growth > LIMITS.growth
  if (isMissed && has('--check')) process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true })
}

function measureStart(home, title, env) {
  const times = { node: [], list: [], version: [] }
  // Interleaved, so that a slow minute hits all of them; the first round warms the page cache.
  for (let rep = -1; rep < reps; rep++) {
    const round = {
      node: run(['-e', '0'], home, env),
      list: run([BIN, 'list'], home, env),
      version: run([BIN, '--version'], home, env),
    }
    if (rep >= 0) for (const [name, time] of Object.entries(round)) times[name].push(time)
  }
  const [node, list, version] = [median(times.node), median(times.list), median(times.version)]
  say(`200 servers in 4 files, ${title}; medians of ${reps} runs, ms`)
  say(`  node -e 0             ${node.toFixed(1)}`)
  say(`  plugboard --version   ${version.toFixed(1)}   ${(version / node).toFixed(2)} × node -e 0`)
  say(
    `  plugboard list        ${list.toFixed(1)}   ${(list / node).toFixed(2)} × node -e 0   (limit ${LIMITS.start.toFixed(1)})`,
  )
  return list / node
}

function measureGrowth() {
  const sizes = [100, 1000, 10_000]
  const homes = sizes.map((size) => makeHome(join(scratch, `home-${size}`), size))
  const times = sizes.map(() => [])
  for (let rep = -1; rep < Math.max(5, Math.ceil(reps / 3)); rep++) {
    for (const [i, home] of homes.entries()) {
      const time = run([BIN, 'list'], home, { PATH: process.env.PATH })
      if (rep >= 0) times[i].push(time)
    }
  }
  const [base, thousand, tenThousand] = times.map(median)
  const perServer = [(thousand - base) / 900, (tenThousand - base) / 9900]
  const growth = perServer[1] / perServer[0]
  say('cost per server, µs')
  say(`  at  1,000             ${(perServer[0] * 1000).toFixed(1)}`)
  say(
    `  at 10,000             ${(perServer[1] * 1000).toFixed(1)}   ${growth.toFixed(2)} × that   (limit ${LIMITS.growth.toFixed(1)})`,
  )
  return growth
}

function run(args, home, inherited) {
  // Without what would lead away from the home that was made.
  const kept = Object.entries(inherited).filter(([name]) => !/^XDG_|_HOME$|_CONFIG|_DIR$/.test(name))
  return wall(process.execPath, args, { cwd: home, env: { ...Object.fromEntries(kept), HOME: home } })
}
