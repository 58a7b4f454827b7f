/**
 * measure: how large a simplified schema is, in what providers set limits to.
 */
import { typesOf, type Schema, type SchemaObject } from './json-schema.ts'
import { Unrepairable } from './unrepairable.ts'

export interface Measures {
  /** Objects within objects; what a list or an alternative holds is on the level it stands on. */
  readonly levels: number
  /** In all objects together. */
  readonly properties: number
  /** In all enums together. */
  readonly options: number
  /** The most options of one enum. */
  readonly mostOptions: number
  /** The most letters in an enum of more than 250 options. */
  readonly longestOptions: number
  readonly mostAlternatives: number
  /** In names of properties and definitions and in options, together. */
  readonly letters: number
}

export type Limits = Readonly<Partial<Record<keyof Measures, number>>>

/** Throws when a limit is passed. */
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

/** An enum of more is limited in its letters too. */
const LARGE_ENUM = 250

function measure(root: SchemaObject): Measures {
  const sum: { -readonly [key in keyof Measures]: number } = {
    levels: 0,
    properties: 0,
    options: 0,
    mostOptions: 0,
    longestOptions: 0,
    mostAlternatives: 0,
    letters: 0,
  }
  const visit = (schema: Schema, level: number): void => {
    if (typeof schema === 'boolean') return
    const { properties, items, additionalProperties, anyOf, enum: options, $defs } = schema
    const isObject = typesOf(schema).includes('object')
    const here = isObject ? level + 1 : level
    sum.levels = Math.max(sum.levels, here)
    for (const [name, child] of Object.entries(properties ?? {})) {
      sum.properties += 1
      sum.letters += name.length
      visit(child, here)
    }
    for (const [name, child] of Object.entries($defs ?? {})) {
      sum.letters += name.length
      visit(child, 0)
    }
    if (options !== undefined) {
      const letters = options.reduce<number>((letters, option) => letters + String(option).length, 0)
      sum.options += options.length
      sum.mostOptions = Math.max(sum.mostOptions, options.length)
      if (options.length > LARGE_ENUM) sum.longestOptions = Math.max(sum.longestOptions, letters)
      sum.letters += letters
    }
    sum.mostAlternatives = Math.max(sum.mostAlternatives, anyOf?.length ?? 0)
    for (const child of anyOf ?? []) visit(child, level)
    if (items !== undefined) visit(items, here)
    if (additionalProperties !== undefined) visit(additionalProperties, here)
  }
  visit(root, 0)
  return sum
}
