/**
 * offering-store: the files of the offering cache.
 *
 * in     a change to the index, and offerings to keep
 * out    `servers.json`, one line for each server, and `offerings/<key>.json`; only the user can read them
 * never  throws, or grows without bound; a file that cannot be parsed is a warning, and is replaced
 */
import { isObject } from '../base/is-object.ts'
import type { ConnectionState } from '../model/connection.ts'
import type { Offering } from '../model/offering.ts'
import type { Problem } from '../model/problem.ts'
import type { Era } from '../model/session.ts'
import type { OurDirs } from '../pipeline/discover/project.ts'
import { createWarning } from '../problem/problem.ts'
import type { FileRead, World } from '../world/world.ts'

/** By key. */
export type Index = ReadonlyMap<string, LastKnown>

/** One line of the index: the state of a server when it was last seen. */
export type LastKnown = (Failure | { readonly state: 'ready' }) & {
  readonly name: string
  /** Of its definition: another server may have the same name by now. */
  readonly fingerprint: string
  readonly at: number
  /** Messages of the warnings of its last start, such as a variable without a value. */
  readonly unresolved?: readonly string[]
  /** How much it offered when it was last ready. */
  readonly listed?: Counts
  readonly era?: { readonly verdict: Era; readonly at: number }
}

export interface Failure {
  readonly state: Extract<ConnectionState, 'failed' | 'needs-auth' | 'waiting'>
  /** The message of the problem. */
  readonly problem: string
  /** The server was started, but was not ready within its startup time. */
  readonly isLate?: boolean
}

export interface Counts {
  readonly tools: number
  readonly resources: number
  readonly prompts: number
  readonly at: number
}

/** An offering, and the credential it was listed with: servers list other things to other users. */
export interface Shown {
  readonly offering: Offering
  /** A hash that distinguishes credentials without revealing them. */
  readonly credentialMark: string
}

export interface StoredOffering extends Shown {
  readonly at: number
}

const VERSION = 1
const MODE = 0o600
export const KEPT_MS = 30 * 24 * 60 * 60 * 1000
const MAX_SERVERS = 500
const MAX_OFFERINGS = 200
const MAX_OFFERING_BYTES = 8 * 1024 * 1024

export interface OfferingStore {
  /** Whether any process has ever written to it. */
  exists(): boolean
  readIndex(): Index
  readOffering(key: string): StoredOffering | undefined
  /** Returns the index as it is on disk afterwards; undefined when it could not be written. */
  write(
    change: (index: Index) => Index,
    offerings: ReadonlyMap<string, StoredOffering>,
  ): Promise<Index | undefined>
  problems(): readonly Problem[]
}

export function createOfferingStore(world: World, dirs: Pick<OurDirs, 'cache'>): OfferingStore {
  const { files, paths, clock } = world
  const indexFile = paths.join(dirs.cache, 'servers.json')
  const folder = paths.join(dirs.cache, 'offerings')
  const fileOf = (key: string): string => paths.join(folder, `${key}.json`)
  const problems = new Map<string, Problem>()
  const report = (problem: Problem): void =>
    void problems.set(`${problem.code} ${problem.where?.file}`, problem)

  const readIndex = (read: FileRead): Index => {
    const stored = parse(read)
    if (stored.kind === 'none') return new Map()
    if (stored.kind === 'fault') {
      report(stored.why(indexFile))
      return new Map()
    }
    const servers = isObject(stored.value['servers']) ? Object.entries(stored.value['servers']) : []
    return prune(new Map(servers.filter(isLine)), clock.now())
  }

  /** Replaces a file even when it cannot be read: nothing in a cache is worth a failure. */
  const update = async (file: string, change: (text: string | undefined) => string): Promise<boolean> => {
    const attempt = (): Promise<void> => files.update(file, MODE, change)
    try {
      await attempt().catch(async (error: unknown) => {
        if (files.read(file).kind !== 'unreadable' || !files.remove(file)) throw error
        await attempt()
      })
      return true
    } catch (error) {
      report(unwritable(file, error))
      return false
    }
  }

  const writeOffering = (key: string, stored: StoredOffering): void => {
    const text = toText(stored)
    // The offering is not kept. The old file goes, as the server no longer offers what it says.
    if (text === undefined) files.remove(fileOf(key))
    else if (!files.write(fileOf(key), MODE, text)) report(unwritable(fileOf(key)))
  }

  return {
    exists: () => files.kind(indexFile) !== 'missing',
    readIndex: () => readIndex(files.read(indexFile)),

    readOffering(key) {
      const stored = parse(files.read(fileOf(key)))
      if (stored.kind === 'none') return undefined
      if (stored.kind === 'found' && isStoredOffering(stored.value)) return stored.value
      report(stored.kind === 'fault' ? stored.why(fileOf(key)) : damaged(fileOf(key)))
      return undefined
    },

    async write(change, offerings) {
      // Listed before the index is read: a file that another process adds after that must not look like a stray.
      const before = files.list(folder)
      let merged: Index = new Map()
      const isWritten = await update(indexFile, (text) => {
        const read: FileRead = text === undefined ? { kind: 'missing' } : { kind: 'text', text }
        merged = prune(change(readIndex(read)), clock.now())
        return `${JSON.stringify({ version: VERSION, servers: Object.fromEntries(merged) })}\n`
      })
      if (!isWritten) return undefined
      for (const [key, stored] of offerings) writeOffering(key, stored)
      const kept = new Set(newestOfferings(merged, clock.now()).map((key) => `${key}.json`))
      const strays = before.filter((name) => name.endsWith('.json') && !kept.has(name))
      for (const name of strays) files.remove(paths.join(folder, name))
      return merged
    },

    problems: () => [...problems.values()],
  }
}

