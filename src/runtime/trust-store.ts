/**
 * trust-store: the user's decisions about servers of repositories, on disk.
 *
 * in     the file in the user's own state folder
 * out    a TrustStore; a store that cannot be read holds no approval, and is a problem
 * never  lives in a repository, holds the value of a variable or header, or is readable by others
 */
import { toCommandLine } from '../base/command-line.ts'
import type { Problem } from '../model/problem.ts'
import type { Readings } from '../model/readings.ts'
import type { FolderDecision, ProjectTrust, TrustDecision, TrustFacts, TrustStore } from '../model/trust.ts'
import { createProblem, createWarning, ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'

export interface StoredTrust {
  readonly store: TrustStore
  readonly problem?: Problem
}

export function trustFile(world: World, dirs: { readonly state: string }): string {
  return world.paths.join(dirs.state, 'trust.json')
}

/** A store that cannot be read now still counts as it was last read. */
export function readTrust(world: World, file: string, readings?: Readings): StoredTrust {
  const stored = readNow(world, file)
  if (stored.problem === undefined) {
    readings?.trust.set(file, stored.store)
    return stored
  }
  const before = readings?.trust.get(file)
  return before === undefined ? stored : { store: before, problem: outOfDate(file) }
}

const EMPTY: TrustStore = { projects: new Map(), folders: new Map() }

function readNow(world: World, file: string): StoredTrust {
  const read = world.files.read(file)
  if (read.kind === 'missing') return { store: EMPTY }
  if (read.kind === 'unreadable') return { store: EMPTY, problem: damaged(file) }
  return parseTrust(file, read.text)
}

export interface TrustDraft {
  readonly projects: Map<string, ProjectTrust>
  readonly folders: Map<string, FolderDecision>
}

/**
 * Reads, changes and writes under a lock. Removes a project without decisions. Throws `trust/damaged`,
 * `trust/unwritable`.
 */
export async function updateTrust(
  world: World,
  file: string,
  change: (draft: TrustDraft) => void,
): Promise<void> {
  const write = world.files.update(file, 0o600, (text) => {
    const { store, problem } = text === undefined ? { store: EMPTY } : parseTrust(file, text)
    if (problem !== undefined) throw new ProblemError(problem)
    const draft = { projects: new Map(store.projects), folders: new Map(store.folders) }
    change(draft)
    return formatTrust(draft)
  })
  await write.catch((error: unknown) => {
    throw error instanceof ProblemError ? error : new ProblemError(unwritable(file, error))
  })
}

function parseTrust(file: string, text: string): StoredTrust {
  const parsed = tryJson(text)
  if (!isObject(parsed) || parsed['version'] !== 1 || !isObject(parsed['projects']))
    return { store: EMPTY, problem: damaged(file) }
  const projects = new Map<string, ProjectTrust>()
  for (const [root, servers] of Object.entries(parsed['projects'])) {
    const named = isObject(servers) ? Object.entries(servers) : []
    projects.set(
      root,
      new Map(named.map(([name, list]) => [name, Array.isArray(list) ? list.filter(isDecision) : []])),
    )
  }
  return { store: { projects, folders: parseFolders(parsed['folders']) } }
}

function parseFolders(value: unknown): ReadonlyMap<string, FolderDecision> {
  return new Map(
    Object.entries(isObject(value) ? value : {}).flatMap(([root, one]) =>
      isFolderDecision(one) ? [[root, one] as const] : [],
    ),
  )
}

function isFolderDecision(value: unknown): value is FolderDecision {
  if (!isObject(value) || typeof value['at'] !== 'string') return false
  return value['decision'] === 'trusted' || value['decision'] === 'declined'
}

function formatTrust({ projects, folders }: TrustStore): string {
  const sorted = [...projects].filter(([, servers]) => servers.size > 0).sort(byKey)
  const plain = toRecord(sorted.map(([root, servers]) => [root, toRecord([...servers].sort(byKey))]))
  const trusted = folders.size === 0 ? {} : { folders: toRecord([...folders].sort(byKey)) }
  return `${JSON.stringify({ version: 1, projects: plain, ...trusted }, undefined, 2)}\n`
}

/** Without a prototype, so that a server called `__proto__` is stored like any other. */
function toRecord<T>(pairs: readonly (readonly [string, T])[]): Record<string, T> {
  const record = Object.create(null) as Record<string, T>
  for (const [key, value] of pairs) record[key] = value
  return record
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1
}

function isDecision(value: unknown): value is TrustDecision {
  if (!isObject(value) || typeof value['at'] !== 'string') return false
  return (value['decision'] === 'approved' || value['decision'] === 'declined') && isFacts(value['facts'])
}

function isFacts(value: unknown): value is TrustFacts {
  return isObject(value) && Object.values(value).every((fact) => typeof fact === 'string')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined // the caller reports a damaged store
  }
}

function unwritable(file: string, error: unknown): Problem {
  return createProblem({
    code: 'trust/unwritable',
    message: 'your decision could not be written down',
    where: { file },
    notes: [error instanceof Error ? error.message : String(error)],
    hints: ['make sure that the folder is one, and that you may write there'],
  })
}

function damaged(file: string): Problem {
  return createProblem({
    code: 'trust/damaged',
    message: 'the record of your approvals cannot be read, so no project server is trusted',
    where: { file },
    hints: [`move it away and approve again: \`${toCommandLine('mv', [file, `${file}.broken`], 'linux')}\``],
  })
}

function outOfDate(file: string): Problem {
  return createWarning({
    code: 'trust/stale',
    message: 'the record of your approvals cannot be read any more',
    where: { file },
    notes: ['what it said before still counts, for as long as this process runs'],
    hints: damaged(file).hints,
  })
}
