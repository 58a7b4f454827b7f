/**
 * import: servers of another agent's files → entries of ours.
 *
 * in     the agent, and the names of its servers, or all of them
 * out    a plan: the entries for each file, the questions to the user, what is left out and why
 * never  changes the other agent's file; imports servers of a plugin, which disappear with the plugin
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

/** Problems of the agent's files: the servers in such a file are unknown. */
export function problemsOfAgent({ catalog }: LoadedCatalog, agent: Agent): readonly Problem[] {
  return catalog.problems.filter(({ where }) => where?.source === agent)
}

/** One entry for each name: the one that the agent would use. */
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

/** The user's own server wins over a repository's server of the same name that waits for approval. */
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