/** Takes the absolute difference: a date far in the future, from a wrong clock, must expire, too. */
export function isWithin(ms: number, at: number, now: number): boolean {
  return Math.abs(now - at) < ms
}

/** Returns the newest line for this server. Hosts with other capabilities have lines of their own. */
export function newestOf(
  lines: Iterable<LastKnown>,
  { name, fingerprint }: Pick<LastKnown, 'name' | 'fingerprint'>,
): LastKnown | undefined {
  let newest: LastKnown | undefined
  for (const line of lines) {
    if (line.name !== name || line.fingerprint !== fingerprint) continue
    if (newest === undefined || line.at > newest.at) newest = line
  }
  return newest
}

/** Keeps the newest entries that are not too old. */
function prune(index: Index, now: number): Index {
  const recent = [...index].filter(([, { at }]) => isWithin(KEPT_MS, at, now))
  return new Map(recent.sort(([, a], [, b]) => b.at - a.at).slice(0, MAX_SERVERS))
}

function newestOfferings(index: Index, now: number): readonly string[] {
  const listed = [...index].flatMap(([key, { listed }]) =>
    listed === undefined ? [] : [{ key, at: listed.at }],
  )
  const recent = listed.filter(({ at }) => isWithin(KEPT_MS, at, now))
  return recent
    .sort((a, b) => b.at - a.at)
    .slice(0, MAX_OFFERINGS)
    .map(({ key }) => key)
}

/**
 * Undefined for what is not kept: an offering that is too large, or one of an in-process server that JSON cannot
 * express.
 */
function toText(stored: StoredOffering): string | undefined {
  try {
    const text = JSON.stringify({ version: VERSION, ...stored })
    const isLarge =
      text.length > MAX_OFFERING_BYTES || new TextEncoder().encode(text).length > MAX_OFFERING_BYTES
    return isLarge ? undefined : text
  } catch {
    return undefined // the next start lists it again, like every large offering
  }
}

type Parsed =
  | { readonly kind: 'none' }
  | { readonly kind: 'found'; readonly value: Readonly<Record<string, unknown>> }
  | { readonly kind: 'fault'; readonly why: (file: string) => Problem }

function parse(read: FileRead): Parsed {
  if (read.kind === 'missing') return { kind: 'none' }
  const value = read.kind === 'text' ? tryJson(read.text) : undefined
  if (!isObject(value)) return { kind: 'fault', why: damaged }
  const version = value['version']
  if (version === VERSION) return { kind: 'found', value }
  return { kind: 'fault', why: typeof version === 'number' && version > VERSION ? fromTheFuture : damaged }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined // the caller reports a damaged file
  }
}

function isLine(line: [string, unknown]): line is [string, LastKnown] {
  const [, value] = line
  if (!isObject(value)) return false
  const { name, fingerprint, at, listed, era, unresolved } = value
  const hasParts =
    (listed === undefined || isCounts(listed)) &&
    (era === undefined || isVerdict(era)) &&
    (unresolved === undefined || Array.isArray(unresolved))
  const isNamed = typeof name === 'string' && typeof fingerprint === 'string'
  return isNamed && typeof at === 'number' && isState(value) && hasParts
}

function isState({ state, problem }: Readonly<Record<string, unknown>>): boolean {
  if (state === 'ready') return problem === undefined
  return (state === 'failed' || state === 'needs-auth' || state === 'waiting') && typeof problem === 'string'
}

function isCounts(value: unknown): boolean {
  if (!isObject(value)) return false
  return [value['tools'], value['resources'], value['prompts'], value['at']].every(
    (one) => typeof one === 'number',
  )
}

function isVerdict(value: unknown): boolean {
  if (!isObject(value) || typeof value['at'] !== 'number') return false
  return value['verdict'] === 'legacy' || value['verdict'] === 'modern'
}

/** Plugboard writes this file itself, and always whole. So a check of its outline is enough. */
function isStoredOffering(value: object): value is StoredOffering {
  const { at, credentialMark, offering } = value as Partial<Record<keyof StoredOffering, unknown>>
  if (typeof at !== 'number' || typeof credentialMark !== 'string' || !isObject(offering)) return false
  const lists = ['tools', 'resources', 'resourceTemplates', 'prompts', 'quarantined']
  const hasOutline = isObject(offering['hello']) && lists.every((list) => Array.isArray(offering[list]))
  return hasOutline && (offering['caching'] === undefined || isObject(offering['caching']))
}

function damaged(file: string): Problem {
  return createWarning({
    code: 'cache/damaged',
    message: 'what was remembered of servers cannot be read, so it is learnt anew',
    where: { file },
  })
}

function fromTheFuture(file: string): Problem {
  return createWarning({
    code: 'cache/newer',
    message: 'what was remembered of servers was written by a newer Plugboard, so it is learnt anew',
    where: { file },
  })
}

function unwritable(file: string, error?: unknown): Problem {
  return createWarning({
    code: 'cache/unwritable',
    message: 'what was learnt of servers could not be written down, so the next start is a slow one',
    where: { file },
    notes: error === undefined ? [] : [error instanceof Error ? error.message : String(error)],
    hints: ['make sure that the folder is one, and that you may write there'],
  })
}
