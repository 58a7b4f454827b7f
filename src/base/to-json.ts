/**
 * to-json: a message → its JSON, as `JSON.stringify` writes it.
 *
 * in     an object, in which a long text may stand as deep as the arguments of a call
 * out    the same as from `JSON.stringify`, to the letter; throws where that throws
 *
 * `JSON.stringify` looks at each character for what has to be escaped and puts the whole together piece by piece, which
 * is a third of what a call with megabytes takes. A long text in which nothing has to be escaped (base64, mostly) is
 * joined as it is.
 */
import { isObject } from './is-object.ts'
import { isPlainAscii } from './plain-ascii.ts'

export function toJson(value: object): string {
  const fields = value as Fields
  return hasLongText(fields, LEVELS) ? write(fields, LEVELS) : JSON.stringify(value)
}

type Fields = Readonly<Record<string, unknown>>

/** message → params → arguments */
const LEVELS = 3

const LONG = 16 * 1024

function hasLongText(fields: Fields, levels: number): boolean {
  for (const key in fields) {
    const value = fields[key]
    if (typeof value === 'string' ? value.length >= LONG : isWithin(value, levels) && hasLongText(value, levels - 1))
      return true
  }
  return false
}

/** Whether it is to be looked into: what says itself how it is written, and what is no mere object, is left alone. */
function isWithin(value: unknown, levels: number): value is Fields {
  if (levels === 1 || !isObject(value) || 'toJSON' in value) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Put together with `+`, which copies nothing: a text of megabytes would be copied once for each level. */
function write(fields: Fields, levels: number): string {
  let members = ''
  for (const [key, value] of Object.entries(fields)) {
    const member = writeMember(key, value, levels)
    // What is undefined, or a function, has no JSON.
    if (member !== '') members += members === '' ? member : `,${member}`
  }
  return `{${members}}`
}

function writeMember(key: string, value: unknown, levels: number): string {
  if (isUnescaped(value)) return `${JSON.stringify(key)}:"${value}"`
  if (isWithin(value, levels)) return `${JSON.stringify(key)}:${write(value, levels - 1)}`
  return JSON.stringify({ [key]: value }).slice(1, -1)
}

/** The usual suspects first: they are found faster than what is rare. */
function isUnescaped(value: unknown): value is string {
  if (typeof value !== 'string' || value.length < LONG) return false
  return !ESCAPED.some((character) => value.includes(character)) && isPlainAscii(value)
}

/** What JSON escapes of all that `isPlainAscii` lets pass. */
const ESCAPED = ['\n', '"', '\\', '\t'] as const
