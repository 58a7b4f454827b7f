/**
 * figures: what of the harness's results we look at, and how Plugboard stands there.
 *
 * in     results by workload, `{ data: { [case]: { [id]: { [metric]: kept } } } }`, with what `keptOf` makes of samples; w1,
 *        w3 and w6 have no cases
 * out    rows: the targets with what was measured, and every headline beside the floor, the SDK and the best peers; how
 *        often Plugboard is ahead
 * never  calls one ahead of another that has samples among its own: the next run may turn the two round
 */
import { show } from '../measure.mjs'

const FLOOR = /^floor(?!-)/
const SDK = /^sdk2(?:-min)?$/
const REFERENCE = /^(?:floor|sdk|direct|raw )/
/** Not on Node: shown beside. Those that only print what is configured do something else. */
const NATIVE = /^(?:claude|codex|opencode|omp)/
const LEFT_OUT = /\(config only\)|-node20$/

/** `[title, workload, case, metric, unit, better]`, one for each line of the ranking. */
export const HEADLINES = [
  ['`--version`', 'w1', undefined, 'version ms', 'ms'],
  ['`--help`', 'w1', undefined, 'help ms', 'ms'],
  ['list, 1 server, cold', 'w2', 'n1', 'cold shown ms', 'ms'],
  ['list, 10 servers, cold', 'w2', 'n10', 'cold shown ms', 'ms'],
  ['list, 10 servers, again', 'w2', 'n10', 'second shown ms', 'ms'],
  ['list, 10 servers, until its end', 'w2', 'n10', 'cold exit ms', 'ms'],
  ['list, 30 servers, cold', 'w2', 'n30', 'cold shown ms', 'ms'],
  ['list, 10 servers in C, cold', 'w2', 'n10-c', 'cold shown ms', 'ms'],
  ['list, one of 10 takes 3 s', 'w2', 'n10-slow3s', 'cold shown ms', 'ms'],
  ['list, one of 10 hangs', 'w2', 'n10-hang', 'cold shown ms', 'ms'],
  ['one call, cold', 'w3', undefined, 'cold ms', 'ms'],
  ['one call, again', 'w3', undefined, 'second ms', 'ms'],
  ['one call, something runs already', 'w3', undefined, 'warm ms', 'ms'],
  ['import of the library', 'w4', 'ready', 'import ms', 'ms'],
  ['10 servers ready', 'w4', 'ready', 'ready ms', 'ms'],
  ['10 servers in C ready', 'w4', 'ready-c', 'ready ms', 'ms'],
  ...['stdio', 'stdio-c', 'stdio-pin', 'http', 'sse'].flatMap((one) => [
    [`${one}: 100 B, median`, 'w4', one, '100B p50 us', 'µs'],
    [`${one}: 1 MB, median`, 'w4', one, '1MB p50 ms', 'ms'],
    [`${one}: 8 MB, median`, 'w4', one, '8MB p50 ms', 'ms'],
    [`${one}: calls/s, 32 at a time`, 'w4', one, 'calls/s @32', '/s', 'high'],
    [`${one}: calls/s, 256 at a time`, 'w4', one, 'calls/s @256', '/s', 'high'],
  ]),
  ...['stdio', 'http', 'bridge'].flatMap((one) => [
    [`gateway ${one}: open a session`, 'w5', one, 'open ms', 'ms'],
    [`gateway ${one}: median`, 'w5', one, 'p50 us', 'µs'],
    [`gateway ${one}: 99 of 100`, 'w5', one, 'p99 us', 'µs'],
    [`gateway ${one}: calls/s, 32 at a time`, 'w5', one, 'calls/s @32', '/s', 'high'],
    [`gateway ${one}: calls/s, 256 at a time`, 'w5', one, 'calls/s @256', '/s', 'high'],
    [`gateway ${one}: memory after 30,000`, 'w5', one, 'RSS 30k MiB', 'MiB'],
  ]),
  ['memory, imported', 'w6', undefined, 'imported MiB', 'MiB'],
  ['memory, 10 servers', 'w6', undefined, '10 srv MiB', 'MiB'],
  ['memory, 50 servers', 'w6', undefined, '50 srv MiB', 'MiB'],
  ...['n0', 'n10', 'n10-slow3s', 'n10-hang'].map((one) => [
    `agent, ${one}: first request to the model`,
    'w8',
    one,
    'first request ms',
    'ms',
  ]),
].map(([title, workload, kase, metric, unit, better = 'low']) => ({
  title,
  workload,
  kase,
  metric,
  unit,
  better,
}))

/** The issue's own limits, as ratios: `floorOf` may name the floor of another workload. */
const TARGETS = [
  target('`plugboard --version`', 'w1', undefined, 'version ms', { most: 1.3 }),
  target('`plugboard list`', 'w1', undefined, 'version ms', { most: 2, id: 'plugboard list (config only)' }),
  target('`list --check`, 10 stdio servers, cold', 'w2', 'n10', 'cold shown ms', { most: 1.25 }),
  target('the same, one hangs: nine on screen', 'w2', 'n10-hang', 'cold shown ms', { most: 1.3 }),
  target('one call from a cold process', 'w3', undefined, 'cold ms', { most: 1.5 }),
  target('one call through a running gateway', 'w3', undefined, 'warm ms', {
    most: 1.5,
    floorOf: ['w1', 'version ms'],
  }),
  target('what the gateway adds to a call over HTTP', 'w5', 'http', 'p50 us', {
    most: 1.5,
    id: 'plugboard serve',
    beyond: 'direct',
  }),
]

