/**
 * process-table: lists the processes, and finds the descendants of a child of ours.
 *
 * never  throws: a process that ends during the lookup counts as missing
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { Platform, RunningProcess } from '../world.ts'

export interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** Undefined where `ps` does not print it as a number (macOS). */
  readonly session: number | undefined
  /** Tells it from a later process with the same number. */
  readonly startedAt: string
}

/** Undefined where only a slow program could list the processes (Windows). */
export function readProcessTable(platform: Platform): readonly ProcessRow[] | undefined {
  if (platform === 'win32') return undefined
  return platform === 'linux' ? readProc() : readPs()
}

/** The process itself first, then what descends from it or is in its session. */
export function findFamily(pid: number, table: readonly ProcessRow[]): readonly ProcessRow[] {
  const found = new Set(table.filter((row) => row.pid === pid))
  const pids = new Set([pid])
  for (let before = -1; before < pids.size;) {
    before = pids.size
    for (const row of table) {
      if (pids.has(row.pid) || !(pids.has(row.parent) || row.session === pid)) continue
      pids.add(row.pid)
      found.add(row)
    }
  }
  return [...found]
}

/** Its current row; undefined when the process is gone. */
export function findProcess(pid: number, platform: Platform): ProcessRow | undefined {
  if (platform === 'linux') return readStat(pid)
  return readProcessTable(platform)?.find((row) => row.pid === pid)
}

/** The arguments that it was started with. */
export function describeProcess({ pid }: ProcessRow, platform: Platform): RunningProcess {
  if (platform !== 'linux')
    return {
      pid,
      args: ps(['-o', 'args=', '-p', String(pid)])
        .trim()
        .split(/\s+/),
    }
  const args = (readText(`/proc/${pid}/cmdline`) ?? '').split('\0').filter((arg) => arg !== '')
  const npmScript = /(?:^|\0)npm_lifecycle_event=([^\0]*)/.exec(readText(`/proc/${pid}/environ`) ?? '')?.[1]
  return { pid, args, ...(npmScript === undefined ? {} : { npmScript }) }
}

function readProc(): readonly ProcessRow[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? [])
}

/** `pid (name) state ppid pgrp session …`, and the name may hold any character. */
function readStat(pid: number): ProcessRow | undefined {
  const line = readText(`/proc/${pid}/stat`)
  if (line === undefined) return undefined
  const fields = line.slice(line.lastIndexOf(') ') + 2).split(' ')
  const [parent, group, session] = fields.slice(1, 4).map(Number) as [number, number, number]
  return { pid, parent, group, session, startedAt: fields[19] ?? '' }
}

function readPs(): readonly ProcessRow[] {
  return parsePs(ps(['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'pgid=', '-o', 'lstart=']))
}

export function parsePs(text: string): readonly ProcessRow[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, group, startedAt] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*\S)/.exec(line) ?? []
    if (startedAt === undefined) return []
    const row = { pid: Number(pid), parent: Number(parent), group: Number(group) }
    return [{ ...row, session: undefined, startedAt }]
  })
}

/** Empty where this program is missing. */
function ps(args: readonly string[]): string {
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const { stdout } = spawnSync('/bin/ps', args, { encoding: 'utf8', env: {} })
  return stdout ?? ''
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined // it is gone, or belongs to another user
  }
}
