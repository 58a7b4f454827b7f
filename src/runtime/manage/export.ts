/**
 * export: servers of the catalog → entries of another agent's file.
 *
 * in     the agent, and the names of servers, or all of our own files
 * out    a plan: the entries for each file, the questions to the user, what is left out and why
 * never  changes an existing entry of the agent's file
 */
import { findNearest } from '../../base/edit-distance.ts'
import type { CatalogEntry } from '../../model/catalog.ts'
import type { Scope } from '../../model/origin.ts'
import { createProblem, ProblemError } from '../../problem/problem.ts'
import type { World } from '../../world/world.ts'
import type { LoadedCatalog } from '../load-catalog.ts'
import type { Agent } from './agents.ts'
import type { WritableScope } from './scope-file.ts'
import { requireTarget } from './target.ts'
import { comesWithPlugin, isOffHere } from './transfer-problems.ts'
import { planTransfer, type Planned, type Transfer } from './transfer.ts'

export interface ExportRequest {
  readonly agent: Agent
  /** `ours`: the servers of our own file of the scope. */
  readonly names: readonly string[] | 'ours'
  /** Default: the only scope of the agent, or the user's of several. */
  readonly scope?: WritableScope | undefined
}

/** Throws `manage/no-such-scope`, `manage/unknown-server`. */
export async function planExport(
  world: World,
  loaded: LoadedCatalog,
  request: ExportRequest,
): Promise<Transfer> {
  const { agent, names, scope } = request
  const target = await requireTarget(world, loaded, { agent, scope })
  const entries =
    names === 'ours'
      ? ourEntries(loaded, target.scope)
      : [...new Set(names)].map((name) => requireEntry(loaded, name))
  const transfer = await planTransfer(world, loaded, { entries, target })
  return names === 'ours' ? leaveWhatIsOff(world, transfer) : transfer
}

/** A server that is off here and would be on there is exported only when the user names it. */
function leaveWhatIsOff({ platform }: World, transfer: Transfer): Transfer {
  const { planned, left, target } = transfer
  const toLeft = ({ from }: Planned) => ({ from, problem: isOffHere(from, target, platform) })
  return {
    ...transfer,
    planned: planned.filter(({ isTurnedOn }) => !isTurnedOn),
    left: [...left, ...planned.filter(({ isTurnedOn }) => isTurnedOn).map(toLeft)],
  }
}

function ourEntries({ catalog }: LoadedCatalog, scope: Scope): readonly CatalogEntry[] {
  const own = catalog.entries.filter(({ entry }) => {
    const { origin, unsupported } = entry.found
    return origin.source === 'plugboard' && origin.scope === scope && unsupported === undefined
  })
  const seen = new Set<string>()
  // When two files have the same name, the first one counts.
  return own.filter(({ entry }) => !seen.has(entry.found.name) && seen.add(entry.found.name))
}

/** The entry that has the name, whichever file declares it. */
function requireEntry({ catalog }: LoadedCatalog, name: string): CatalogEntry {
  const declared = catalog.entries.filter(({ entry }) => entry.found.name === name)
  const aside = new Set(['shadowed', 'excluded', 'untrusted', 'declined', 'unsupported'])
  const found = declared.find(({ fate }) => !aside.has(fate.kind)) ?? declared[0]
  if (found === undefined) throw new ProblemError(noSuchName(catalog.entries, name))
  if (!['user', 'project', 'local', 'dynamic'].includes(found.entry.found.origin.scope))
    throw new ProblemError(comesWithPlugin(found))
  return found
}

function noSuchName(entries: readonly CatalogEntry[], name: string): ReturnType<typeof createProblem> {
  const nearest = findNearest(name, [...new Set(entries.map(({ entry }) => entry.found.name))])
  return createProblem({
    code: 'manage/unknown-server',
    message: `no server is named \`${name}\``,
    hints: [
      ...(nearest === undefined ? [] : [`did you mean \`${nearest}\`?`]),
      'to see every server and the file it came from, run `plugboard list --all`',
    ],
  })
}
