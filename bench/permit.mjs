/**
 * permit: what it costs to ask whether a call may happen, against one look-up in a Map, in one run.
 *
 *   node bench/permit.mjs [--reps 21] [--check] [--json]
 *
 * 1,000 rules (exact names, prefixes, whole servers, globs; all actions), 6,000 tools of 60 servers, asked about in turn.
 * The limit, 20 look-ups, holds for a tool that was asked about before, as a tool in use is. What the first question
 * about a tool costs, and reading the rules, is printed beside it. `--check` exits with 1 when the limit is missed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const LIMIT = 20
const SERVERS = 60
const TOOLS = 100
const ROUNDS = 20
const reps = Number(argument('--reps') ?? 21)
const isJson = process.argv.includes('--json')

const { permit, nameOf } = await loadSource()
const rules = makeRules(1000)
const targets = makeTargets()
const names = targets.map(({ name }) => name)
const map = new Map(names.map((name, i) => [name, i]))

const times = { map: [], again: [], first: [], compile: [] }
let seen = 0
for (let rep = -1; rep < reps; rep++) {
  const permissions = { mode: 'default', rules: [...rules], grants: [], pins: [], filters: [] }
  const compile = time(() => count(permit(permissions, { ...targets[0], definition: {} }, 'model')))
  const first = time(() => {
    for (const target of targets) count(permit(permissions, target, 'model'))
  })
  // Interleaved, so that a slow moment hits both.
  const round = { map: 0, again: 0 }
  for (let i = 0; i < ROUNDS; i++) {
    round.map += time(() => {
      for (const name of names) seen += map.get(name)
    })
    round.again += time(() => {
      for (const target of targets) count(permit(permissions, target, 'model'))
    })
  }
  if (rep < 0) continue
  times.map.push(round.map / ROUNDS / targets.length)
  times.again.push(round.again / ROUNDS / targets.length)
  times.first.push(first / targets.length)
  times.compile.push(compile)
}

const [lookUp, again, first, compile] = [times.map, times.again, times.first, times.compile].map(median)
const ratio = again / lookUp
if (isJson) console.log(JSON.stringify({ ratio, first: first / lookUp }))
else {
  console.log(`1,000 rules, ${targets.length.toLocaleString('en')} tools; medians of ${reps} runs`)
  console.log(`  one look-up in a Map      ${(lookUp * 1e6).toFixed(0)} ns`)
  console.log(
    `  a permission check        ${(again * 1e6).toFixed(0)} ns   ${ratio.toFixed(1)} × that   (limit ${LIMIT})`,
  )
  console.log(
    `  the first about a tool    ${(first * 1e6).toFixed(0)} ns   ${(first / lookUp).toFixed(0)} × that`,
  )
  console.log(`  reading the rules         ${compile.toFixed(1)} ms, once`)
}
if (seen === 0) throw new Error('nothing was looked up')
if (ratio > LIMIT && process.argv.includes('--check')) process.exitCode = 1

/** So that no call can be left out. */
function count({ action }) {
  seen += action.length
}

function makeTargets() {
  return Array.from({ length: SERVERS * TOOLS }, (_, i) => {
    const server = `server-${i % SERVERS}`
    const tool = `${['read', 'write', 'list', 'delete'][i % 4]}_thing_${Math.floor(i / SERVERS)}`
    return {
      server,
      tool,
      name: nameOf(server, tool, 'double'),
      otherNames: [nameOf(server, tool, 'bare'), nameOf(server, tool, 'single')],
      fingerprint: `is ${server}`,
      definition: { name: tool, inputSchema: { type: 'object' } },
    }
  })
}

function makeRules(size) {
  const kinds = [
    (i) => `mcp__server-${i % SERVERS}__read_thing_${i % TOOLS}`,
    (i) => `mcp__server-${i % SERVERS}__delete_thing_${i % 10}*`,
    (i) => `mcp__other-${i}`,
    (i) => `mcp__server-${i % SERVERS}__write_{thing,it}_${i % TOOLS}`,
    (i) => `mcp__other-${i}__*`,
  ]
  const actions = ['allow', 'ask', 'deny']
  return Array.from({ length: size }, (_, i) => ({
    // One in fifty is a glob that no index helps with.
    tool: i % 50 === 0 ? `mcp__*__drop_*_${i}` : kinds[i % kinds.length](i),
    action: actions[i % actions.length],
    level: 'user',
  }))
}

async function loadSource() {
  const scratch = mkdtempSync(join(tmpdir(), 'plugboard-bench-'))
  const outfile = join(scratch, 'permit.mjs')
  const source = (path) => JSON.stringify(fileURLToPath(new URL(`../src/pipeline/${path}`, import.meta.url)))
  const contents = `export { permit } from ${source('permit/permit.ts')}\nexport { nameOf } from ${source('name/name.ts')}`
  try {
    await build({
      stdin: { contents, resolveDir: '.' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

function time(work) {
  const before = performance.now()
  work()
  return performance.now() - before
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1]
}

function argument(name) {
  const at = process.argv.indexOf(name)
  return at === -1 ? undefined : process.argv[at + 1]
}
