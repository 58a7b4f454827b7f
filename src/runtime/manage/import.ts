/**
 * import: servers of another agent's files → entries of ours.
 *
 * in     the agent, and the names of its servers, or all of them
 * out    a plan: what would be written into which file, what needs an answer, what is left out and why
 * never  changes the other agent's file; takes what comes with a plugin, which is gone when the plugin goes
 */
import type { CatalogEntry } from '../../model/catalog.ts'
import { SOURCE_TITLES } from '../../model/origin.ts'
import type { Problem } from '../../model/problem.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { World } from '../../world/world.ts'
import type { LoadedCatalog } from '../load-catalog.ts'
import { AGENTS, type Agent } from './agents.ts'
import type { WritableScope } from './scope-file.ts'
import { ourTarget } from './target.ts'
import { comesWithPlugin, noSuchServer } from './transfer-problems.ts'
import { planTransfer, type Transfer } from './transfer.ts'

export interface ImportRequest {
  readonly agent: Agent
  readonly names: readonly string[] | 'all'
  readonly scope: WritableScope
}

/** Throws `manage/unknown-server`. */
export async function planImport(
  world: World,
  loaded: LoadedCatalog,
  { agent, names, scope }: ImportRequest,
): Promise<Transfer> {
  const all = importable(loaded, agent)
  const entries =
    names === 'all' ? all : [...new Set(names)].map((name) => requireEntry(loaded, { agent, name }))
  return planTransfer(world, loaded, { entries, target: ourTarget(world, loaded, scope) })
}

/** What is wrong with files of the agent: nothing is known about the servers in those. */
export function problemsOfAgent({ catalog }: LoadedCatalog, agent: Agent): readonly Problem[] {
  return catalog.problems.filter(({ where }) => where?.source === agent)
}

/** One entry for each name that an agent has, the one it would use. */
export function importable({ catalog }: LoadedCatalog, agent: Agent): readonly CatalogEntry[] {
  const own = catalog.entries.filter(({ entry }) => {
    const { origin, unsupported } = entry.found
    return origin.source === agent && isItsOwn(origin.scope) && unsupported === undefined
  })
  const names = [...new Set(own.map(({ entry }) => entry.found.name))]
  return names.map((name) => preferred(own.filter(({ entry }) => entry.found.name === name)))
}

function isItsOwn(scope: string): boolean {
  return scope === 'user' || scope === 'project' || scope === 'local'
}

/** A repository's server that waits for approval gives way to the user's own of the same name. */
function preferred(declarations: readonly CatalogEntry[]): CatalogEntry {
  return (
    declarations.find(({ fate }) => fate.kind !== 'untrusted' && fate.kind !== 'declined') ?? declarations[0]!
  )
}

function requireEntry(
  loaded: LoadedCatalog,
  { agent, name }: { readonly agent: Agent; readonly name: string },
): CatalogEntry {
  const all = importable(loaded, agent)
  const found = all.find(({ entry }) => entry.found.name === name)
  if (found !== undefined) return found
  const other = loaded.catalog.entries.find(
    ({ entry }) => entry.found.name === name && entry.found.origin.source === agent,
  )
  if (other !== undefined) throw new ProblemError(comesWithPlugin(other))
  const known = all.map(({ entry }) => entry.found.name)
  const elsewhere = AGENTS.find((one) =>
    importable(loaded, one).some(({ entry }) => entry.found.name === name),
  )
  throw new ProblemError(
    noSuchServer(name, {
      title: SOURCE_TITLES[agent],
      known,
      elsewhere,
      problems: problemsOfAgent(loaded, agent),
    }),
  )
}
