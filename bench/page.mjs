/**
 * page: docs/benchmarks.md and its plots, made of what the benchmarks wrote down.
 *
 *   node bench/page.mjs
 *
 * in     docs/benchmarks/own.json (`npm run bench -- --keep`) and docs/benchmarks/peers.json (`npm run bench:peers`)
 * out    docs/benchmarks.md, docs/benchmarks/<workload>.svg and, of our own, docs/benchmarks/own-<workload>.svg; what it was made of gets the format that is checked
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FIGURE_HEAD, figureRow, show, toTable } from './measure.mjs'
import {
  HEADLINES,
  kindOf,
  ourTargets,
  RANK_HEAD,
  ranking,
  standingOf,
  tally,
  TARGET_HEAD,
} from './peers/figures.mjs'
import { toSvg } from './plot.mjs'

const DOCS = fileURLToPath(new URL('../docs/', import.meta.url))

/** The panels of each plot are headlines, by title. */
const PLOTS = {
  w1: ['Starting the command', ['`--version`', '`--help`']],
  w2: [
    'Looking at the servers: all healthy ones on the screen',
    ['list, 10 servers, cold', 'list, 30 servers, cold', 'list, one of 10 hangs'],
  ],
  w3: ['One tool call from the command line', ['one call, cold', 'one call, something runs already']],
  w4: [
    'The library, in process',
    [
      '10 servers ready',
      'stdio: 100 B, median',
      'stdio: calls/s, 256 at a time',
      'http: 100 B, median',
      'http: calls/s, 32 at a time',
      'stdio: 8 MB, median',
    ],
  ],
  w5: [
    'The gateway',
    [
      'gateway stdio: median',
      'gateway stdio: calls/s, 32 at a time',
      'gateway http: calls/s, 32 at a time',
      'gateway bridge: calls/s, 32 at a time',
      'gateway stdio: memory after 30,000',
    ],
  ],
  w6: ['Memory of the host process', ['memory, 10 servers', 'memory, 50 servers']],
  w8: [
    'An agent, from its start to the first request',
    ['agent, n10: first request to the model', 'agent, n10-hang: first request to the model'],
  ],
}

export function writePage() {
  const own = read('own.json')
  const peers = read('peers.json')
  const lines = [
    '# Benchmarks',
    '',
    'Written by `npm run bench -- --keep` and `npm run bench:peers`; [what was tried, and what it gave](design/speed.md). Ratios are of medians of one run, in which all take turns.',
    '',
    ...(own === undefined ? [] : ownSection(own, writeOwnPlots(own.workloads))),
    ...(peers === undefined ? [] : peersSection(peers, writePlots(peers.nodes))),
  ]
  writeFileSync(join(DOCS, 'benchmarks.md'), `${lines.join('\n').trimEnd()}\n`)
  setFormat()
}

function setFormat() {
  const program = fileURLToPath(new URL('../node_modules/.bin/oxfmt', import.meta.url))
  const { status } = spawnSync(program, ['benchmarks'], { cwd: DOCS, stdio: 'inherit' })
  if (status !== 0) throw new Error('the format of docs/benchmarks could not be set')
}

