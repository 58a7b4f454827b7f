/**
 * run: Plugboard's own benchmarks, each beside a floor that is measured in the same run.
 *
 *   npm run bench -- [--only start,catalog,check,call,stdio,http,gateway,memory] [--reps <n>] [--quick] [--check]
 *                    [--json <file>] [--keep]
 *
 * Prints a table for each workload. `--check` exits with 1 when a limit is missed, `--json` writes the figures to a file,
 * `--keep` to docs/benchmarks/own.json, of which docs/benchmarks.md is made. What is measured runs in an empty environment:
 * a variable such as NODE_EXTRA_CA_CERTS makes Node itself so slow to start that everything looks fast beside it.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openHttp } from './floor.mjs'
import { makeHome, makeLongHome, makeOwnHome } from './homes.mjs'
import {
  argument,
  figure,
  FIGURE_HEAD,
  figureRow,
  has,
  isMissed,
  listed,
  machine,
  median,
  sampleOf,
  START,
  takeTurns,
  toTable,
  wall,
} from './measure.mjs'
import { writePage } from './page.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const [BIN, FLOOR, TINY] = ['../dist/bin.js', 'floor-cli.mjs', 'servers/tiny.mjs'].map(here)
const isQuick = has('--quick')
const reps = Number(argument('--reps') ?? (isQuick ? 3 : 9))
const most = (bound) => ({ side: 'most', bound })
const least = (bound) => ({ side: 'least', bound })
const NODE = 'node -e 0'

const WORKLOADS = {
  start: ['Starting the command', measureStart],
  catalog: ['A catalog of 10,000 servers, of 12 sources', measureCatalog],
  check: ['`list --check`, 10 servers over stdio', measureCheck],
  call: ['One call from a process of its own', measureCall],
  stdio: ['Calls in process, over stdio', () => measureCalls('stdio')],
  http: ['Calls in process, over Streamable HTTP', () => measureCalls('http')],
  gateway: ['A hop through the gateway: HTTP in, stdio behind', measureGateway],
  memory: ['Memory', measureMemory],
}

const scratch = mkdtempSync(join(tmpdir(), 'plugboard-bench-'))
const workloads = []
try {
  for (const name of listed('--only') ?? Object.keys(WORKLOADS)) {
    const [title, measure] = WORKLOADS[name]
    const figures = await measure()
    workloads.push({ name, title, figures })
    console.log(`\n### ${title}\n\n${toTable(FIGURE_HEAD, figures.map(figureRow)).join('\n')}`)
  }
} finally {
  rmSync(scratch, { recursive: true })
}
const report = { machine: machine(), reps, workloads }
if (argument('--json') !== undefined) writeFileSync(argument('--json'), toText(report))
if (has('--keep')) {
  mkdirSync(here('../docs/benchmarks'), { recursive: true })
  writeFileSync(here('../docs/benchmarks/own.json'), toText(report))
  writePage()
}
if (has('--check') && workloads.some(({ figures }) => figures.some(isMissed))) process.exitCode = 1

function toText(value) {
  return `${JSON.stringify(value, (_, one) => (typeof one === 'number' ? Number(one.toPrecision(4)) : one), 1)}\n`
}

function run(args, home) {
  return wall(process.execPath, args, { cwd: home, env: envOf(home) })
}

function envOf(home) {
  return { PATH: process.env.PATH, HOME: home }
}

function tinies(count, hanging) {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `s${i}`,
      { command: process.execPath, args: [TINY, ...(i === hanging ? ['--hang'] : [])] },
    ]),
  )
}

async function measureStart() {
  const home = makeHome(join(scratch, 'start'), 200, 4)
  const twelve = makeHome(join(scratch, 'twelve'), 200)
  const ten = makeOwnHome(join(scratch, 'ten'), tinies(10))
  const long = makeLongHome(join(scratch, 'long'), 4)
  const times = await takeTurns(
    {
      node: () => run(['-e', '0'], home),
      version: () => run([BIN, '--version'], home),
      help: () => run([BIN, '--help'], home),
      list10: () => run([BIN, 'list'], ten),
      list: () => run([BIN, 'list'], home),
      list12: () => run([BIN, 'list'], twelve),
      parse: () => run(['-e', "JSON.parse(fs.readFileSync('.claude.json', 'utf8'))"], long),
      listLong: () => run([BIN, 'list'], long),
    },
    reps * 2,
  )
  const floor = { name: NODE, value: times.node }
  return [
    figure('`--version`', 'ms', { ours: times.version, floor, limit: most(START.version) }),
    figure('`--help`', 'ms', { ours: times.help, floor }),
    figure('`list`, 10 servers of one source', 'ms', { ours: times.list10, floor, limit: most(START.list) }),
    figure('`list`, 200 servers in 4 files', 'ms', { ours: times.list, floor, limit: most(START.list) }),
    figure('`list`, 200 servers of 12 sources', 'ms', { ours: times.list12, floor }),
    figure('`list`, 10 servers in a file of 4 MB', 'ms', {
      ours: times.listLong,
      floor: { name: 'JSON.parse of it', value: times.parse },
      limit: most(2),
    }),
  ]
}

async function measureCatalog() {
  const sizes = [100, 1000, 10_000]
  const homes = sizes.map((size) => makeHome(join(scratch, `catalog-${size}`), size))
  const times = await takeTurns(
    {
      node: () => run(['-e', '0'], homes[0]),
      ...Object.fromEntries(sizes.map((size, i) => [size, () => run([BIN, 'list'], homes[i])])),
    },
    Math.ceil(reps / 2),
  )
  const each = (size) => ((times[size] - times[100]) / (size - 100)) * 1000
  return [
    figure('`list`', 'ms', { ours: times[10_000], floor: { name: NODE, value: times.node } }),
    figure('for each server, against 1,000 servers', 'µs', {
      ours: each(10_000),
      floor: { name: 'at 1,000', value: each(1000) },
      limit: most(1.5),
    }),
  ]
}

async function measureCheck() {
  const file = (home) => join(home, '.config/plugboard/mcp.json')
  const fresh = (hanging) => makeOwnHome(mkdtempSync(join(scratch, 'check-')), tinies(10, hanging))
  const [known, hung] = [fresh(), fresh(9)]
  const healthy = (count) => (text) => (text.match(/^ready .* 10 tools/gm) ?? []).length === count
  const ours = (home, count) => untilShown([BIN, 'list', '--check'], home, healthy(count))
  const floor = (home, count) => untilShown([FLOOR, 'list', file(home)], home, healthy(count))
  const times = await takeTurns(
    {
      floor: () => floor(known, 10),
      cold: () => ours(fresh(), 10),
      again: () => ours(known, 10),
      floorOfNine: () => floor(hung, 9),
      nine: () => ours(fresh(9), 9),
    },
    reps,
  )
  const plain = { name: 'plain Node', value: times.floor }
  return [
    figure('all on the screen, nothing known', 'ms', { ours: times.cold, floor: plain, limit: most(1.3) }),
    figure('all on the screen, known from last time', 'ms', { ours: times.again, floor: plain }),
    figure('nine on the screen, one hangs', 'ms', {
      ours: times.nine,
      floor: { name: 'plain Node', value: times.floorOfNine },
      limit: most(1.3),
    }),
  ]
}

/** From nothing to the moment at which its output is as expected. Then it is asked to end, and waited for. */
function untilShown(args, home, isShown) {
  return new Promise((resolve, reject) => {
    const before = performance.now()
    const child = spawn(process.execPath, args, {
      cwd: home,
      env: envOf(home),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let [text, time] = ['', undefined]
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      if (time !== undefined || !isShown(text)) return
      time = performance.now() - before
      child.kill('SIGTERM')
    })
    child.on('exit', () => (time === undefined ? reject(new Error(`not shown: ${text}`)) : resolve(time)))
  })
}

