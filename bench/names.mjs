/**
 * names: what naming tools and fitting their schemas to a provider costs, against copying the tools, in one run.
 *
 *   node bench/names.mjs [--reps 15] [--count 6000] [--check] [--json]
 *
 * 6,000 tools, the corpus of 48 real servers over and over, each time as new objects: nothing is remembered. Prints, for each
 * profile, the time against `structuredClone` of the same tools (at most 3.0). `--check` exits with 1 when a limit is missed.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadSource } from './load-source.mjs'
import { argument, has, median, timed } from './measure.mjs'

const CORPUS = fileURLToPath(new URL('../test/corpus/', import.meta.url))
const LIMIT = 3.0
const reps = Number(argument('--reps') ?? 15)
const count = Number(argument('--count') ?? 6000)
const isJson = has('--json')
const say = (...words) => isJson || console.log(...words)

// The functions themselves: the built library keeps them to itself, and remembers what they gave.
const { nameOf, toProviderSchema, PROFILES } = await loadSource(`
  export { nameOf } from './src/pipeline/name/name.ts'
  export { toProviderSchema } from './src/pipeline/name/schema.ts'
  export { PROFILES } from './src/model/profile.ts'`)
const text = JSON.stringify(repeatCorpus())
const times = Object.fromEntries(['clone', ...PROFILES].map((name) => [name, []]))

// Interleaved, so that a slow minute hits all of them; the first rounds are for the compiler.
for (let rep = -3; rep < reps; rep++) {
  for (const name of Object.keys(times)) {
    const tools = JSON.parse(text)
    const time = name === 'clone' ? timed(() => structuredClone(tools)) : timed(() => fit(tools, name))
    if (rep >= 0) times[name].push(time)
  }
}

const clone = median(times.clone)
say(`${count} tools, ${Math.round(text.length / 1e6)} MB of JSON; medians of ${reps} runs, ms`)
say(`  structuredClone   ${clone.toFixed(1)}`)
const ratios = Object.fromEntries(PROFILES.map((profile) => [profile, median(times[profile]) / clone]))
for (const profile of PROFILES) {
  const time = median(times[profile]).toFixed(1).padStart(7)
  say(
    `  ${profile.padEnd(15)} ${time}   ${ratios[profile].toFixed(2)} × structuredClone   (limit ${LIMIT.toFixed(1)})`,
  )
}
if (isJson) console.log(JSON.stringify({ names: ratios }))
const isMissed = Object.values(ratios).some((ratio) => ratio > LIMIT)
if (isMissed && has('--check')) process.exitCode = 1

function fit(tools, profile) {
  return tools.map(({ server, name, inputSchema }) => ({
    name: nameOf(server, name, 'double'),
    made: toProviderSchema(inputSchema, profile),
  }))
}

/** Under other names of servers each time. */
function repeatCorpus() {
  const tools = []
  for (let round = 1; tools.length < count; round++) {
    for (const file of readdirSync(CORPUS).sort()) {
      const server = `${file.slice(0, -'.json'.length).replace('__', '-')}-${round}`
      const { tools: own } = JSON.parse(readFileSync(CORPUS + file, 'utf8'))
      for (const tool of own) tools.push({ server, ...tool })
    }
  }
  return tools.slice(0, count)
}
