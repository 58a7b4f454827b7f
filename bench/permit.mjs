/**
 * permit: what it costs to ask whether a call may happen, against one look-up in a Map, in one run.
 *
 *   node bench/permit.mjs [--reps 21] [--check] [--json]
 *
 * 1,000 rules (exact names, prefixes, whole servers, globs; all actions), 6,000 tools of 60 servers, asked about in turn.
 * The limit, 20 look-ups, holds for a tool that was asked about before, as a tool in use is; for the verdict alone, and
 * for what a board does before a call: with the files of its user looked after, a pin for each tool, and a promise. What
 * the first question about a tool costs, and reading the rules, is printed beside it. `--check` exits with 1 when the
 * limit is missed.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadSource } from './load-source.mjs'
import { argument, has, median, timed } from './measure.mjs'

const LIMIT = 20
const SERVERS = 60
const TOOLS = 100
const ROUNDS = 20
const reps = Number(argument('--reps') ?? 21)
const isJson = has('--json')

const { permit, nameOf, openPermissions, loadCatalog, createNodeWorld } = await loadSource(`
  export { permit } from './src/pipeline/permit/permit.ts'
  export { nameOf } from './src/pipeline/name/name.ts'
  export { openPermissions } from './src/runtime/permissions.ts'
  export { loadCatalog } from './src/runtime/load-catalog.ts'
  export { createNodeWorld } from './src/world/node/world.ts'`)
const rules = makeRules(1000)
const PLAIN = { mode: 'default', rules, grants: [], pins: [], filters: [] }
const targets = makeTargets()
/** Calls that happen: a denial is slower, since it is put into words. */
const inUse = targets.filter(isAllowed).slice(0, 600)
const names = targets.map(({ name }) => name)
const map = new Map(names.map((name, i) => [name, i]))

const board = await openBoardPermissions()

const times = { map: [], again: [], board: [], first: [], compile: [] }
let seen = 0
for (let rep = -1; rep < reps; rep++) {
  const permissions = { ...PLAIN, rules: [...rules] }
  const compile = timed(() => count(permit(permissions, { ...targets[0], definition: {} }, 'model')))
  const first = timed(() => {
    for (const target of targets) count(permit(permissions, target, 'model'))
  })
  // Interleaved, so that a slow moment hits both.
  const round = { map: 0, again: 0, board: 0 }
  for (let i = 0; i < ROUNDS; i++) {
    round.map += timed(() => {
      for (const name of names) seen += map.get(name)
    })
    round.again += timed(() => {
      for (const target of targets) count(permit(permissions, target, 'model'))
    })
    const before = performance.now()
    for (const target of inUse) count(await board.check(target, 'person'))
    round.board += performance.now() - before
  }
  if (rep < 0) continue
  times.map.push(round.map / ROUNDS / targets.length)
  times.again.push(round.again / ROUNDS / targets.length)
  times.board.push(round.board / ROUNDS / inUse.length)
  times.first.push(first / targets.length)
  times.compile.push(compile)
}

const [lookUp, again, checked, first, compile] = Object.values(times).map(median)
const [ratio, boardRatio] = [again / lookUp, checked / lookUp]
if (isJson) console.log(JSON.stringify({ ratio, board: boardRatio, first: first / lookUp }))
else {
  const say = (what, ns, more) => console.log(`  ${what.padEnd(25)} ${ns.toFixed(0)} ns${more}`)
  console.log(`1,000 rules, ${targets.length.toLocaleString('en')} tools; medians of ${reps} runs`)
  say('one look-up in a Map', lookUp * 1e6, '')
  say('a verdict', again * 1e6, `   ${ratio.toFixed(1)} × that   (limit ${LIMIT})`)
  say('a check by a board', checked * 1e6, `   ${boardRatio.toFixed(1)} × that   (limit ${LIMIT})`)
  say('the first about a tool', first * 1e6, `   ${(first / lookUp).toFixed(0)} × that`)
  console.log(`  reading the rules         ${compile.toFixed(1)} ms, once`)
}
if (seen === 0) throw new Error('nothing was looked up')
if (Math.max(ratio, boardRatio) > LIMIT && has('--check')) process.exitCode = 1

/** So that no call can be left out. */
function count({ action }) {
  seen += action.length
}

function isAllowed(target) {
  return permit(PLAIN, target, 'person').action === 'allow'
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

/** As a board has them: rules in a settings file, servers in another, everything approved once. */
async function openBoardPermissions() {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-bench-'))
  // Its files are looked after until the end.
  process.on('exit', () => rmSync(home, { recursive: true }))
  const folder = join(home, '.config/plugboard')
  mkdirSync(folder, { recursive: true })
  const servers = Array.from({ length: SERVERS }, (_, i) => [`server-${i}`, { url: `https://s${i}.test/` }])
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: Object.fromEntries(servers) }))
  const plain = rules.map(({ tool, action }) => ({ tool, action }))
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ permissions: { rules: plain } }))
  const world = { ...createNodeWorld({ cwd: home }), home, env: {} }
  const permissions = await openPermissions(world, await loadCatalog(world))
  await Promise.all(inUse.map((target) => permissions.check(target, 'person')))
  const [problem] = permissions.problems()
  if (problem !== undefined) throw new Error([problem.message, ...(problem.notes ?? [])].join('; '))
  return permissions
}
