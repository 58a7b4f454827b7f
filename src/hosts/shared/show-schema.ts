/**
 * show-schema: shows the arguments of a tool to a person.
 *
 * in     a schema of a server or of a provider's profile: it may contain anything
 * out    one row for each argument and its parts, with the type in words
 */
import { isObject } from '../../base/is-object.ts'
import type { JsonSchema } from '../../model/profile.ts'

export interface SchemaRow {
  /** 0 for the arguments themselves. */
  readonly depth: number
  readonly name: string
  /** `list of string, required`. */
  readonly type: string
  /** The first line of the description. */
  readonly description: string
}

/** `--json` shows deeper levels. */
const DEEPEST = 5

/** The arguments, then the definitions that they refer to by name. */
export function toSchemaRows(schema: JsonSchema): readonly SchemaRow[] {
  const definitions = ['$defs', 'definitions'].flatMap((keyword) => Object.entries(objectOf(schema[keyword])))
  return [
    ...rowsOf(schema, 0),
    ...definitions.flatMap(([name, definition]) => [
      { depth: 0, name: `${name}:`, type: showType(definition), description: describe(definition) },
      ...rowsOf(definition, 1),
    ]),
  ]
}

/** The rows of an object's fields, of the objects in a list, and of each alternative. */
function rowsOf(schema: unknown, depth: number): readonly SchemaRow[] {
  if (!isObject(schema) || depth > DEEPEST) return []
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const own = Object.entries(objectOf(schema['properties'])).flatMap(([name, property]): SchemaRow[] => [
    {
      depth,
      name,
      type: required.includes(name) ? `${showType(property)}, required` : showType(property),
      description: describe(property),
    },
    ...rowsOf(property, depth + 1),
  ])
  const inner = [schema['items'], ...FORMS.flatMap((keyword) => listOf(schema[keyword]))]
  return [...own, ...inner.flatMap((one) => rowsOf(one, depth))]
}

const FORMS = ['anyOf', 'oneOf', 'allOf']

function objectOf(value: unknown): JsonSchema {
  return isObject(value) ? value : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function describe(schema: unknown): string {
  const description = isObject(schema) ? schema['description'] : undefined
  return typeof description === 'string' ? description.trim().split('\n')[0]! : ''
}

/** More options than this are cut. */
const MOST_OPTIONS = 8

function showType(schema: unknown): string {
  if (!isObject(schema)) return schema === false ? 'nothing' : 'anything'
  const { type, items, format, $ref: ref } = schema
  if (typeof ref === 'string') return ref === '#' ? 'the same again' : ref.slice(ref.lastIndexOf('/') + 1)
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(schema['const'])
  if (Array.isArray(schema['enum'])) return showOptions(schema['enum'])
  const forms = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])]
  if (forms.length > 0) return [...new Set(forms.map(showType))].join(' or ')
  const types = [type].flat().filter((one) => typeof one === 'string')
  const named = types.length > 0 ? types : inferTypes(schema)
  const words = named.map((one) => (one === 'array' ? `list of ${showType(items)}` : one)).join(' or ')
  const nullable = schema['nullable'] === true ? ' or null' : ''
  return `${words || 'anything'}${nullable}${typeof format === 'string' ? ` (${format})` : ''}`
}

function inferTypes(schema: JsonSchema): readonly string[] {
  if (isObject(schema['properties'])) return ['object']
  return Object.hasOwn(schema, 'items') ? ['array'] : []
}

function showOptions(options: readonly unknown[]): string {
  const shown = options.slice(0, MOST_OPTIONS).map((option) => JSON.stringify(option) ?? 'undefined')
  return `${shown.join(' or ')}${options.length > MOST_OPTIONS ? ` or ${options.length - MOST_OPTIONS} more` : ''}`
}
