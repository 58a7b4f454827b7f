/**
 * gemini: the `Schema` of its API, a subset of OpenAPI 3.0: one type each, `nullable`, no references.
 *
 * Types stay in lower case. Google's own package changes them when it sends them, and endpoints compatible with OpenAI
 * need lower case.
 */
import type { JsonSchema } from '../../../model/profile.ts'
import { typesOf, without, type SchemaObject } from '../json-schema.ts'
import { withNote } from '../notes.ts'
import type { Dialect } from '../simplify.ts'
import type { Work } from '../unrepairable.ts'
import { toSimpleRoot } from './simple-root.ts'

/** Throws when the schema cannot be repaired. */
export function toGemini(schema: JsonSchema, work: Work): JsonSchema {
  return toSimpleRoot(schema, 'inline', { dialect: GEMINI, work })
}

const GEMINI: Dialect = {
  name: 'gemini',
  keywords: new Set([
    'title',
    'description',
    'default',
    'enum',
    'format',
    'pattern',
    'minLength',
    'maxLength',
    'minimum',
    'maximum',
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
  ]),
  any: {
    anyOf: [
      { type: 'string' },
      { type: 'number' },
      { type: 'boolean' },
      { type: 'object', properties: {} },
      { type: 'array', items: { type: 'string' } },
    ],
  },
  typeLists: 'split',
  items: 'required',
  finish: (node) => (node.anyOf === undefined ? finishTyped(node) : finishUnion(node)),
}

function finishTyped(node: SchemaObject): SchemaObject {
  const types = typesOf(node)
  const type = types.find((one) => one !== 'null')
  if (type === undefined) return ONLY_NULL
  const one = types.length === 1 ? node : { ...node, type }
  const fitting = withFormats(withOptions(type === 'object' ? withProperties(one) : one))
  return types.includes('null') ? { ...fitting, nullable: true } : fitting
}

/** The dialect has no type for null alone. Among alternatives, the identity of this object marks it. */
const ONLY_NULL: SchemaObject = { type: 'string', nullable: true, description: 'always null' }

const ENUM: ReadonlySet<string> = new Set(['enum'])

function withProperties(node: SchemaObject): SchemaObject {
  const noted = withNote(without(node, ADDITIONAL), 'additionalProperties', node.additionalProperties)
  return noted.properties === undefined ? { ...noted, properties: {} } : noted
}

const ADDITIONAL: ReadonlySet<string> = new Set(['additionalProperties'])

/** Options must be texts that are not empty. */
function withOptions(node: SchemaObject): SchemaObject {
  const { enum: options } = node
  if (options === undefined) return node
  const texts = options.filter((option) => typeof option === 'string' && option !== '')
  if (node.type === 'string' && texts.length === options.length) return node
  if (node.type === 'string' && texts.length > 0) return { ...node, enum: texts }
  return withNote(without(node, ENUM), 'enum', options)
}

function withFormats(node: SchemaObject): SchemaObject {
  const { format, ...rest } = node
  if (format === undefined || FORMATS[String(node.type)]?.includes(format) === true) return node
  return withNote(rest, 'format', format)
}

const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ['enum', 'date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
}

/** No keyword may stand beside `anyOf`, so each alternative repeats the description and `nullable`. */
function finishUnion({ anyOf = [], title, description }: SchemaObject): SchemaObject {
  const forms = (anyOf as readonly SchemaObject[]).filter((form) => form !== ONLY_NULL)
  const isNullable = forms.length < anyOf.length
  const told = forms.map((form): SchemaObject => ({
    ...form,
    ...(title === undefined || form.title !== undefined ? {} : { title }),
    ...(description === undefined || form.description !== undefined ? {} : { description }),
    ...(isNullable ? { nullable: true } : {}),
  }))
  if (told.length > 1) return { anyOf: told }
  return { ...(told[0] ?? ONLY_NULL), ...(description === undefined ? {} : { description }) }
}
