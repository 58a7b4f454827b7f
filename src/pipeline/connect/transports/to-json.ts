/**
 * to-json: a message → its JSON, as `JSON.stringify` writes it.
 *
 * in     a message; long texts are looked for among the arguments of a call
 * out    the same as from `JSON.stringify`, to the letter; throws where that throws
 *
 * `JSON.stringify` looks at each character for what has to be escaped and puts the whole together piece by piece, which
 * is a third of what a call with megabytes takes. A long text in which nothing has to be escaped (base64, mostly) is
 * joined as it is.
 */
import { isObject } from '../../../base/is-object.ts'
import { isPlainAscii } from '../../../base/plain-ascii.ts'
import type { Message } from '../../../model/message.ts'

export function toJson(message: Message): string {
  return hasLongArgument(message) ? write(message as unknown as Fields, LEVELS) : JSON.stringify(message)
}

/** Every message comes by here, so nothing is looked at but where a long text may be. */
function hasLongArgument(message: Message): boolean {
  const args = 'params' in message ? message.params?.['arguments'] : undefined
  if (!isObject(args)) return false
  for (const key in args) {
    const value = args[key]
    if (typeof value === 'string' && value.length >= LONG) return true
  }
  return false
}

type Fields = Readonly<Record<string, unknown>>

/** message → params → arguments */
const LEVELS = 3

const LONG = 16 * 1024

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
