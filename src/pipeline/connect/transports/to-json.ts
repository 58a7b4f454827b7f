/**
 * to-json: a message → its JSON, as `JSON.stringify` writes it.
 *
 * in     a message; long texts are looked for among the arguments of a call
 * out    the same as from `JSON.stringify`, to the letter, or its bytes (UTF-8); throws where that throws
 *
 * `JSON.stringify` looks at each character for what has to be escaped and puts the whole together piece by piece, which
 * is a third of what a call with megabytes takes. A long text in which nothing has to be escaped (base64, mostly) goes
 * as it is to where it is sent from, and the JSON around it is written with a mark in its place. Of a short call it is the
 * envelope that takes the time: it is the same for all, and written as a text.
 */
import { isObject } from '../../../base/is-object.ts'
import { copyBareAscii, isBareAscii } from '../../../base/plain-ascii.ts'
import { giveBack } from '../../../base/room.ts'
import type { Message } from '../../../model/message.ts'
import { findMark, LONG_TEXT, MARK } from './bare-text.ts'

/** `end` is put behind it. Bytes are in a `room`, where there is one to be had. */
export function toJson(message: Message, end = '', room = newRoom): string | Uint8Array {
  const args = 'params' in message ? message.params?.['arguments'] : undefined
  if (!isObject(args)) return JSON.stringify(message) + end
  const long = longestOf(args)
  if (long !== undefined) return writeBytes(message, long, { end, room }) ?? JSON.stringify(message) + end
  return ((isPlainCall(message) ? writeCall(message, args) : undefined) ?? JSON.stringify(message)) + end
}

interface LongText {
  readonly name: string
  readonly text: string
}

/** Every message comes by here, so nothing is looked at but where a long text may be. */
function longestOf(args: Fields): LongText | undefined {
  let long: LongText | undefined
  for (const name in args) {
    const text = args[name]
    if (typeof text === 'string' && text.length >= (long?.text.length ?? LONG_TEXT)) long = { name, text }
  }
  return long
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

/** Undefined where the text has to be escaped, or the JSON around it is not that of mere data. */
function writeBytes(
  message: Message,
  { name, text }: LongText,
  { end, room }: { readonly end: string; readonly room: Room },
): Uint8Array | undefined {
  const { params } = message as unknown as { readonly params: { readonly arguments: Fields } }
  const { arguments: args } = params
  const isPlain = [message, params, args].every(isPlainObject) && Object.hasOwn(args, name)
  if (!isPlain || !isBareAscii(text.slice(0, LONG_TEXT))) return undefined
  const marked = { ...message, params: { ...params, arguments: { ...args, [name]: MARK } } }
  const around = JSON.stringify(marked) + end
  const at = findMark(around)
  if (at === undefined) return undefined
  const before = encoder.encode(around.slice(0, at))
  const after = encoder.encode(around.slice(at + MARK.length))
  const bytes = room(before.length + text.length + after.length)
  bytes.set(before)
  bytes.set(after, before.length + text.length)
  if (copyBareAscii(text, bytes.subarray(before.length))) return bytes
  giveBack(bytes)
  return undefined
}

type Room = (length: number) => Uint8Array

function newRoom(length: number): Uint8Array {
  return new Uint8Array(length)
}

/** With nothing about it that says how it is written. */
function isPlainObject(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype && !('toJSON' in value)
}

const encoder = new TextEncoder()
