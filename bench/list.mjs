/**
 * list: what `plugboard list` costs, against starting Node at all, in one run.
 *
 *   node bench/list.mjs [--reps 21] [--check] [--json]
 *
 * Prints wall time against `node -e 0` on a home with 12 sources and 200 servers (at most 2.0) in an empty environment,
 * and cost per server at 10,000 against 1,000 (at most 1.5: linear). `--check` exits with 1 when a limit is missed.
 *
 * The environment of this machine is measured too, for comparison only: a variable such as NODE_EXTRA_CA_CERTS makes
 * Node itself so slow to start that nearly anything would stay below twice that.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { argument, median } from './measure.mjs'

const BIN = fileURLToPath(new URL('../dist/bin.cjs', import.meta.url))
const LIMITS = { start: 2.0, growth: 1.5 }
const reps = Number(argument('--reps') ?? 21)
const isJson = process.argv.includes('--json')
const say = (...words) => isJson || console.log(...words)

const scratch = mkdtempSync(join(tmpdir(), 'plugboard-bench-'))
try {
  const home = makeHome('home', 200)
  const start = measureStart(home, 'in an empty environment', { PATH: process.env.PATH })
  measureStart(home, 'in this environment', process.env)
  const growth = measureGrowth()
  if (isJson) console.log(JSON.stringify({ start, growth }))
  const isMissed = start > LIMITS.start || growth > LIMITS.growth
  if (isMissed && process.argv.includes('--check')) process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true })
}

function measureStart(home, title, env) {
  const times = { node: [], list: [], version: [] }
  // Interleaved, so that a slow minute hits all of them; the first round warms the page cache.
  for (let rep = -1; rep < reps; rep++) {
    const round = {
      node: wall(['-e', '0'], home, env),
      list: wall([BIN, 'list'], home, env),
      version: wall([BIN, '--version'], home, env),
    }
    if (rep >= 0) for (const [name, time] of Object.entries(round)) times[name].push(time)
  }
  const [node, list, version] = [median(times.node), median(times.list), median(times.version)]
  say(`12 sources, 200 servers, ${title}; medians of ${reps} runs, ms`)
  say(`  node -e 0             ${node.toFixed(1)}`)
  say(`  plugboard --version   ${version.toFixed(1)}   ${(version / node).toFixed(2)} × node -e 0`)
  say(
    `  plugboard list        ${list.toFixed(1)}   ${(list / node).toFixed(2)} × node -e 0   (limit ${LIMITS.start.toFixed(1)})`,
  )
  return list / node
}

function measureGrowth() {
  const sizes = [100, 1000, 10_000]
  const homes = sizes.map((size) => makeHome(`home-${size}`, size))
  const times = sizes.map(() => [])
  for (let rep = -1; rep < Math.max(5, Math.ceil(reps / 3)); rep++) {
    for (const [i, home] of homes.entries()) {
      const time = wall([BIN, 'list'], home, { PATH: process.env.PATH })
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

/** A home in which twelve sources declare `count` servers between them. */
function makeHome(name, count) {
  const home = join(scratch, name)
  const share = (i) => Math.floor(count / 12) + (i < count % 12 ? 1 : 0)
  const files = [
    ['.config/plugboard/mcp.json', json('mcpServers')],
    ['.xcsh/mcp.json', json('mcpServers')],
    ['.x-code/config.json', json('mcpServers')],
    ['.claude.json', json('mcpServers')],
    ['.codex/config.toml', toml],
    ['.gemini/settings.json', json('mcpServers')],
    [
      '.config/opencode/opencode.json',
      json('mcp', (entry) => ({
        ...entry,
        command: [entry.command, ...entry.args],
        args: undefined,
        env: undefined,
        environment: entry.env,
        type: 'local',
      })),
    ],
    ['.copilot/mcp-config.json', json('mcpServers')],
    ['.cursor/mcp.json', json('mcpServers')],
    ['.codeium/windsurf/mcp_config.json', json('mcpServers')],
    ['.config/Code/User/mcp.json', json('servers')],
    ['.config/goose/config.yaml', yaml],
  ]
  for (const [i, [path, write]] of files.entries()) {
    const servers = Array.from({ length: share(i) }, (_, n) => server(`s${i}-${n}`))
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), write(servers))
  }
  return home
}

function server(name) {
  return {
    name,
    command: 'npx',
    args: ['-y', `@acme/${name}`, '--root', '/tmp'],
    env: { TOKEN: '${BENCH_TOKEN:-none}' },
  }
}

function json(key, change = (entry) => entry) {
  return (servers) =>
    JSON.stringify(
      { [key]: Object.fromEntries(servers.map(({ name, ...entry }) => [name, change(entry)])) },
      null,
      2,
    )
}

function toml(servers) {
  return servers
    .map(
      ({ name, command, args, env }) =>
        `[mcp_servers.${name}]\ncommand = "${command}"\nargs = ${JSON.stringify(args)}\nenv = { TOKEN = "${env.TOKEN}" }\n`,
    )
    .join('\n')
}

function yaml(servers) {
  const entries = servers.map(
    ({ name, command, args }) =>
      `  ${name}:\n    type: stdio\n    cmd: ${command}\n    args: ${JSON.stringify(args)}\n    enabled: true\n`,
  )
  return `extensions:\n${entries.join('')}`
}

function wall(args, home, inherited) {
  // Without what would lead away from the home that was made.
  const kept = Object.entries(inherited).filter(([name]) => !/^XDG_|_HOME$|_CONFIG|_DIR$/.test(name))
  const env = { ...Object.fromEntries(kept), HOME: home }
  const before = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: home,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const time = performance.now() - before
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return time
}
