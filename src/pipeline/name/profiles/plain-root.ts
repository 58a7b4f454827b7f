/**
 * plain-root: what every provider but none is given: well-formed, and one object at the root.
 */
import type { JsonSchema } from '../../../model/profile.ts'
import type { SchemaObject } from '../json-schema.ts'
import { modernize } from '../modernize.ts'
import { hasAlternatives, toObjectRoot } from '../object-root.ts'
import { gatherRefs } from '../refs.ts'
import type { Work } from '../unrepairable.ts'

const NOTHING: ReadonlySet<string> = new Set()

/** Throws when the schema cannot be made one. */
export function toPlainRoot(schema: JsonSchema, work: Work): SchemaObject {
  const modern = modernize(schema)
  const root = modern.schema
  // Joining alternatives moves what references lead to.
  const isMoved = modern.hasRefs && (root.$ref !== undefined || hasAlternatives(root))
  return toObjectRoot(isMoved ? gatherRefs(root, { work, drops: NOTHING }) : root, work)
}
