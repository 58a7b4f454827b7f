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
    SCOPES_LOW_TO_HIGH.indexOf(two.origin.scope) - SCOPES_LOW_TO_HIGH.indexOf(one.origin.scope) ||
    REACHES.indexOf(one.reach) - REACHES.indexOf(two.reach) ||
    SOURCES_HIGH_TO_LOW.indexOf(one.origin.source) - SOURCES_HIGH_TO_LOW.indexOf(two.origin.source) ||
    one.rank - two.rank
  )
}

const REACHES = ['user', 'machine'] as const