async function measureCall() {
  const fresh = () => makeOwnHome(mkdtempSync(join(scratch, 'call-')), tinies(10))
  const known = fresh()
  const ours = (home) => run([BIN, 'call', 's7', 'echo', 'text=x'], home)
  const times = await takeTurns(
    {
      floor: () => run([FLOOR, 'call', join(known, '.config/plugboard/mcp.json'), 's7', 'x'], known),
      cold: () => ours(fresh()),
      again: () => ours(known),
    },
    reps,
  )
  const floor = { name: 'plain Node', value: times.floor }
  return [
    figure('nothing known', 'ms', { ours: times.cold, floor, limit: most(1.9) }),
    figure('known from last time', 'ms', { ours: times.again, floor, limit: most(1.9) }),
  ]
}

/** The floor is a bare pipe, or `node:http` alone; the SDK stands beside it as a figure of its own. */
async function measureCalls(what) {
  const web = what === 'http' ? await startPrinting([here('servers/tiny-http.mjs')]) : undefined
  const job = (who) => ({
    what,
    who,
    url: web === undefined ? undefined : `http://127.0.0.1:${web.port}/mcp`,
  })
  const samples = {}
  for (let rep = 0; rep < Math.ceil(reps / 3); rep++) {
    for (const who of ['floor', 'sdk', 'board'])
      (samples[who] ??= []).push(
        sampleOf([here('connect-worker.mjs'), JSON.stringify(job(who))], envOf(scratch)),
      )
  }
  web?.stop()
  const value = (who, key) => median(samples[who].map((sample) => sample[key]))
  const plain = what === 'http' ? 'node:http' : 'bare pipe'
  return Object.keys(samples.board[0]).flatMap((key) => {
    const isRate = key.includes('/s')
    const [name, unit] = isRate ? [key, '/s'] : [key.replace(/ (?:µs|ms)$/, ''), key.split(' ').at(-1)]
    const against = (title, who, limit) =>
      figure(title, unit, {
        ours: value('board', key),
        floor: { name: who === 'sdk' ? 'SDK' : plain, value: value(who, key) },
        limit,
      })
    return [against(name, 'floor'), against(`${name}, against the SDK`, 'sdk', isRate ? least(1) : most(1))]
  })
}

