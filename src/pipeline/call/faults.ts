/**
 * faults: what a validator found → sentences that say which argument, what is wrong, and what is expected.
 *
 * in     the findings, the schema they are about, the arguments
 * out    at most ten sentences of bounded length; of a choice between several forms, the one that was most likely meant
 * never  repeats a long value
 */
import { findNearest } from '../../base/edit-distance.ts'
import { isObject } from '../../base/is-object.ts'
import { stripControls } from '../../base/strip-controls.ts'
import type { Schema } from './checkable.ts'

export interface Finding {
  readonly keyword: string
  /** `#/properties/title/type`, through references. */
  readonly keywordLocation: string
  /** `#/title`. */
  readonly instanceLocation: string
}

export interface About {
  readonly schema: Schema
  readonly lookup: Readonly<Record<string, unknown>>
  readonly instance: Schema
}

const MAX_FAULTS = 10
const MAX_LENGTH = 300

export function toFaults(findings: readonly Finding[], about: About): readonly string[] {
  const faults = new Set<string>()
  for (const finding of withoutChoices(mendPlaces(findings))) {
    for (const fault of sayFault(finding, about)) faults.add(cut(stripControls(fault), MAX_LENGTH))
  }
  const all = faults.size > 0 ? [...faults] : ['the arguments do not fit the schema of the tool']
  if (all.length <= MAX_FAULTS) return all
  return [...all.slice(0, MAX_FAULTS), `and ${all.length - MAX_FAULTS} more`]
}

/** The validator gives what nothing fits (`false`) the place of the argument, where it should be that of the schema. */
function mendPlaces(findings: readonly Finding[]): readonly Finding[] {
  return findings.flatMap((finding, i) => {
    if (finding.keyword !== 'false') return [finding]
    const above = findings[i - 1]
    // Whoever forbids all others says which.
    if (above === undefined || FORBIDS_OTHERS.has(above.keyword)) return []
    return [{ ...finding, keywordLocation: `${above.keywordLocation}/false` }]
  })
}

const FORBIDS_OTHERS = new Set(['additionalProperties', 'unevaluatedProperties'])

/** Findings that only say that there are others below. */
const ABOVE = new Set([
  '$ref',
  'allOf',
  'properties',
  'patternProperties',
  'items',
  'prefixItems',
  'if',
  'dependentSchemas',
  'additionalItems',
  'unevaluatedItems',
])

/** Of each choice (`anyOf`, `oneOf`): the findings of the one form that was meant, or else the choice itself. */
function withoutChoices(findings: readonly Finding[]): readonly Finding[] {
  const kept: Finding[] = []
  for (let i = 0; i < findings.length; i++) {
    const finding = findings[i]!
    if (finding.keyword !== 'anyOf' && finding.keyword !== 'oneOf') {
      if (!ABOVE.has(finding.keyword)) kept.push(finding)
      continue
    }
    const prefix = `${finding.keywordLocation}/`
    const end = findings.findIndex((one, at) => at > i && !one.keywordLocation.startsWith(prefix))
    const below = findings.slice(i + 1, end === -1 ? findings.length : end)
    const meant = findMeant(below, finding)
    kept.push(...(meant === undefined ? [finding] : withoutChoices(meant)))
    i += below.length
  }
  return kept
}

/** The only form whose type, and whose fixed values, are those of what was given. */
function findMeant(below: readonly Finding[], choice: Finding): readonly Finding[] | undefined {
  const forms = new Map<string, Finding[]>()
  const length = choice.keywordLocation.length + 1
  for (const finding of below) {
    const form = finding.keywordLocation.slice(length).split('/')[0]!
    forms.set(form, [...(forms.get(form) ?? []), finding])
  }
  const depth = depthOf(choice.instanceLocation)
  const likely = [...forms.values()].filter(
    (findings) =>
      !findings.some(
        ({ keyword, instanceLocation }) =>
          (keyword === 'type' && instanceLocation === choice.instanceLocation) ||
          ((keyword === 'const' || keyword === 'enum') && depthOf(instanceLocation) <= depth + 1),
      ),
  )
  return likely.length === 1 ? likely[0] : undefined
}

function depthOf(location: string): number {
  return location.split('/').length
}

