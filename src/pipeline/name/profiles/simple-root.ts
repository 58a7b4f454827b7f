/**
 * simple-root: all steps for a provider that supports few keywords.
 */
import type { JsonSchema } from '../../../model/profile.ts'
import { without, type SchemaObject } from '../json-schema.ts'
import { modernize } from '../modernize.ts'
import { toObjectRoot } from '../object-root.ts'
import { gatherRefs, inlineRefs } from '../refs.ts'
import { simplifyRoot, type Task } from '../simplify.ts'

/** Whether the provider supports references to `$defs`, or no references. */
export type RefRule = 'gather' | 'inline'

/** Throws when the dialect cannot express the schema. */
export function toSimpleRoot(schema: JsonSchema, refs: RefRule, task: Task): SchemaObject {
  const { schema: modern, hasRefs } = modernize(schema)
  const settle = refs === 'gather' ? gatherRefs : inlineRefs
  const root = toObjectRoot(hasRefs ? settle(modern, { work: task.work, drops: UNSAID }) : modern, task.work)
  return simplifyRoot(hasRefs ? root : without(root, DEFINITIONS), task)
}

/** Keywords that none of these dialects has. */
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

/** Keywords that only references use. */
const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions'])
