/**
 * precedence: decides which of two entries ranks higher. The order is total and depends on the entries, not on their
 * arrival.
 */
import type { Admission } from '../../model/catalog.ts'
import { SCOPES_LOW_TO_HIGH, SOURCES_HIGH_TO_LOW } from '../../model/origin.ts'

/** Sorts the highest first. Of one name that is written twice in a file, the later line ranks higher. */
export function byPrecedence(a: Admission, b: Admission): number {
  return byPlace(a, b) || b.entry.found.node.start - a.entry.found.node.start
}

/** Sorts the highest first, by scope, then the user's own entries, source, and rank of the place. */
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

/** A table, because sorting compares thousands of times. */
function toPositions<T extends string>(all: readonly T[]): Readonly<Record<T, number>> {
  return Object.fromEntries(all.map((one, i) => [one, i])) as Record<T, number>
}
