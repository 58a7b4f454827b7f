/**
 * precedence: which of two entries stands higher. A total order over what the entries say, not over when they came.
 */
import type { Admission } from '../../model/catalog.ts'
import { SCOPES_LOW_TO_HIGH, SOURCES_HIGH_TO_LOW } from '../../model/origin.ts'

/** Sorts the highest first; of one name written twice in a file, the later line. */
export function byPrecedence(a: Admission, b: Admission): number {
  return byPlace(a, b) || b.entry.found.node.start - a.entry.found.node.start
}

/** Sorts the highest first: scope, what is the user's own, source, rank of the place. */
export function byPlace(a: Admission, b: Admission): number {
  const [one, two] = [a.entry.found, b.entry.found]
  return (
    SCOPE_HEIGHT[two.origin.scope] - SCOPE_HEIGHT[one.origin.scope] ||
    REACH_DEPTH[one.reach] - REACH_DEPTH[two.reach] ||
    SOURCE_DEPTH[one.origin.source] - SOURCE_DEPTH[two.origin.source] ||
    one.rank - two.rank
  )
}

const SCOPE_HEIGHT = toPositions(SCOPES_LOW_TO_HIGH)
const SOURCE_DEPTH = toPositions(SOURCES_HIGH_TO_LOW)
const REACH_DEPTH = toPositions(['user', 'machine'])

/** Sorting asks thousands of times. */
function toPositions<T extends string>(all: readonly T[]): Readonly<Record<T, number>> {
  return Object.fromEntries(all.map((one, i) => [one, i])) as Record<T, number>
}
