/**
 * tool-arguments: what a person typed → arguments of the types that a tool wants.
 *
 * in     `key=value` and `key:=json`, what `--args` gave, the tool's schema
 * out    the arguments; a value that can be no other than text stays text, and the check of arguments says what is wrong
 */
import { findNearest } from '../../base/edit-distance.ts'
import { isObject } from '../../base/is-object.ts'
import { ProblemError } from '../../problem/problem.ts'
import { badJson, badPair, givenTwice, unknownArgument } from './problems.ts'

type Fields = Readonly<Record<string, unknown>>

export interface Pair {
  readonly key: string
  readonly value: string
  /** `json` for `key:=…`. */
  readonly kind: 'text' | 'json'
}

/** Throws `cli/bad-argument`. */
export function parsePair(given: string): Pair {
  const at = given.indexOf('=')
  if (at < 1) throw new ProblemError(badPair(given))
  const isJson = given[at - 1] === ':' && at > 1
  return {
    key: given.slice(0, isJson ? at - 1 : at),
    value: given.slice(at + 1),
    kind: isJson ? 'json' : 'text',
  }
}

/** Throws `cli/bad-argument`, `cli/unknown-argument`. */
export function toArguments(
  pairs: readonly Pair[],
  base: Fields,
  { tool, inputSchema }: { readonly tool: string; readonly inputSchema: Fields },
): Fields {
  const byKey = new Map<string, Pair[]>()
  for (const pair of pairs) byKey.set(pair.key, [...(byKey.get(pair.key) ?? []), pair])
  const properties = isObject(inputSchema['properties']) ? inputSchema['properties'] : {}
  const typed = [...byKey].map(([key, given]) => {
    requireKnown(key, { tool, inputSchema, known: Object.keys(properties) })
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined
    return [key, toValue(given, createReader(schema, inputSchema))] as const
  })
  return Object.fromEntries([...Object.entries(base), ...typed])
}

/** A slip of the fingers, where the schema does not forbid other names but does not expect them either. */
function requireKnown(
  key: string,
  {
    tool,
    inputSchema,
    known,
  }: { readonly tool: string; readonly inputSchema: Fields; readonly known: string[] },
): void {
  const { additionalProperties, patternProperties } = inputSchema
  const expectsOthers =
    patternProperties !== undefined || additionalProperties === true || isObject(additionalProperties)
  if (expectsOthers || known.includes(key) || findNearest(key, known) === undefined) return
  throw new ProblemError(unknownArgument(key, tool, known))
}

function toValue(given: readonly Pair[], reader: Reader): unknown {
  const [first] = given as [Pair]
  if (given.length === 1) return readPair(first, reader)
  if (reader.types.length > 0 && !reader.types.includes('array'))
    throw new ProblemError(givenTwice(first.key))
  return given.map((pair) => readPair(pair, reader.items()))
}

function readPair({ key, value, kind }: Pair, reader: Reader): unknown {
  if (kind === 'text') return readText(value, reader)
  const json = tryJson(value)
  if (json === undefined) throw new ProblemError(badJson(`\`${key}:=${value}\``))
  return json.value
}

/** What a schema says of one value. */
interface Reader {
  /** In the order of the schema; none when it says nothing. */
  readonly types: readonly string[]
  /** Of the items, where it is a list. */
  items(): Reader
}

function createReader(schema: unknown, root: Fields): Reader {
  return {
    types: [...new Set(typesOf(schema, root, MAX_DEPTH))],
    items: () => createReader(itemsOf(schema, root, MAX_DEPTH), root),
  }
}

/** The first type that the text can be; text itself where it may be, and where nothing else fits. */
function readText(text: string, reader: Reader): unknown {
  if (reader.types.length === 0) return guess(text)
  for (const type of reader.types) {
    const read = READ[type]?.(text)
    if (read !== undefined) return read.value
  }
  return reader.types.includes('array') ? [readText(text, reader.items())] : text
}

interface Read {
  readonly value: unknown
}

const READ: Readonly<Record<string, (text: string) => Read | undefined>> = {
  string: (value) => ({ value }),
  number: (text) => (NUMBER.test(text) ? { value: Number(text) } : undefined),
  integer: (text) => (NUMBER.test(text) ? { value: Number(text) } : undefined),
  boolean: (text) => (text === 'true' || text === 'false' ? { value: text === 'true' } : undefined),
  null: (text) => (text === 'null' ? { value: null } : undefined),
  object: (text) => (/^\s*\{/.test(text) ? tryJson(text) : undefined),
  array: (text) => (/^\s*\[/.test(text) ? tryJson(text) : undefined),
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function guess(text: string): unknown {
  const isJson = NUMBER.test(text) || /^(?:true|false|null|\s*[[{].*)$/s.test(text)
  const json = isJson ? tryJson(text) : undefined
  return json === undefined ? text : json.value
}

function tryJson(text: string): Read | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

/** References may lead in a circle. */
const MAX_DEPTH = 10

function typesOf(schema: unknown, root: Fields, depth: number): readonly string[] {
  if (!isObject(schema) || depth === 0) return []
  const { type, enum: values, const: value, $ref: reference } = schema
  if (typeof reference === 'string') return typesOf(findPart(root, reference), root, depth - 1)
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string')
  if (Array.isArray(values)) return values.map(typeOf)
  if (value !== undefined) return [typeOf(value)]
  return formsOf(schema).flatMap((form) => typesOf(form, root, depth - 1))
}

function itemsOf(schema: unknown, root: Fields, depth: number): unknown {
  if (!isObject(schema) || depth === 0) return undefined
  const { items, $ref: reference } = schema
  if (typeof reference === 'string') return itemsOf(findPart(root, reference), root, depth - 1)
  if (items !== undefined) return items
  return formsOf(schema)
    .map((form) => itemsOf(form, root, depth - 1))
    .find((one) => one !== undefined)
}

function formsOf({ anyOf, oneOf, allOf }: Fields): readonly unknown[] {
  return [anyOf, oneOf, allOf].flatMap((forms) => (Array.isArray(forms) ? (forms as unknown[]) : []))
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** `#/$defs/page`. */
function findPart(root: Fields, reference: string): unknown {
  let part: unknown = root
  for (const step of reference.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    part = isObject(part) && Object.hasOwn(part, key) ? part[key] : undefined
  }
  return reference.startsWith('#') ? part : undefined
}
