/**
 * plain-root: the form that every provider gets, except with the profile `none`: well-formed, and one object at the
 * root.
 */
import type { JsonSchema } from '../../../model/profile.ts'
import type { SchemaObject } from '../json-schema.ts'
import { modernize } from '../modernize.ts'
import { hasAlternatives, toObjectRoot } from '../object-root.ts'
import { gatherRefs } from '../refs.ts'
import type { Work } from '../unrepairable.ts'

const NOTHING: ReadonlySet<string> = new Set()

/** Throws when the schema cannot get this form. */
export function toPlainRoot(schema: JsonSchema, work: Work): SchemaObject {
  const modern = modernize(schema)
  const root = modern.schema
  // References lead to other places once alternatives are joined.
  const isMoved = modern.hasRefs && (root.$ref !== undefined || hasAlternatives(root))
  return toObjectRoot(isMoved ? gatherRefs(root, { work, drops: NOTHING }) : root, work)
}