function sayFault({ keyword, keywordLocation, instanceLocation }: Finding, about: About): readonly string[] {
  const steps = toSteps(instanceLocation)
  const name = sayPath(steps)
  const value = valueAt(about.instance, steps)
  const schema = schemaAt(parentOf(keywordLocation), about)
  const limit = schema[keyword]
  const must = (what: string): readonly string[] => [`${name} must ${what}, but ${sayIs(value)}`]
  switch (keyword) {
    case 'type':
      return must(`be ${sayTypes(limit)}`)
    case 'required':
      return sayMissing(schema, value, { steps, about })
    case 'enum':
      return [
        `${name} must be ${sayOneOf(limit as readonly unknown[])}, but ${sayIs(value)}${sayNearest(value, limit)}`,
      ]
    case 'const':
      return must(`be ${quote(limit)}`)
    case 'anyOf':
    case 'oneOf':
      return must(`be ${sayForms(limit, about)}`)
    case 'false':
      return [`${name} is not allowed`]
    case 'minimum':
      return must(`be at least ${String(limit)}`)
    case 'maximum':
      return must(`be at most ${String(limit)}`)
    case 'exclusiveMinimum':
      return must(`be more than ${String(limit)}`)
    case 'exclusiveMaximum':
      return must(`be less than ${String(limit)}`)
    case 'multipleOf':
      return must(`be a multiple of ${String(limit)}`)
    case 'minLength':
      return [
        `${name} must have at least ${String(limit)} characters, but has ${[...(value as string)].length}`,
      ]
    case 'maxLength':
      return [
        `${name} must have at most ${String(limit)} characters, but has ${[...(value as string)].length}`,
      ]
    case 'pattern':
      return must(`match the pattern \`${cut(String(limit), 100)}\``)
    case 'minItems':
      return [`${name} must have at least ${String(limit)} items, but has ${(value as unknown[]).length}`]
    case 'maxItems':
      return [`${name} must have at most ${String(limit)} items, but has ${(value as unknown[]).length}`]
    case 'uniqueItems':
      return [`${name} must not have the same item twice`]
    case 'minProperties':
      return [`${name} must have at least ${String(limit)} properties`]
    case 'maxProperties':
      return [`${name} must have at most ${String(limit)} properties`]
    case 'dependentRequired':
      return sayDependent(schema, value, name)
    case 'not':
      return [`${name} has a form that is not allowed`]
    case 'contains':
    case 'minContains':
    case 'maxContains':
      return [`${name} does not have the items it must have`]
    case 'additionalProperties':
    case 'unevaluatedProperties':
      // Where others must only have some form, there are findings about that.
      return limit === false ? sayUnknown(schema, value, steps) : []
    case 'propertyNames':
      return []
    default:
      return [`${name} does not fit \`${keyword}\` of the schema`]
  }
}

/** The required ones that are not there, with what each must be, and whether another was meant for it. */
function sayMissing(
  schema: Schema,
  value: unknown,
  { steps, about }: { readonly steps: readonly string[]; readonly about: About },
): readonly string[] {
  const given = isObject(value) ? Object.keys(value) : []
  const known = propertiesOf(schema)
  const strangers = given.filter((key) => known[key] === undefined)
  return (schema['required'] as readonly string[])
    .filter((key) => !given.includes(key))
    .map((key) => {
      const expected = sayExpected(known[key], about)
      const slip = findNearest(key, strangers)
      const what = expected === '' ? '' : `: it must be ${expected}`
      return `${sayPath([...steps, key])} is missing${what}${slip === undefined ? '' : `; did you mean it by \`${slip}\`?`}`
    })
}

/** Properties that nobody knows. */
function sayUnknown(schema: Schema, value: unknown, steps: readonly string[]): readonly string[] {
  const known = Object.keys(propertiesOf(schema))
  const patterns = Object.keys(isObject(schema['patternProperties']) ? schema['patternProperties'] : {})
  const isKnown = (key: string): boolean =>
    known.includes(key) || patterns.some((pattern) => new RegExp(pattern, 'u').test(key))
  const strangers = Object.keys(isObject(value) ? value : {}).filter((key) => !isKnown(key))
  return strangers.map((key) => {
    const nearest = findNearest(key, known)
    const others = known.length === 0 ? '' : `; known are ${sayList(known)}`
    const advice = nearest === undefined ? others : `; did you mean \`${nearest}\`?`
    return `${sayPath([...steps, key])} is not known${advice}`
  })
}

