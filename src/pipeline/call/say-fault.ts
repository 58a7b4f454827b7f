/**
 * say-fault: describes faults of arguments in words, and shows at most the beginning of a value.
 */
import { findNearest } from '../../base/edit-distance.ts'
import { isObject } from '../../base/is-object.ts'
import type { Default, Schema } from './schema-parts.ts'

/** `\`a.b[0]\``. */
export function path(steps: readonly string[]): string {
  if (steps.length === 0) return 'the arguments'
  const joined = steps.map((step, i) =>
    /^\d+$/.test(step) && i > 0 ? `[${step}]` : i === 0 ? step : `.${step}`,
  )
  return `\`${cut(joined.join(''), 100)}\``
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

export function types(all: readonly string[]): string {
  return cut(all.map((type) => TYPE_WORDS[type] ?? type).join(' or '), 200)
}

export function oneOf(values: readonly unknown[]): string {
  const shown = values.slice(0, 20).map(quote).join(', ')
  return cut(values.length === 1 ? shown : `one of ${shown}${values.length > 20 ? ', …' : ''}`, 200)
}

export function forms(words: readonly string[]): string {
  const told = [...new Set(words)].filter((word) => word !== '')
  return told.length < 2 ? (told[0] ?? 'of one of the forms of its schema') : cut(told.join(', or '), 200)
}

/** Describes the actual value. */
export function is(value: unknown): string {
  if (Array.isArray(value)) return 'is a list'
  if (isObject(value)) return 'is an object'
  return typeof value === 'string' ? `is the text ${quote(value)}` : `is ${quote(value)}`
}

export function nearest(value: unknown, values: readonly unknown[]): string {
  const words = values.filter((one) => typeof one === 'string')
  const near = typeof value === 'string' && value.length < 100 ? findNearest(value, words) : undefined
  return near === undefined ? '' : `; did you mean \`${near}\`?`
}

export function known(key: string, names: readonly string[]): string {
  const near = findNearest(key, names)
  if (near !== undefined) return `; did you mean \`${near}\`?`
  if (names.length === 0) return ''
  const shown = names.slice(0, 10).map((name) => `\`${cut(name, 60)}\``)
  return `; known are ${shown.join(', ')}${names.length > 10 ? ', …' : ''}`
}

export interface Missing {
  readonly expected: string
  readonly fallback: Default
  /** Present but unknown properties: one of them may be a misspelt name. */
  readonly strangers: readonly string[]
}

export function missing(key: string, { expected, fallback, strangers }: Missing): string {
  if (fallback.kind === 'value') return `is missing, and its default is ${quote(fallback.value)}`
  const slip = findNearest(key, strangers)
  const what = expected === '' ? '' : `: it must be ${expected}`
  return `is missing${what}${slip === undefined ? '' : `; did you mean it by \`${slip}\`?`}`
}

type Limit = readonly [keyword: string, isBroken: (value: never, limit: number) => boolean, words: string]

const NUMBERS: readonly Limit[] = [
  ['minimum', (value: number, limit) => value < limit, 'must be at least'],
  ['maximum', (value: number, limit) => value > limit, 'must be at most'],
  ['exclusiveMinimum', (value: number, limit) => value <= limit, 'must be more than'],
  ['exclusiveMaximum', (value: number, limit) => value >= limit, 'must be less than'],
]
const TEXTS: readonly Limit[] = [
  ['minLength', (value: string, limit) => lengthOf(value) < limit, 'must have at least'],
  ['maxLength', (value: string, limit) => lengthOf(value) > limit, 'must have at most'],
]
const LISTS: readonly Limit[] = [
  ['minItems', (value: readonly unknown[], limit) => value.length < limit, 'must have at least'],
  ['maxItems', (value: readonly unknown[], limit) => value.length > limit, 'must have at most'],
]

/** Checks the limits and `const`. Patterns are not run: a pattern of a server may take for ever. */
export function limits(schema: Schema, value: unknown): readonly string[] {
  const constant = schema['const']
  if (constant !== undefined && JSON.stringify(constant) !== JSON.stringify(value))
    return [`must be ${quote(constant)}, but ${is(value)}`]
  const find = (all: readonly Limit[]): readonly Limit[] =>
    all.filter(([key, isBroken]) => {
      const limit = schema[key]
      return typeof limit === 'number' && isBroken(value as never, limit)
    })
  const say = ([key, , words]: Limit): string => `${words} ${String(schema[key])}`
  if (typeof value === 'number') return find(NUMBERS).map((one) => `${say(one)}, but ${is(value)}`)
  if (typeof value === 'string')
    return find(TEXTS).map((one) => `${say(one)} characters, but has ${lengthOf(value)}`)
  if (Array.isArray(value)) return find(LISTS).map((one) => `${say(one)} items, but has ${value.length}`)
  return []
}

/** The length as JSON Schema counts it: an emoji is one character. */
function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}

export function quote(value: unknown): string {
  return typeof value === 'string' ? `"${cut(value, 60)}"` : `\`${cut(JSON.stringify(value) ?? '', 60)}\``
}

export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
