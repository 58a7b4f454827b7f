/**
 * notes: what a provider's schema cannot say, said in its description, where the model can read it.
 */
import type { SchemaObject } from './json-schema.ts'

/** Keywords that help whoever fills in a value. Others are for programs. */
const WORTH_TELLING: ReadonlySet<string> = new Set([
  'default',
  'enum',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'additionalProperties',
])

/** Longest value that is told. */
const LONGEST = 200

/** `minLength: 3`. Undefined when it is not worth telling, or too long to. */
export function toNote(keyword: string, value: unknown): string | undefined {
  const isSwitch = typeof value === 'boolean' && keyword !== 'default'
  if (!WORTH_TELLING.has(keyword) || value === undefined || isSwitch) return undefined
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === undefined || text === '{}' || text.length > LONGEST ? undefined : `${keyword}: ${text}`
}

/** Of some keywords of a schema, those that are worth telling. */
export function notesOf(keywords: readonly string[], node: SchemaObject): readonly string[] {
  return keywords.map((keyword) => toNote(keyword, node[keyword])).filter((note) => note !== undefined)
}

/** Told in the description; nothing when it is not worth telling. */
export function withNote(schema: SchemaObject, keyword: string, value: unknown): SchemaObject {
  const note = toNote(keyword, value)
  return note === undefined ? schema : withNotes(schema, [note])
}

/** The schema with the notes behind its description. */
export function withNotes(schema: SchemaObject, notes: readonly string[]): SchemaObject {
  if (notes.length === 0) return schema
  const note = `(${notes.join('; ')})`
  const { description } = schema
  return {
    ...schema,
    description: description === undefined || description === '' ? note : `${description}\n${note}`,
  }
}
