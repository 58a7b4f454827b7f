/**
 * require-known: requires a declared name, for commands that change entries.
 */
import { ProblemError } from '../../problem/problem.ts'
import type { LoadedCatalog } from '../../runtime/load-catalog.ts'
import type { CommandContext } from './command.ts'
import { unknownServer } from './unknown-server.ts'

/** Throws `cli/unknown-server`. */
export async function loadKnowing(context: CommandContext, name: string): Promise<LoadedCatalog> {
  const loaded = await context.load()
  const isKnown = loaded.catalog.entries.some(({ entry }) => entry.found.name === name)
  if (!isKnown) throw new ProblemError(unknownServer(name, loaded.catalog, context.world))
  return loaded
}