function sayDependent(schema: Schema, value: unknown, name: string): readonly string[] {
  const given = isObject(value) ? value : {}
  const needs = isObject(schema['dependentRequired']) ? schema['dependentRequired'] : {}
  return Object.entries(needs).flatMap(([key, needed]) => {
    if (given[key] === undefined) return []
    const missing = (needed as readonly string[]).filter((one) => given[one] === undefined)
    return missing.map((one) => `${name} with \`${key}\` must also have \`${one}\``)
  })
}

/** `text`, `a whole number`, `one of \`a\`, \`b\``; empty when anything will do. */
function sayExpected(schema: unknown, about: About): string {
  if (!isObject(schema)) return ''
  const { $ref: reference, enum: values, const: value, type, anyOf, oneOf } = follow(schema, about)
  if (reference !== undefined) return ''
  if (Array.isArray(values)) return sayOneOf(values)
  if (value !== undefined) return quote(value)
  if (type !== undefined) return sayTypes(type)
  return anyOf === undefined && oneOf === undefined ? '' : sayForms(anyOf ?? oneOf, about)
}

function sayForms(forms: unknown, about: About): string {
  const words = (forms as readonly unknown[]).map((form) => sayExpected(form, about))
  const known = [...new Set(words)].filter((word) => word !== '')
  return known.length < 2 ? (known[0] ?? 'of one of the forms of its schema') : cut(known.join(', or '), 200)
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

function sayTypes(types: unknown): string {
  const all = Array.isArray(types) ? (types as readonly string[]) : [String(types)]
  return all.map((type) => TYPE_WORDS[type] ?? type).join(' or ')
}

function sayOneOf(values: readonly unknown[]): string {
  const shown = values.slice(0, 20).map(quote).join(', ')
  return cut(values.length === 1 ? shown : `one of ${shown}${values.length > 20 ? ', …' : ''}`, 200)
}

function sayNearest(value: unknown, values: unknown): string {
  const words = (values as readonly unknown[]).filter((one) => typeof one === 'string')
  const nearest = typeof value === 'string' && value.length < 100 ? findNearest(value, words) : undefined
  return nearest === undefined ? '' : `; did you mean \`${nearest}\`?`
}

function sayList(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => `\`${cut(name, 60)}\``)
  return `${shown.join(', ')}${names.length > 10 ? ', …' : ''}`
}

/** What it is instead; of a value, no more than its beginning. */
function sayIs(value: unknown): string {
  if (value === undefined) return 'is not there'
  if (Array.isArray(value)) return `is a list`
  if (isObject(value)) return 'is an object'
  return typeof value === 'string' ? `is the text ${quote(value)}` : `is ${quote(value)}`
}

function quote(value: unknown): string {
  return typeof value === 'string' ? `"${cut(value, 60)}"` : `\`${cut(JSON.stringify(value) ?? '', 60)}\``
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}

/** `\`a.b[0]\``. */
function sayPath(steps: readonly string[]): string {
  if (steps.length === 0) return 'the arguments'
  const path = steps.map((step, i) =>
    /^\d+$/.test(step) && i > 0 ? `[${step}]` : i === 0 ? step : `.${step}`,
  )
  return `\`${cut(path.join(''), 100)}\``
}

/** As the validator writes them: `~1` for a slash, and the rest as in a URI. */
function toSteps(location: string): readonly string[] {
  return location
    .split('/')
    .slice(1)
    .map((step) => decodeURI(step.replaceAll('%23', '#')).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function parentOf(location: string): string {
  return location.slice(0, location.lastIndexOf('/'))
}

function valueAt(instance: unknown, steps: readonly string[]): unknown {
  let value = instance
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Schema)[step]
  }
  return value
}

/** The location goes through references as through a door: what lies behind is the other schema. */
function schemaAt(location: string, about: About): Schema {
  let part: unknown = about.schema
  for (const step of toSteps(location)) {
    if (typeof part !== 'object' || part === null) return {}
    part = step === '$ref' ? follow(part as Schema, about) : (part as Schema)[step]
  }
  return isObject(part) ? part : {}
}

function follow(schema: Schema, { lookup, schema: root }: About): Schema {
  const reference = schema['$ref']
  if (typeof reference !== 'string') return schema
  const name = reference.slice('#/$defs/'.length)
  const target = (root['$defs'] as Schema | undefined)?.[name] ?? lookup[reference]
  return isObject(target) ? target : {}
}

function propertiesOf(schema: Schema): Schema {
  return isObject(schema['properties']) ? schema['properties'] : {}
}
