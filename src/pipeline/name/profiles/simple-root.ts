/**
 * simple-root: the whole way to a provider that knows few words.
 */
import type { JsonSchema } from '../../../model/profile.ts'
import { without, type SchemaObject } from '../json-schema.ts'
import { modernize } from '../modernize.ts'
import { toObjectRoot } from '../object-root.ts'
import { gatherRefs, inlineRefs } from '../refs.ts'
import { simplifyRoot, type Task } from '../simplify.ts'

/** Whether the provider knows references to `$defs`, or none at all. */
export type RefRule = 'gather' | 'inline'

/** Throws when the schema cannot be said in the dialect. */
export function toSimpleRoot(schema: JsonSchema, refs: RefRule, task: Task): SchemaObject {
  const { schema: modern, hasRefs } = modernize(schema)
  const settle = refs === 'gather' ? gatherRefs : inlineRefs
  const root = toObjectRoot(hasRefs ? settle(modern, { work: task.work, drops: UNSAID }) : modern, task.work)
  return simplifyRoot(hasRefs ? root : without(root, DEFINITIONS), task)
}

/** What none of them has a word for. */
const UNSAID: ReadonlySet<string> = new Set([
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'patternProperties',
  'dependentSchemas',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contentSchema',
  'additionalItems',
])

/** Of use to references only. */
const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions'])
