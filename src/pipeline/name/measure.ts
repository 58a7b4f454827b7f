/**
 * measure: measures a simplified schema in the units that providers limit.
 */
import { typesOf, type Schema, type SchemaObject } from './json-schema.ts'
import { Unrepairable } from './unrepairable.ts'

export interface Measures {
  /** Nested objects, also through references, except references back to an outer object. */
  readonly levels: number
  /** The sum over all objects. */
  readonly properties: number
  /** The sum over all enums. */
  readonly options: number
  /** The largest number of options in one enum. */
  readonly mostOptions: number
  /** The largest number of letters in an enum of more than 250 options. */
  readonly longestOptions: number
  readonly mostAlternatives: number
  /** The sum over names of properties and definitions, and over options. */
  readonly letters: number
}

export type Limits = Readonly<Partial<Record<keyof Measures, number>>>

/** Throws when the schema exceeds a limit. */
export function checkLimits(root: SchemaObject, limits: Limits, provider: string): void {
  const measures = measure(root)
  for (const key of Object.keys(limits) as (keyof Measures)[]) {
    const most = limits[key]!
    if (measures[key] > most) {
      const limit = most.toLocaleString('en-US')
      throw new Unrepairable(`its schema has ${WORDS[key]}, and ${provider} takes at most ${limit}`)
    }
  }
}

const WORDS: Readonly<Record<keyof Measures, string>> = {
  levels: 'too many levels of objects within objects',
  properties: 'too many properties',
  options: 'too many enum values',
  mostOptions: 'too many values in one enum',
  longestOptions: 'too many letters in an enum of more than 250 values',
  mostAlternatives: 'too many alternatives in one place',
  letters: 'too many letters in names and enum values',
}

/** An enum with more options also has a limit for its letters. */
const LARGE_ENUM = 250

function measure(root: SchemaObject): Measures {
  const sum: Sum = {
    levels: 0,
    properties: 0,
    options: 0,
    mostOptions: 0,
    longestOptions: 0,
    mostAlternatives: 0,
    letters: 0,
  }
  const visit = (schema: Schema): void => {
    if (typeof schema === 'boolean') return
    const { properties, items, additionalProperties, anyOf, enum: options, $defs } = schema
    if (properties !== undefined) sum.properties += Object.keys(properties).length
    for (const named of [properties, $defs]) {
      for (const name of Object.keys(named ?? {})) {
        sum.letters += name.length
        visit(named![name]!)
      }
    }
    if (options !== undefined) addOptions(sum, options)
    sum.mostAlternatives = Math.max(sum.mostAlternatives, anyOf?.length ?? 0)
    for (const child of anyOf ?? []) visit(child)
    if (items !== undefined) visit(items)
    if (additionalProperties !== undefined) visit(additionalProperties)
  }
  visit(root)
  return { ...sum, levels: levelsOf(root) }
}

type Sum = { -readonly [key in keyof Measures]: number }

function addOptions(sum: Sum, options: readonly unknown[]): void {
  const letters = options.reduce<number>((letters, option) => letters + String(option).length, 0)
  sum.options += options.length
  sum.mostOptions = Math.max(sum.mostOptions, options.length)
  if (options.length > LARGE_ENUM) sum.longestOptions = Math.max(sum.longestOptions, letters)
  sum.letters += letters
}

function levelsOf(root: SchemaObject): number {
  const known = new Map<string, number>()
  const levels = (schema: Schema): number => {
    if (typeof schema === 'boolean') return 0
    const { $ref, properties = {}, items = true, additionalProperties = true, anyOf = [] } = schema
    if ($ref !== undefined) return levelsOfDefinition($ref.slice('#/$defs/'.length))
    const below = mostOf([...Object.values(properties), items, additionalProperties])
    return Math.max(mostOf(anyOf), typesOf(schema).includes('object') ? below + 1 : below)
  }
  const mostOf = (schemas: readonly Schema[]): number =>
    schemas.reduce<number>((most, schema) => Math.max(most, levels(schema)), 0)
  const levelsOfDefinition = (name: string): number => {
    const before = known.get(name)
    if (before !== undefined || root.$defs === undefined || !Object.hasOwn(root.$defs, name))
      return before ?? 0
    // Zero while the target is being measured, so that a reference to itself adds nothing.
    known.set(name, 0)
    known.set(name, levels(root.$defs[name]!))
    return known.get(name)!
  }
  return Object.keys(root.$defs ?? {}).reduce(
    (most, name) => Math.max(most, levelsOfDefinition(name)),
    levels(root),
  )
}
