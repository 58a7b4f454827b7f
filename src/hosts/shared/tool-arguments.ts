/**
 * tool-arguments: converts what the user typed into arguments of the types that a tool wants.
 *
 * in     `key=value` and `key:=json`, the value of `--args`, the tool's schema
 * out    the arguments; a value that fits no other type stays text, and the argument check reports the fault
 */
import { findNearest } from '../../base/edit-distance.ts'
import { isObject } from '../../base/is-object.ts'
import { ProblemError } from '../../problem/problem.ts'
import { badJson, badPair, givenTwice, losesDigits, unknownArgument } from './argument-problems.ts'

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

/** Catches a typing mistake where the schema neither forbids other names nor expects them. */
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
  if (reader.forms.length > 0 && !takesList(reader)) throw new ProblemError(givenTwice(first.key))
  return given.map((pair) => readPair(pair, reader.items()))
}

function readPair({ key, value, kind }: Pair, reader: Reader): unknown {
  return kind === 'text' ? readText(value, reader) : parseJson(value, `\`${key}:=${value}\``)
}

/** Throws `cli/bad-argument`. */
export function parseJson(text: string, where: string): unknown {
  const json = tryJson(text)
  if (json === undefined) throw new ProblemError(badJson(where))
  return json.value
}

/** The facts that a schema gives about one value. */
interface Reader {
  /** In the order of the schema; empty when the schema names none. */
  readonly forms: readonly Form[]
  /** Describes the items, if the value is a list. */
  items(): Reader
}

interface Form {
  readonly type: string
  /** The allowed values, if the schema lists them. */
  readonly values?: readonly unknown[]
}

function createReader(schema: unknown, root: Fields): Reader {
  return {
    forms: formsOf(schema, root, MAX_DEPTH),
    items: () => createReader(itemsOf(schema, root, MAX_DEPTH), root),
  }
}

function takesList({ forms }: Reader): boolean {
  return forms.some(({ type }) => type === 'array')
}

/** The first form that fits the text. Text itself where the schema allows it, and where nothing else fits. */
function readText(text: string, reader: Reader): unknown {
  const { forms } = reader
  if (forms.length === 0) return guess(text)
  const read = forms.map((form) => ({ form, read: READ[form.type]?.(text) }))
  const fits = read.find((one) => one.read !== undefined && isOneOf(one.form, one.read.value))
  // The type fits, but the value is not allowed: the argument check lists the allowed values.
  const found = (fits ?? read.find((one) => one.read !== undefined))?.read
  if (found !== undefined) return found.value
  if (takesList(reader)) return [readText(text, reader.items())]
  if (NUMBER.test(text) && forms.some(({ type }) => type === 'number' || type === 'integer'))
    throw new ProblemError(losesDigits(text))
  return text
}

function isOneOf({ values }: Form, value: unknown): boolean {
  return values === undefined || values.includes(value)
}

interface Read {
  readonly value: unknown
}

const READ: Readonly<Record<string, (text: string) => Read | undefined>> = {
  string: (value) => ({ value }),
  number: readNumber,
  integer: readNumber,
  boolean: (text) => (text === 'true' || text === 'false' ? { value: text === 'true' } : undefined),
  null: (text) => (text === 'null' ? { value: null } : undefined),
  object: (text) => (/^\s*\{/.test(text) ? tryJson(text) : undefined),
  array: (text) => (/^\s*\[/.test(text) ? tryJson(text) : undefined),
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function readNumber(text: string): Read | undefined {
  return NUMBER.test(text) && isExact(text) ? { value: Number(text) } : undefined
}

/** Whether sending keeps the number unchanged: a long id would become another number, and `1e999` would become null. */
function isExact(text: string): boolean {
  const value = Number(text)
  if (!Number.isFinite(value)) return false
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(text) || BigInt(text) === BigInt(value)
}

function guess(text: string): unknown {
  if (NUMBER.test(text)) return readNumber(text)?.value ?? text
  const json = /^(?:true|false|null|\s*[[{].*)$/s.test(text) ? tryJson(text) : undefined
  return json === undefined ? text : json.value
}

/** Throws `cli/bad-argument` for numbers that sending would change. */
function tryJson(text: string): Read | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined // the caller reports it, or takes it as text
  }
  const numbers = text.replace(/"(?:\\.|[^"\\])*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? []
  const changed = numbers.find((number) => !isExact(number))
  if (changed !== undefined) throw new ProblemError(losesDigits(changed))
  return { value }
}

/** References may form a cycle. */
const MAX_DEPTH = 10

function formsOf(schema: unknown, root: Fields, depth: number): readonly Form[] {
  if (!isObject(schema) || depth === 0) return []
  const { type, const: value, $ref: reference } = schema
  if (typeof reference === 'string') return formsOf(findPart(root, reference), root, depth - 1)
  const values = Array.isArray(schema['enum'])
    ? (schema['enum'] as unknown[])
    : value === undefined
      ? undefined
      : [value]
  const types = typeof type === 'string' ? [type] : Array.isArray(type) ? type : values?.map(typeOf)
  if (types === undefined) return partsOf(schema).flatMap((part) => formsOf(part, root, depth - 1))
  return [...new Set<unknown>(types)]
    .filter((one) => typeof one === 'string')
    .map((one) => ({ type: one, ...(values === undefined ? {} : { values }) }))
}

function itemsOf(schema: unknown, root: Fields, depth: number): unknown {
  if (!isObject(schema) || depth === 0) return undefined
  const { items, $ref: reference } = schema
  if (typeof reference === 'string') return itemsOf(findPart(root, reference), root, depth - 1)
  if (items !== undefined) return items
  return partsOf(schema)
    .map((part) => itemsOf(part, root, depth - 1))
    .find((one) => one !== undefined)
}

function partsOf({ anyOf, oneOf, allOf }: Fields): readonly unknown[] {
  return [anyOf, oneOf, allOf].flatMap((parts) => (Array.isArray(parts) ? (parts as unknown[]) : []))
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
