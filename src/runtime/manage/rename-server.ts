/**
 * rename-server: renames an entry of ours, with its approval and its settings.
 *
 * out    the entry as it was; whether the user's approval moved with it; what still refers to the old name
 */
import type { Problem } from '../../model/problem.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { World } from '../../world/world.ts'
import type { LoadedCatalog } from '../load-catalog.ts'
import { badName } from './add-problems.ts'
import { approveAdded } from './add-server.ts'
import { isName } from './check-entry.ts'
import { findOwn, requireOwn, type OwnEntry } from './own-entries.ts'
import { nameTaken, rulesOfOldName } from './own-problems.ts'
import { renameServer } from './own-server.ts'
import type { WritableScope } from './scope-file.ts'
import { renameSwitches } from './switch-server.ts'

export interface Renamed {
  readonly own: OwnEntry
  readonly isApproved: boolean
  readonly warnings: readonly Problem[]
}

/** Throws `manage/bad-name`, `manage/exists`, what `requireOwn` and `editFile` throw. */
export async function renameOwn(
  world: World,
  request: { readonly name: string; readonly to: string; readonly scope?: WritableScope | undefined },
  load: () => Promise<LoadedCatalog>,
): Promise<Renamed> {
  const { name, to } = request
  const loaded = await load()
  if (!isName(to)) throw new ProblemError(badName(to))
  const own = requireOwn(loaded, request)
  const taken = findOwn(loaded, to).find(({ file }) => file === own.file)
  if (taken !== undefined && name !== to) throw new ProblemError(nameTaken(to, taken.found))
  await renameServer(world, own, to)
  // The settings for the old name may still be meant for servers of other agents.
  const isAlone = loaded.catalog.entries.filter(({ entry }) => entry.found.name === name).length === 1
  if (isAlone) await renameSwitches(world, loaded, { from: name, to })
  return { own, isApproved: await approve(world, own, { to, load }), warnings: rulesOf(loaded, name) }
}

/** The user need not approve again what the user approved under the old name. */
async function approve(
  world: World,
  { found, scope, file }: OwnEntry,
  { to, load }: { readonly to: string; readonly load: () => Promise<LoadedCatalog> },
): Promise<boolean> {
  const wasApproved = scope === 'project' && found.fate.kind === 'chosen'
  if (!wasApproved || found.entry.kind !== 'definition') return false
  return approveAdded(world, await load(), { name: to, file, definition: found.entry.definition })
}

function rulesOf({ permissions }: LoadedCatalog, name: string): readonly Problem[] {
  const tools = permissions.rules
    .map(({ tool }) => tool)
    .filter((tool) => tool === `mcp__${name}` || tool.startsWith(`mcp__${name}__`))
  return tools.length === 0 ? [] : [rulesOfOldName(name, [...new Set(tools)])]
}
