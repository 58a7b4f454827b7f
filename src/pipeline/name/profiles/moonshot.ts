/**
 * moonshot: "Moonshot flavored JSON Schema", as its validator (walle) checks it. Every schema has a type. Beside
 * alternatives and references, only descriptions may stand. References lead only to `$defs` at the root. Recursion must
 * end.
 */
import type { JsonSchema } from '../../../model/profile.ts'
import { typesOf, without, type Schema, type SchemaObject } from '../json-schema.ts'
import { checkLimits, type Limits } from '../measure.ts'
import { notesOf, withNote, withNotes } from '../notes.ts'
import type { Dialect } from '../simplify.ts'
import { showPlace, Unrepairable, type SchemaLocation, type Work } from '../unrepairable.ts'
import { toSimpleRoot } from './simple-root.ts'

/** Throws when the schema cannot be repaired. */
export function toMoonshot(schema: JsonSchema, work: Work): JsonSchema {
  const simple = toSimpleRoot(schema, 'gather', { dialect: MOONSHOT, work })
  checkEnds(simple)
  checkLimits(simple, LIMITS, 'moonshot')
  if (JSON.stringify(simple).length > MOST_LETTERS)
    throw new Unrepairable('its schema is too long for moonshot')
  return simple
}

const LIMITS: Limits = {
  levels: 30,
  properties: 3000,
  mostOptions: 1000,
  longestOptions: 7500,
  mostAlternatives: 500,
}

const MOST_LETTERS = 120_000

const MOONSHOT: Dialect = {
  name: 'moonshot',
  keywords: new Set([
    'title',
    'description',
    'default',
    'enum',
    'additionalProperties',
    'minLength',
    'maxLength',
    'minimum',
    'maximum',
    'minItems',
    'maxItems',
  ]),
  any: { type: ['string', 'number', 'boolean', 'object', 'array', 'null'] },
  typeLists: 'taken',
  items: 'optional',
  finish: (node, at) => {
    if (node.anyOf !== undefined) return node
    checkNames(node, at)
    return withOneType(withBounds(withDefault(node)))
  },
}

/** The validator mistakes properties with these names for keywords. */
const RESERVED: readonly string[] = ['$defs', '$ref', 'anyOf', 'required', 'additionalProperties']

function checkNames({ properties }: SchemaObject, at: SchemaLocation): void {
  const isBad = (name: string): boolean =>
    RESERVED.includes(name) || (name.includes('/') && isInDefinition(at))
  const bad = Object.keys(properties ?? {}).find(isBad)
  if (bad === undefined) return
  throw new Unrepairable(`moonshot does not take the name of ${showPlace({ up: at, step: bad })}`)
}

/** Places where the validator mistakes a `/` for the end of a name. */
function isInDefinition(at: SchemaLocation): boolean {
  const isDefinitions = at.step === '$defs' && at.up?.up === undefined
  return isDefinitions || (at.up !== undefined && isInDefinition(at.up))
}

/** Keeps only a plain default of the declared type. */
function withDefault(node: SchemaObject): SchemaObject {
  if (!Object.hasOwn(node, 'default')) return node
  const { default: value, ...rest } = node
  const isPlain = typesOf(node).length === 1 && (typeof value !== 'number' || isWritable(value))
  const [type] = typesOf(node)
  const isOfType = type === 'integer' ? Number.isInteger(value) : type === typeof value && type !== 'object'
  if (isPlain && isOfType) return node
  return withNote(rest, 'default', value)
}

/** Whether JSON writes it without an exponent. */
function isWritable(value: number): boolean {
  return !String(value).includes('e')
}

const BOUNDS: readonly (readonly [string, string])[] = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
]

/** Keeps whole numbers from zero on, with the lower bound below the upper. */
function withBounds(node: SchemaObject): SchemaObject {
  const dropped = BOUNDS.flatMap(([low, high]) => {
    const bad = [low, high].filter((keyword) => node[keyword] !== undefined && !isBound(node[keyword]))
    return Number(node[low]) > Number(node[high]) ? [low, high] : bad
  })
  if (dropped.length === 0) return node
  return withNotes(without(node, new Set(dropped)), notesOf(dropped, node))
}

function isBound(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

const WORDS: ReadonlySet<string> = new Set(['title', 'description'])
const WORDS_AND_TYPE: ReadonlySet<string> = new Set([...WORDS, 'type'])

/** A type with its own rules, or null, becomes two alternatives. An option must be a text or a number. */
function withOneType(node: SchemaObject): SchemaObject {
  const types = typesOf(node)
  const one = withOptions(node)
  if (types.length < 2 || Object.keys(one).every((keyword) => WORDS_AND_TYPE.has(keyword))) return one
  const [type] = types.filter((each) => each !== 'null')
  const { title, description } = one
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    anyOf: [{ ...without(one, WORDS), type: type! }, { type: 'null' }],
  }
}

function withOptions(node: SchemaObject): SchemaObject {
  const { enum: options, ...rest } = node
  if (options === undefined) return node
  const kept = options.filter(
    (option) => typeof option === 'string' || (typeof option === 'number' && isWritable(option)),
  )
  if (kept.length === options.length) return node
  if (kept.length > 0) return { ...node, enum: kept }
  return withNote(rest, 'enum', options)
}

/** Throws for a schema that only an infinite value could satisfy. */
function checkEnds(root: SchemaObject): void {
  const { $defs = {} } = root
  const ending = new Set<string>()
  const ends = (schema: Schema): boolean => {
    if (typeof schema === 'boolean') return true
    const { $ref, anyOf, properties = {}, required = [], items } = schema
    if ($ref !== undefined) return ending.has($ref)
    if (anyOf !== undefined) return anyOf.some(ends)
    if (items !== undefined && Number(schema['minItems'] ?? 0) > 0 && !ends(items)) return false
    return required.every((name) => ends(properties[name]!))
  }
  // Each round finds more schemas that end, until no new one is found.
  for (let before = -1; before < ending.size;) {
    before = ending.size
    for (const name of Object.keys($defs)) if (ends($defs[name]!)) ending.add(`#/$defs/${name}`)
    if (ends(root)) ending.add('#')
  }
  const endless = Object.keys($defs).find((name) => !ending.has(`#/$defs/${name}`))
  if (endless !== undefined || !ending.has('#')) {
    throw new Unrepairable('its schema refers to itself without end')
  }
}
