/**
 * openai: draft 2020-12, one object at the root without other keywords, lists that declare their items, and patterns
 * that its validator accepts.
 */
import type { JsonSchema } from '../../../model/profile.ts'
import { keepInUse } from '../keep-in-use.ts'
import { mapChildren, mapNamed, typesOf, without, type Schema, type SchemaObject } from '../json-schema.ts'
import { toNote, withNotes } from '../notes.ts'
import type { Work } from '../unrepairable.ts'
import { isPortable } from './patterns.ts'
import { toPlainRoot } from './plain-root.ts'

/** Throws when the schema cannot be repaired. */
export function toOpenAi(schema: JsonSchema, work: Work): JsonSchema {
  return keepInUse(without(patch(toPlainRoot(schema, work)), NOT_AT_ROOT))
}

/** Plugboard checks them before a call. */
const NOT_AT_ROOT: ReadonlySet<string> = new Set(['enum', 'const', 'not'])

function patch(node: SchemaObject): SchemaObject {
  const inner = mapChildren(node, (child) => (typeof child === 'boolean' ? child : patch(child)))
  return withoutPattern(withItems(withSchemas(inner)))
}

/** A property that may have any value is `{}` instead of `true`. A property that must be absent is left out. */
function withSchemas(node: SchemaObject): SchemaObject {
  const { properties } = node
  if (properties === undefined) return node
  const mended = mapNamed(properties, toObject)
  return mended === properties ? node : { ...node, properties: mended }
}

function toObject(schema: Schema): Schema | undefined {
  return schema === true ? {} : schema === false ? undefined : schema
}

function withItems(node: SchemaObject): SchemaObject {
  const isUnsaid = typeof node.items !== 'object' && node.items !== false && typesOf(node).includes('array')
  return isUnsaid ? { ...node, items: {} } : node
}

function withoutPattern(node: SchemaObject): SchemaObject {
  const { pattern, ...rest } = node
  if (pattern === undefined || isPortable(pattern)) return node
  const note = toNote('pattern', pattern)
  return withNotes(rest, note === undefined ? [] : [note])
}