/** `beyond`: what that one takes is taken off both, so that what is compared is what is added to it. */
function target(title, workload, kase, metric, { most, id = 'plugboard', floorOf, beyond }) {
  return { title, workload, kase, metric, most, id, floorOf, beyond }
}

export const TARGET_HEAD = ['what', 'plugboard', 'floor', 'ratio', 'at most', '']

export function ourTargets(found) {
  return TARGETS.map(({ title, workload, kase, metric, most, id, floorOf, beyond }) => {
    const rows = rowsOf(found, workload, kase)
    const base = beyond === undefined ? 0 : valueOf(rows, beyond, metric).value
    const ours = valueOf(rows, id, metric).value - base
    const floor =
      floorOf === undefined
        ? valueOf(rows, 'floor', metric).value - base
        : valueOf(rowsOf(found, floorOf[0]), 'floor', floorOf[1]).value
    const ratio = ours / floor
    const verdict = Number.isFinite(ratio) ? (ratio <= most ? 'met' : '**missed**') : 'not measured'
    return [title, show(ours), show(floor), show(ratio), String(most), verdict]
  })
}

export const RANK_HEAD = [
  'what',
  'floor',
  'SDK',
  'plugboard',
  'best on Node',
  '/best',
  '/SDK',
  '/floor',
  'best native',
  '/native',
]

export function ranking(found) {
  return HEADLINES.flatMap((headline) => {
    const standing = standingOf(found, headline)
    return standing?.ours === undefined ? [] : [rankRow(headline, standing)]
  })
}

/**
 * `{ ahead, level, behind, unjudged }` of all headlines at which there is one of this kind: `node` or `native`. Ahead is who
 * is ahead of all of them, behind who is behind any.
 */
export function tally(found, kind) {
  const counts = { ahead: 0, level: 0, behind: 0, unjudged: 0 }
  for (const headline of HEADLINES) {
    const { ours, all } = standingOf(found, headline) ?? {}
    const others = all?.filter((one) => one.kind === kind) ?? []
    if (ours !== undefined && others.length > 0) counts[placeAmong(headline, ours, others)] += 1
  }
  return counts
}

function placeAmong(headline, ours, others) {
  const places = new Set(others.map((other) => placeOf(headline, ours, other)))
  return ['behind', 'unjudged', 'level', 'ahead'].find((place) => places.has(place))
}

function placeOf(headline, ours, other) {
  if (ours.range === undefined || other.range === undefined) return 'unjudged'
  if (isLevel(ours, other)) return 'level'
  return timesWorse(headline, ours, other) < 1 ? 'ahead' : 'behind'
}

/** Samples of one lie among those of the other. */
function isLevel({ range: ours }, { range: other }) {
  return ours !== undefined && other !== undefined && ours.low <= other.high && other.low <= ours.high
}

function timesWorse({ better }, ours, other) {
  return better === 'high' ? other.value / ours.value : ours.value / other.value
}

function rankRow(headline, { floor, sdk, ours, node, native }) {
  const { title, unit } = headline
  const worse = (other) =>
    other === undefined
      ? '–'
      : `${show(timesWorse(headline, ours, other))}${isLevel(ours, other) ? ' ≈' : ''}`
  const named = (one) => (one === undefined ? '–' : `${show(one.value)} ${one.id}`)
  return [
    `${title}, ${unit}`,
    show(floor?.value),
    show(sdk?.value),
    show(ours.value),
    named(node),
    worse(node),
    worse(sdk),
    worse(floor),
    named(native),
    worse(native),
  ]
}

/** Everyone at one headline, best first, and who of them is the floor, the SDK, ours and the best of the others. */
export function standingOf(found, { workload, kase, metric, better }) {
  const rows = rowsOf(found, workload, kase)
  if (rows === undefined) return undefined
  const all = Object.keys(rows)
    .map((id) => ({ id, ...valueOf(rows, id, metric), kind: kindOf(id) }))
    .filter(({ id, value }) => Number.isFinite(value) && !LEFT_OUT.test(id))
    .sort((a, b) => (better === 'high' ? b.value - a.value : a.value - b.value))
  return {
    all,
    floor: all.find(({ id }) => FLOOR.test(id)),
    sdk: all.find(({ id }) => SDK.test(id)),
    ours: all.find(({ kind }) => kind === 'ours'),
    node: all.find(({ kind }) => kind === 'node'),
    native: all.find(({ kind }) => kind === 'native'),
  }
}

export function kindOf(id) {
  if (id.startsWith('plugboard')) return 'ours'
  if (REFERENCE.test(id)) return 'reference'
  return NATIVE.test(id) ? 'native' : 'node'
}

function rowsOf(found, workload, kase) {
  const data = found[workload]?.data
  return kase === undefined ? data : data?.[kase]
}

/** NaN of what was not measured; without a range where there are too few samples to speak of one. */
function valueOf(rows, id, metric) {
  const [value, low, high] = rows?.[id]?.[metric] ?? []
  return { value: value ?? NaN, range: low === undefined ? undefined : { low, high } }
}

/** Of three and three that are alike, all of one lie below all of the other in one of ten runs; of five and five, of 126. */
const ENOUGH = 3

/** `[median, lowest, highest]`; of less than three the median alone, and nothing of none. */
export function keptOf(samples) {
  const sorted = samples.filter(Number.isFinite).sort((a, b) => a - b)
  if (sorted.length === 0) return []
  const middle = (sorted.length - 1) / 2
  const median = (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2
  const range = sorted.length < ENOUGH ? [] : [sorted[0], sorted.at(-1)]
  return [median, ...range].map((one) => Number(one.toPrecision(4)))
}
