/**
 * openai-strict: the subset that OpenAI enforces while the model writes.
 *
 * Every property is required and every object is closed. An optional property may be null instead, and
 * `without-nulls.ts` removes these nulls. The subset has no schema for any value, so a tool with one is put in
 * quarantine; it can still be sent without `strict`.
 */
import type { JsonSchema } from '../../../model/profile.ts'
import { mapNamed, typesOf, without, type Schema, type SchemaObject } from '../json-schema.ts'
import { checkLimits, type Limits } from '../measure.ts'
import { notesOf, withNotes } from '../notes.ts'
import type { Dialect } from '../simplify.ts'
import { showPlace, Unrepairable, type SchemaLocation, type Work } from '../unrepairable.ts'
import { isPortable } from './patterns.ts'
import { toSimpleRoot } from './simple-root.ts'

/** Throws when the schema cannot be repaired. */
export function toOpenAiStrict(schema: JsonSchema, work: Work): JsonSchema {
  const strict = toSimpleRoot(schema, 'gather', { dialect: STRICT, work })
  checkLimits(strict, LIMITS, 'strict mode')
  return strict
}

const LIMITS: Limits = {
  levels: 10,
  properties: 5000,
  options: 1000,
  longestOptions: 15_000,
  letters: 120_000,
}

const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
])

const STRICT: Dialect = {
  name: 'strict mode',
  keywords: new Set([
    'title',
    'description',
    'enum',
    'pattern',
    'format',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
    'minItems',
    'maxItems',
  ]),
  typeLists: 'split',
  items: 'required',
  finish: (node, at) => (typesOf(node).includes('object') ? close(node, at) : withoutForeign(node)),
}

function withoutForeign(node: SchemaObject): SchemaObject {
  const { pattern, format } = node
  const keepsPattern = pattern === undefined || isPortable(pattern)
  const keepsFormat = format === undefined || (FORMATS.has(format) && typesOf(node).includes('string'))
  const dropped = [...(keepsPattern ? [] : ['pattern']), ...(keepsFormat ? [] : ['format'])]
  if (dropped.length === 0) return node
  return withNotes(without(node, new Set(dropped)), notesOf(dropped, node))
}

function close(node: SchemaObject, at: SchemaLocation): SchemaObject {
  const { properties = {}, required = [], additionalProperties, ...rest } = node
  const names = Object.keys(properties)
  const isInOrder = required.length === names.length && names.every((name, i) => name === required[i])
  const isRoot = at.up === undefined
  const isOpen = additionalProperties !== false && (!isRoot || additionalProperties !== undefined)
  if (names.length === 0 && isOpen) {
    throw new Unrepairable(
      `${showPlace(at)} takes properties of any name, which strict mode has no way to say`,
    )
  }
  return {
    ...rest,
    properties: mapNamed(properties, (child, name) => (required.includes(name) ? child : toNullable(child))),
    required: isInOrder ? required : names,
    additionalProperties: false,
  }
}

/** An optional property may be null in this form, because every property must be present. */
function toNullable(schema: Schema): Schema {
  if (typeof schema === 'boolean' || isNullable(schema)) return schema
  if (schema.anyOf !== undefined) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] }
  if (schema.$ref !== undefined) return { anyOf: [schema, { type: 'null' }] }
  return {
    ...schema,
    type: [...typesOf(schema), 'null'],
    ...(schema.enum === undefined ? {} : { enum: [...schema.enum, null] }),
  }
}

function isNullable(schema: SchemaObject): boolean {
  if (typesOf(schema).includes('null')) return true
  return schema.anyOf?.some((one) => typeof one === 'object' && one.type === 'null') === true
}
