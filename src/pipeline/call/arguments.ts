/**
 * arguments: finds the faults of a call's arguments against the tool's schema, in words that help a model.
 *
 * in     the schema as the server sent it, of any draft, perhaps with mistakes, and the arguments
 * out    the faults for which a call is refused; or, once the server has failed, everything found
 * never  refuses what a server may accept; fetches a schema; runs its patterns; follows it without end
 *
 * Certain faults are: no object, a missing required property without a default, and a value that contradicts a plain
 * `type` or `enum`. A fault in a combinator, or behind a reference to another document, is not certain.
 */
import { isObject } from '../../base/is-object.ts'
import { stripControls } from '../../base/strip-controls.ts'
import { defaultOf, findPart, own, type Schema } from './schema-parts.ts'
import * as say from './say-fault.ts'

const MAX_FAULTS = 10
const MAX_LENGTH = 300
const MAX_FINDINGS = 1000
/** A schema that refers to itself would otherwise be followed without end. */
const MAX_DEPTH = 100
const MAX_STEPS = 20_000

/** Empty: the call is sent. */
export function findFaults(schema: Schema, args: unknown): readonly string[] {
  if (!isObject(args)) return ['the arguments must be an object']
  const sent = toSent(args)
  if (sent === undefined) return ['the arguments cannot be written as JSON']
  const isCertain = examine(schema, sent, 'certain').length > 0
  return isCertain ? toSentences(examine(schema, sent, 'all')) : []
}

/** All faults, for a call that the server refused. */
export function findDoubts(schema: Schema, args: Schema): readonly string[] {
  const sent = toSent(args)
  return sent === undefined ? [] : toSentences(examine(schema, sent, 'all'))
}

/** The value after JSON: undefined members are gone, and dates are text. */
function toSent(args: Schema): Schema | undefined {
  if (Object.values(args).every(isJsonScalar)) return args
  try {
    return JSON.parse(JSON.stringify(args)) as Schema
  } catch {
    return undefined // a circular object, a BigInt, or endless depth
  }
}

function isJsonScalar(value: unknown): boolean {
  return (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value))
  )
}

interface Finding {
  readonly isCertain: boolean
  /** Built only when it is shown: most uncertain findings never are. */
  readonly text: () => string
}

function toSentences(findings: readonly Finding[]): readonly string[] {
  const certainFirst = [...findings].sort((a, b) => Number(b.isCertain) - Number(a.isCertain))
  const all = [...new Set(certainFirst.map(({ text }) => say.cut(stripControls(text()), MAX_LENGTH)))]
  if (all.length <= MAX_FAULTS) return all
  return [...all.slice(0, MAX_FAULTS), `and ${all.length - MAX_FAULTS} more`]
}

interface Examination {
  readonly root: Schema
  readonly extent: 'certain' | 'all'
  readonly findings: Finding[]
  /** Shared by all checks of one call. When no step is left, the search ends. */
  readonly steps: { left: number }
}

/** A value of the arguments, and its schema. */
interface ArgumentLocation {
  readonly schema: unknown
  readonly value: unknown
  readonly path: readonly string[]
  /** The number of schemas around it: combinators do not make the path longer. */
  readonly depth: number
  /** Whether this part of the schema must hold in every case. */
  readonly isCertain: boolean
}

function examine(root: Schema, args: Schema, extent: Examination['extent']): readonly Finding[] {
  const examination: Examination = { root, extent, findings: [], steps: { left: MAX_STEPS } }
  visit(examination, { schema: root, value: args, path: [], depth: 0, isCertain: true })
  return examination.findings
}

function visit(examination: Examination, place: ArgumentLocation): void {
  const { root, extent, steps } = examination
  const { value, path } = place
  if (place.depth > MAX_DEPTH || isOver(examination)) return
  steps.left -= 1
  if (place.schema === false) doubt(examination, () => `${say.path(path)} is not allowed`)
  const schema = resolve(root, place.schema)
  if (schema === undefined || (value === null && schema['nullable'] === true)) return
  const isPlain = !COMBINATORS.some((key) => schema[key] !== undefined)
  const misfit = findMisfit(schema, value)
  if (misfit !== undefined)
    return add(examination, place.isCertain && isPlain, () => `${say.path(path)} must be ${misfit()}`)
  if (isObject(value)) visitObject(examination, { ...place, schema, value, isPlain })
  if (Array.isArray(value)) visitItems(examination, { ...place, schema, value })
  if (extent === 'certain') return
  for (const limit of say.limits(schema, value)) doubt(examination, () => `${say.path(path)} ${limit}`)
  visitCombinators(examination, { ...place, schema })
}

/** One certain fault is enough for a refusal. */
function isOver({ extent, findings, steps }: Examination): boolean {
  return steps.left <= 0 || findings.length >= (extent === 'certain' ? 1 : MAX_FINDINGS)
}

function add({ extent, findings }: Examination, isCertain: boolean, text: Finding['text']): void {
  if (isCertain || extent === 'all') findings.push({ isCertain, text })
}

function doubt(examination: Examination, text: Finding['text']): void {
  add(examination, false, text)
}

/** Whether a schema in these must hold depends on the other schemas. */
const COMBINATORS = ['anyOf', 'oneOf', 'allOf', 'not', 'if'] as const

/** The schema behind its references. Undefined: it says nothing, or nothing that can be found here. */
function resolve(root: Schema, schema: unknown): Schema | undefined {
  let found = schema
  for (let hops = 0; hops < MAX_DEPTH; hops++) {
    if (!isObject(found)) return undefined
    if (found['$dynamicRef'] !== undefined || found['$recursiveRef'] !== undefined) return undefined
    // A schema with its own address: references in it are relative to that address.
    if (found !== root && (found['$id'] ?? found['id']) !== undefined) return undefined
    const reference = found['$ref']
    if (reference === undefined) return found
    found = findPart(root, reference)
  }
  return undefined // circular references
}

const TESTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  array: Array.isArray,
  object: isObject,
  null: (value) => value === null,
}

/** Describes how the value contradicts `type` and `enum`. An unknown type (`int`, `any`) says nothing. */
function findMisfit({ type, enum: values }: Schema, value: unknown): (() => string) | undefined {
  const types: readonly unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type]
  const isKnown = types.every((one) => typeof one === 'string' && Object.hasOwn(TESTS, one))
  const fits = types.filter((one) => isKnown && TESTS[one as string]!(value))
  if (types.length > 0 && isKnown && fits.length === 0)
    return () => `${say.types(types as string[])}, but ${say.is(value)}`
  // Schema generators add `null` to the types, and forget it in the `enum`.
  if (value === null && fits.includes('null')) return undefined
  const isPlainEnum = Array.isArray(values) && values.length > 0 && !values.some(isComposite)
  if (!isPlainEnum || values.includes(value)) return undefined
  return () => `${say.oneOf(values)}, but ${say.is(value)}${say.nearest(value, values)}`
}

function isComposite(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

interface ObjectPlace extends ArgumentLocation {
  readonly schema: Schema
  readonly value: Schema
  readonly isPlain: boolean
}

function visitObject(examination: Examination, place: ObjectPlace): void {
  const { schema, value, path, isCertain } = place
  const depth = place.depth + 1
  visitMissing(examination, place)
  const { additionalProperties: others, patternProperties } = schema
  for (const [key, inner] of Object.entries(value)) {
    if (isOver(examination)) return
    const property = own(schema['properties'], key)
    if (property !== undefined) {
      visit(examination, { schema: property, value: inner, path: [...path, key], depth, isCertain })
    } else if (patternProperties === undefined && others === false) {
      const known = isObject(schema['properties']) ? Object.keys(schema['properties']) : []
      doubt(examination, () => `${say.path([...path, key])} is not known${say.known(key, known)}`)
    } else if (patternProperties === undefined) {
      visit(examination, { schema: others, value: inner, path: [...path, key], depth, isCertain })
    }
  }
}

function visitMissing(examination: Examination, place: ObjectPlace): void {
  const { schema, value, path, isCertain, isPlain } = place
  const { required } = schema
  if (!Array.isArray(required)) return
  for (const key of required) {
    if (isOver(examination)) return
    if (typeof key !== 'string' || Object.hasOwn(value, key)) continue
    const property = own(schema['properties'], key)
    const fallback = defaultOf(examination.root, property)
    // The other parts of a combination may describe it, and give it a default.
    const isMissed = fallback.kind === 'none' && (property !== undefined || isPlain)
    add(examination, isCertain && isMissed, () => {
      const strangers = Object.keys(value).filter((one) => own(schema['properties'], one) === undefined)
      const about = { expected: sayExpected(examination.root, property), fallback, strangers }
      return `${say.path([...path, key])} ${say.missing(key, about)}`
    })
  }
}

/** `text`, `one of "a", "b"`; empty when every value is allowed. */
function sayExpected(root: Schema, schema: unknown): string {
  const { type, enum: values, const: value, anyOf, oneOf } = resolve(root, schema) ?? {}
  if (Array.isArray(values)) return say.oneOf(values)
  if (value !== undefined) return say.quote(value)
  if (type !== undefined) return say.types(Array.isArray(type) ? type.map(String) : [String(type)])
  const forms = anyOf ?? oneOf
  return Array.isArray(forms) ? say.forms(forms.map((form) => sayFlat(root, form))) : ''
}

/** Without the alternatives of an alternative. */
function sayFlat(root: Schema, schema: unknown): string {
  const { anyOf: _, oneOf: __, ...flat } = resolve(root, schema) ?? {}
  return sayExpected(root, flat)
}

/** A list of schemas describes the positions of the list. */
function visitItems(
  examination: Examination,
  {
    schema,
    value,
    path,
    depth,
    isCertain,
  }: ArgumentLocation & {
    readonly schema: Schema
    readonly value: readonly unknown[]
  },
): void {
  const { items, prefixItems } = schema
  if (!isObject(items) || prefixItems !== undefined) return
  for (const [i, inner] of value.entries()) {
    if (isOver(examination)) return
    visit(examination, {
      schema: items,
      value: inner,
      path: [...path, String(i)],
      depth: depth + 1,
      isCertain,
    })
  }
}

/**
 * All schemas of one combinator must hold, one of another. Faults found here are worth reporting, but no reason to
 * refuse.
 */
function visitCombinators(
  examination: Examination,
  place: ArgumentLocation & { readonly schema: Schema },
): void {
  const { schema, value, path } = place
  const depth = place.depth + 1
  const { allOf, anyOf, oneOf } = schema
  if (Array.isArray(allOf))
    for (const one of allOf as readonly unknown[])
      visit(examination, { schema: one, value, path, depth, isCertain: false })
  for (const forms of [anyOf, oneOf]) {
    if (!Array.isArray(forms) || forms.length === 0) continue
    const fits = (form: unknown): boolean => {
      const inner: Examination = { ...examination, extent: 'certain', findings: [] }
      visit(inner, { schema: form, value, path, depth, isCertain: true })
      return inner.findings.length === 0
    }
    if (forms.some(fits)) continue
    doubt(examination, () => {
      const expected = sayExpected(examination.root, { anyOf: forms })
      return `${say.path(path)} must be ${expected}, but ${say.is(value)}`
    })
  }
}