function read(name) {
  const file = join(DOCS, 'benchmarks', name)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

function toPlace({ date, cpus, cpu, memoryGb, system, node }) {
  return `${date}; ${cpus} × ${cpu}, ${memoryGb} GB, ${system}, Node ${node.replace(/^v/, '')}.`
}

function ownSection({ machine, workloads }, plots) {
  return [
    '## Plugboard against its floors',
    '',
    `${toPlace(machine)} Each figure stands beside a floor of the same run: what plain Node takes for the same, without any library or check.`,
    '',
    ...workloads.flatMap(({ title, figures }, i) => [
      `### ${title}`,
      '',
      ...toTable(FIGURE_HEAD, figures.map(figureRow)),
      '',
      `![${title}](benchmarks/${plots[i]})`,
      '',
    ]),
  ]
}

function writeOwnPlots(workloads) {
  return workloads.map(({ name, title, figures }) => writePlot(`own-${name}`, title, toOwnPanels(figures)))
}

/** A figure that stands beside two floors is one panel. */
function toOwnPanels(figures) {
  const panels = new Map()
  for (const { name, unit, ours, floor } of figures) {
    const title = name.replace(/, against .*/, '')
    const bars = panels.get(title)?.bars ?? [{ id: 'plugboard', value: ours, kind: 'ours' }]
    bars.push({ id: floor.name, value: floor.value, kind: 'reference' })
    panels.set(title, { title, unit, better: unit === '/s' ? 'high' : 'low', bars })
  }
  return [...panels.values()].map(({ bars, ...headline }) => toPanel(headline, bars))
}

function peersSection({ machine, nodes }, plots) {
  return [
    '## Plugboard against everyone else',
    '',
    `${toPlace(machine)} Every peer is installed by npm name; all run on the same Node. The floor is plain Node without SDK or checks.`,
    '',
    ...plots.flatMap(({ file, title }) => [`![${title}](benchmarks/${file})`, '']),
    ...nodes.flatMap(({ node, found }) => [
      `### Node ${node}: what was asked for`,
      '',
      ...toTable(TARGET_HEAD, ourTargets(found)),
      '',
      `### Node ${node}: every headline`,
      '',
      'How many times worse Plugboard is than the best peer on Node, the SDK, the floor, and the best native one; below 1 it is better. `≈`: level, since samples of one lie among those of the other, and the next run may turn the two round. That is known from three samples on.',
      '',
      ...toTable(RANK_HEAD, ranking(found)),
      '',
      sayTally(found),
      '',
      ...toldSection(node, found.w7),
      `Repetitions, and when: ${Object.entries(found)
        .map(([workload, { reps, at }]) => `${workload} ${reps ?? 1} (${at.slice(0, 10)})`)
        .join(', ')}. Machines of one kind differ from day to day: ratios compare, figures do not.`,
      '',
    ]),
  ]
}

/** How often Plugboard is ahead, in a sentence. */
export function sayTally(found) {
  const say = (kind) => {
    const { ahead, level, behind, unjudged } = tally(found, kind)
    const rest = unjudged === 0 ? '' : ` (${unjudged} have too few samples to tell)`
    return `ahead of all in ${ahead}, level in ${level}, behind in ${behind}${rest}`
  }
  return `Against peers on Node: ${say('node')}. Against native ones: ${say('native')}.`
}

/** Of which there is no ranking: who tells less may have told less of a tool, or nothing until a model asks. */
function toldSection(node, w7) {
  if (w7 === undefined) return []
  return [
    `### Node ${node}: what a model is told of ${ALL_TOOLS} tools of ten real servers`,
    '',
    'Bytes, and how many times as many as names, descriptions and schemas as they came. Agents that tell less than all tell a model of the rest when it looks for it.',
    '',
    ...toTable(
      ['who', 'bytes', '/raw', 'tools', 'how'],
      w7.rows.map(([who, bytes, ratio, , tools, how]) => [
        who.replaceAll('<', '&lt;'),
        show(bytes),
        ratio,
        String(tools),
        how,
      ]),
    ),
    '',
  ]
}

function writePlots(nodes) {
  const [{ node, found }] = nodes
  const ofHeadlines = Object.entries(PLOTS).map(([workload, [title, titles]]) => ({
    workload,
    title,
    panels: titles.flatMap((one) => {
      const headline = HEADLINES.find((each) => each.title === one)
      const standing = standingOf(found, headline)
      return standing === undefined || standing.ours === undefined ? [] : [toPanel(headline, standing.all)]
    }),
  }))
  const told = {
    workload: 'w7',
    title: `What a model is told of ${ALL_TOOLS} tools`,
    panels: toldPanels(found.w7),
  }
  return [...ofHeadlines, told]
    .filter(({ panels }) => panels.length > 0)
    .sort((a, b) => (a.workload < b.workload ? -1 : 1))
    .map(({ workload, title, panels }) => ({
      file: writePlot(workload, `${title} (Node ${node})`, panels),
      title,
    }))
}

/** In the order of the harness: as in `toldSection`, it is no ranking. */
function toldPanels(w7) {
  const rows = w7?.rows ?? []
  const bar = (label, [who, bytes, , , tools]) => ({
    label: tools === ALL_TOOLS ? label : `${label}, ${tools} tools`,
    value: bytes,
    text: `${show(bytes)} bytes`,
    kind: kindOf(who),
  })
  const libraries = rows.filter(([who]) => !who.includes(':') && who !== 'names only')
  const agents = rows.filter(([who]) => who.endsWith(REPLAYED))
  return [
    { title: 'by a library', bars: libraries.map((row) => bar(row[0], row)) },
    {
      title: 'by an agent; whoever tells less tells the rest when it is looked for',
      bars: agents.map((row) => bar(row[0].slice(0, -REPLAYED.length), row)),
    },
  ].filter(({ bars }) => bars.length > 0)
}

const ALL_TOOLS = 178
const REPLAYED = ': replayed (all ready at once)'

function writePlot(name, title, panels) {
  const file = `${name}.svg`
  mkdirSync(join(DOCS, 'benchmarks'), { recursive: true })
  writeFileSync(join(DOCS, 'benchmarks', file), toSvg(title.replaceAll('`', ''), panels))
  return file
}

/** Best first. */
function toPanel({ title, unit, better }, all) {
  const per = unit === '/s' ? '' : ` ${unit}`
  const ranked = all.toSorted((a, b) => (better === 'high' ? b.value - a.value : a.value - b.value))
  return {
    title: `${title.replaceAll('`', '')} (${better === 'high' ? 'more is better' : `${unit}, less is better`})`,
    bars: ranked.map(({ id, value, kind }) => ({ label: id, value, text: `${show(value)}${per}`, kind })),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writePage()
