/**
 * to-json: a message → its JSON, as `JSON.stringify` writes it.
 *
 * in     a message; long texts are looked for among the arguments of a call
 * out    the same as from `JSON.stringify`, to the letter; throws where that throws
 *
 * `JSON.stringify` looks at each character for what has to be escaped and puts the whole together piece by piece, which
 * is a third of what a call with megabytes takes. A long text in which nothing has to be escaped (base64, mostly) is
 * joined as it is. Of a short call it is the envelope that takes the time: it is the same for all, and written as a text.
 */
import { isObject } from '../../../base/is-object.ts'
import { isPlainAscii } from '../../../base/plain-ascii.ts'
import type { Message } from '../../../model/message.ts'

export function toJson(message: Message): string {
  const args = 'params' in message ? message.params?.['arguments'] : undefined
  if (!isObject(args)) return JSON.stringify(message)
  if (hasLongText(args)) return write(message as unknown as Fields, LEVELS)
  return (isPlainCall(message) ? writeCall(message, args) : undefined) ?? JSON.stringify(message)
}

/** Every message comes by here, so nothing is looked at but where a long text may be. */
function hasLongText(args: Fields): boolean {
  for (const key in args) {
    const value = args[key]
    if (typeof value === 'string' && value.length >= LONG) return true
  }
  return false
}

interface PlainCall {
  readonly id: number
  readonly params: { readonly _meta: { readonly progressToken: number }; readonly name: string }
}

/** A call as a channel makes it, with nothing in it but what all have. */
function isPlainCall(message: Message): message is Message & PlainCall {
  if (!hasKeys(message, MESSAGE_KEYS)) return false
  const { method, params, id } = message as { method: unknown; params: Fields; id: unknown }
  if (method !== 'tools/call' || typeof id !== 'number' || !hasKeys(params, PARAMS_KEYS)) return false
  const { _meta: meta, name } = params
  return (
    isObject(meta) && hasKeys(meta, META_KEYS) && meta['progressToken'] === id && typeof name === 'string'
  )
}

const MESSAGE_KEYS = ['jsonrpc', 'id', 'method', 'params'] as const
const PARAMS_KEYS = ['_meta', 'name', 'arguments'] as const
const META_KEYS = ['progressToken'] as const

/** These, in this order, and no others. */
function hasKeys(fields: object, keys: readonly string[]): boolean {
  let at = 0
  for (const key in fields) if (key !== keys[at++]) return false
  return at === keys.length
}

/** Undefined for arguments that decide for themselves what is written, which may depend on where they stand. */
function writeCall({ id, params: { name } }: PlainCall, args: Fields): string | undefined {
  if ('toJSON' in args) return undefined
  const params = `{"_meta":{"progressToken":${id}},"name":${JSON.stringify(name)},"arguments":${JSON.stringify(args)}}`
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`
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
