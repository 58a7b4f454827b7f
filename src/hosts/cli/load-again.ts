/**
 * load-again: loads the configuration for a command that keeps running, first and after each change of a file.
 */
import { ProblemError } from '../../problem/problem.ts'
import type { Load } from '../../runtime/catalog-loader.ts'
import type { LoadedCatalog, LoadOptions } from '../../runtime/load-catalog.ts'
import type { CommandContext } from './command.ts'

/** A file on the command line must exist at the start. If it disappears later, that is a change like any other. */
export function loadAgain(context: CommandContext, options: LoadOptions = {}): Load {
  let last: LoadedCatalog | undefined
  return async ({ world, ...how }) => {
    try {
      last = await context.load({ ...options, ...how }, world)
    } catch (error) {
      if (last === undefined || !(error instanceof ProblemError)) throw error
      const { catalog } = last
      last = { ...last, catalog: { ...catalog, problems: [...catalog.problems, error.problem] } }
    }
    return last
  }
}
