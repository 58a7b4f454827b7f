/**
 * notes: puts keywords that a provider's schema lacks into the description, where the model can read them.
 */
import type { SchemaObject } from './json-schema.ts'

/** Keywords that help a model to fill in a value. The others are for programs. */
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

/** A longer value is left out. */
const LONGEST = 200

/** `minLength: 3`. Undefined when it does not help, or is too long. */
export function toNote(keyword: string, value: unknown): string | undefined {
  const isSwitch = typeof value === 'boolean' && keyword !== 'default'
  if (!WORTH_TELLING.has(keyword) || value === undefined || isSwitch) return undefined
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === undefined || text === '{}' || text.length > LONGEST ? undefined : `${keyword}: ${text}`
}

/** The notes for those of the keywords that help. */
export function notesOf(keywords: readonly string[], node: SchemaObject): readonly string[] {
  return keywords.map((keyword) => toNote(keyword, node[keyword])).filter((note) => note !== undefined)
}

/** Adds the note to the description, or nothing when it does not help. */
export function withNote(schema: SchemaObject, keyword: string, value: unknown): SchemaObject {
  const note = toNote(keyword, value)
  return note === undefined ? schema : withNotes(schema, [note])
}

/** Adds the notes to the end of the schema's description. */
export function withNotes(schema: SchemaObject, notes: readonly string[]): SchemaObject {
  if (notes.length === 0) return schema
  const note = `(${notes.join('; ')})`
  const { description } = schema
  return {
    ...schema,
    description: description === undefined || description === '' ? note : `${description}\n${note}`,
  }
}
