/**
 * load-again: what a command that stays loads by, first and whenever files change.
 */
import { ProblemError } from '../../problem/problem.ts'
import type { Load } from '../../runtime/catalog-loader.ts'
import type { LoadedCatalog, LoadOptions } from '../../runtime/load-catalog.ts'
import type { CommandContext } from './command.ts'

/** What is named on the command line must be there to begin with; when it goes later, that is a change like any other. */
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
