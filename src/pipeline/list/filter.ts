/**
 * filter: applies `includeTools` and `excludeTools`, which hold names or globs of the server's own tool names.
 */
import { matchesWildcard } from '../../base/wildcard.ts'
import type { ServerDefinition } from '../../model/definition.ts'
import type { Offering } from '../../model/offering.ts'

/** Removes the tools that the user excludes and counts them. Exclusion wins. */
export function applyFilters(
  offering: Offering,
  { includeTools, excludeTools }: Pick<ServerDefinition, 'includeTools' | 'excludeTools'>,
): Offering {
  if (includeTools === undefined && excludeTools === undefined) return offering
  const matches = (patterns: readonly string[], name: string): boolean =>
    patterns.some((pattern) => matchesWildcard(pattern, name))
  const tools = offering.tools.filter(
    ({ name }) =>
      (includeTools === undefined || matches(includeTools, name)) && !matches(excludeTools ?? [], name),
  )
  return { ...offering, tools, filteredTools: offering.tools.length - tools.length }
}