async function measureGateway() {
  const home = makeOwnHome(join(scratch, 'gateway'), tinies(1))
  const rules = { permissions: { rules: [{ tool: 'mcp__s0__*', action: 'allow' }] } }
  writeFileSync(join(home, '.config/plugboard/settings.json'), JSON.stringify(rules))
  const gateway = await startPrinting([BIN, 'serve', '--http', '0'], envOf(home))
  const floor = await startPrinting([here('floor-gateway.mjs'), TINY])
  const token = readFileSync(join(home, '.local/state/plugboard/gateway-token'), 'utf8').trim()
  const clients = {
    floor: await openLoad(floor.port, 'echo', {}),
    ours: await openLoad(gateway.port, 'mcp__s0__echo', { authorization: `Bearer ${token}` }),
  }
  const figures = []
  for (const [title, inFlight, count] of [
    ['one at a time', 1, 500],
    ['32 at a time', 32, 4000],
    ['256 at a time', 256, 4000],
  ]) {
    const turn = (name) => [name, () => clients[name].rate(inFlight, isQuick ? count / 4 : count)]
    const rates = await takeTurns(Object.fromEntries(Object.keys(clients).map(turn)), Math.ceil(reps / 2))
    const value = { name: 'node:http hop', value: rates.floor }
    figures.push(figure(`calls, ${title}`, '/s', { ours: rates.ours, floor: value }))
  }
  for (const client of Object.values(clients)) client.close()
  gateway.stop()
  floor.stop()
  return figures
}

async function openLoad(port, name, headers) {
  const { ask, close } = openHttp(`http://127.0.0.1:${port}/mcp`, headers)
  const clientInfo = { name: 'bench', version: '1' }
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  let n = 0
  const call = async () => {
    const text = `${n++}`.padEnd(100, 'x')
    const { content } = await ask('tools/call', { name, arguments: { text } })
    if (content[0].text !== text) throw new Error(JSON.stringify(content))
  }
  return {
    close,
    async rate(inFlight, count) {
      let left = count
      const loop = async () => {
        while (left-- > 0) await call()
      }
      const before = performance.now()
      await Promise.all(Array.from({ length: inFlight }, loop))
      return (count / (performance.now() - before)) * 1000
    },
  }
}

/** A process that says at which port it listens, in whatever words. */
function startPrinting(args, env = process.env) {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  return new Promise((resolve, reject) => {
    let text = ''
    const look = (chunk) => {
      text += chunk
      const port = /(?:^|:)(\d{4,5})\b/m.exec(text)?.[1]
      if (port !== undefined) resolve({ port: Number(port), stop: () => child.kill('SIGTERM') })
    }
    child.stdout.on('data', look)
    child.stderr.on('data', look)
    child.on('exit', () => reject(new Error(`${args.join(' ')} ended: ${text}`)))
  })
}

async function measureMemory() {
  const samples = { floor: [], sdk: [], ours: [] }
  for (let rep = 0; rep < Math.ceil(reps / 4); rep++) {
    for (const who of Object.keys(samples))
      samples[who].push(
        sampleOf(
          ['--expose-gc', here('connect-worker.mjs'), JSON.stringify({ what: 'memory', who })],
          envOf(mkdtempSync(join(scratch, 'memory-'))),
        ),
      )
  }
  const value = (who, key) => median(samples[who].map((sample) => sample[key]))
  const rows = [
    ['live, for each stdio server beyond 50', 'kB', 'live kB per server'],
    ['resident, with 100 servers', 'MB', 'resident MB in all'],
  ]
  return rows.flatMap(([title, unit, key]) => [
    figure(title, unit, {
      ours: value('ours', key),
      floor: { name: 'plain Node', value: value('floor', key) },
    }),
    figure(`${title}, against the SDK`, unit, {
      ours: value('ours', key),
      floor: { name: 'SDK', value: value('sdk', key) },
      limit: most(1),
    }),
  ])
}
