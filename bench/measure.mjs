/**
 * measure: what the benchmarks have in common: their command lines, processes with a clock, medians, and how a figure is
 * written down.
 *
 * A figure is what one benchmark says: `{ name, unit, ours, floor: { name, value }, ratio, limit? }`, where `ratio` is ours
 * to the floor, and `limit` says how it must be: `{ side: 'most' | 'least', bound }`.
 */
import { spawnSync } from 'node:child_process'
import * as nodeModule from 'node:module'
import os from 'node:os'

/** Of the command, in starts of Node. From 22.1 on, Node keeps what it compiled in the run before. */
export const START =
  'enableCompileCache' in nodeModule ? { version: 1.6, list: 2.7 } : { version: 2.0, list: 3.6 }

export function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1]
}

/** How long it takes, in milliseconds. */
export function timed(work) {
  const before = performance.now()
  work()
  return performance.now() - before
}

/** What stands behind `--name`; undefined without it. */
export function argument(name) {
  const at = process.argv.indexOf(name)
  return at === -1 ? undefined : process.argv[at + 1]
}

export function has(name) {
  return process.argv.includes(name)
}

/** `--name a,b` as a list; undefined without it. */
export function listed(name) {
  return argument(name)?.split(',')
}

/** How long a process takes, from nothing to its end. Throws when it fails. */
export function wall(command, args, { cwd, env } = {}) {
  let answer
  const time = timed(() => {
    answer = spawnSync(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
  })
  if (answer.status !== 0) throw new Error(`${args.join(' ')} ended with ${answer.status}: ${answer.stderr}`)
  return time
}

/** A worker that prints its sample as the last line, as JSON. On `one` processor, it shares it with all that it starts. */
export function sampleOf(args, env, processors = 'all') {
  const line = [process.execPath, ...args]
  const [command, ...rest] = processors === 'one' ? ['taskset', '-c', '0', ...line] : line
  const { stdout, stderr, status, error } = spawnSync(command, rest, { env, maxBuffer: 1 << 28 })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${error ?? stderr}`)
  return JSON.parse(stdout.toString().trim().split('\n').at(-1))
}

/** Medians by name. They take turns, so that a slow minute hits all of them; the first round only warms up. */
export async function takeTurns(contestants, reps) {
  const names = Object.keys(contestants)
  const samples = Object.fromEntries(names.map((name) => [name, []]))
  for (let rep = -1; rep < reps; rep++) {
    names.push(names.shift())
    for (const name of names) {
      const sample = await contestants[name]()
      if (rep >= 0) samples[name].push(sample)
    }
  }
  return Object.fromEntries(Object.entries(samples).map(([name, all]) => [name, median(all)]))
}

export function figure(name, unit, { ours, floor, limit }) {
  return { name, unit, ours, floor, ratio: ours / floor.value, ...(limit === undefined ? {} : { limit }) }
}

export function isMissed({ ratio, limit }) {
  if (limit === undefined) return false
  return limit.side === 'most' ? ratio > limit.bound : ratio < limit.bound
}

/** A number with as many digits as one reads. */
export function show(value) {
  if (value === undefined || !Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en')
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2)
}

/** Rows of a Markdown table, padded so that the text can be read as it is. */
export function toTable(head, rows) {
  const all = [head, ...rows].map((row) => row.map(String))
  const widths = head.map((_, column) => Math.max(3, ...all.map((row) => row[column].length)))
  const line = (row) =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' | ')} |`
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  return [line(all[0]), rule, ...all.slice(1).map(line)]
}

export function figureRow({ name, unit, ours, floor, ratio, limit }) {
  const bound = limit === undefined ? '' : `${limit.side === 'most' ? '≤' : '≥'} ${limit.bound}`
  const mark = isMissed({ ratio, limit }) ? ' **missed**' : ''
  return [name, `${show(ours)} ${unit}`, `${show(floor.value)} ${floor.name}`, `${show(ratio)}${mark}`, bound]
}

export const FIGURE_HEAD = ['what', 'ours', 'floor', 'ratio', 'limit']

/** For the page: what it was measured on. Nothing that names this machine. */
export function machine() {
  const [cpu] = os.cpus()
  return {
    date: new Date().toISOString().slice(0, 10),
    cpus: os.cpus().length,
    cpu: cpu?.model.replace(/\s+/g, ' ').trim() ?? 'unknown',
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release().split('-')[0]}`,
    node: process.version,
  }
}
