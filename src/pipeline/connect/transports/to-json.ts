/**
 * to-json: a message → its JSON, as `JSON.stringify` writes it.
 *
 * in     a message; long texts are looked for among the arguments of a call
 * out    the same as from `JSON.stringify`, to the letter, or its bytes; throws where that throws
 *
 * `JSON.stringify` looks at each character for what has to be escaped and puts the whole together piece by piece, which
 * is a third of what a call with megabytes takes. A long text in which nothing has to be escaped (base64, mostly) goes
 * as it is, and right to where it is sent from. Of a short call it is the envelope that takes the time: it is the same
 * for all, and written as a text.
 */
import { isObject } from '../../../base/is-object.ts'
import { isPlainAscii } from '../../../base/plain-ascii.ts'
import type { Message } from '../../../model/message.ts'
import { hasNoSuspects, LONG_TEXT } from './bare-text.ts'

/** `end` is put behind it. */
export function toJson(message: Message, end = ''): string | Uint8Array {
  const args = 'params' in message ? message.params?.['arguments'] : undefined
  if (!isObject(args)) return JSON.stringify(message) + end
  if (hasLongText(args)) return join([...piecesOf(message as unknown as Fields, LEVELS), end])
  return ((isPlainCall(message) ? writeCall(message, args) : undefined) ?? JSON.stringify(message)) + end
}

/** Every message comes by here, so nothing is looked at but where a long text may be. */
function hasLongText(args: Fields): boolean {
  for (const key in args) if (isLong(args[key])) return true
  return false
}

function isLong(value: unknown): value is string {
  return typeof value === 'string' && value.length >= LONG_TEXT
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

/** Whether it is to be looked into: what says itself how it is written, and what is no mere object, is left alone. */
function isWithin(value: unknown, levels: number): value is Fields {
  if (levels === 1 || !isObject(value) || 'toJSON' in value) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** JSON, or a long text without the usual suspects; the rare ones are looked for when it is copied. */
type Piece = string | Bare

class Bare {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

function piecesOf(fields: Fields, levels: number): Piece[] {
  const members = Object.entries(fields)
    .map(([key, value]) => memberOf(key, value, levels))
    .filter(({ length }) => length > 0)
  return ['{', ...members.flatMap((member, at) => (at === 0 ? member : [',', ...member])), '}']
}

/** Nothing for what has no JSON: what is undefined, or a function. */
function memberOf(key: string, value: unknown, levels: number): Piece[] {
  if (isLong(value) && hasNoSuspects(value)) return [`${JSON.stringify(key)}:"`, new Bare(value), '"']
  if (isWithin(value, levels)) return [`${JSON.stringify(key)}:`, ...piecesOf(value, levels - 1)]
  const member = JSON.stringify({ [key]: value }).slice(1, -1)
  return member === '' ? [] : [member]
}

/** A text of megabytes is copied once, to where it is sent from. */
function join(pieces: readonly Piece[]): string | Uint8Array {
  const hasBare = pieces.some((piece) => piece instanceof Bare)
  return (hasBare ? encode(pieces) : undefined) ?? pieces.map(jsonOf).join('')
}

function jsonOf(piece: Piece): string {
  return piece instanceof Bare ? JSON.stringify(piece.text).slice(1, -1) : piece
}

const encoder = new TextEncoder()

/** Undefined when something rare is in a long text. */
function encode(pieces: readonly Piece[]): Uint8Array | undefined {
  const parts = pieces.map((piece) => (piece instanceof Bare ? piece.text : encoder.encode(piece)))
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let from = 0
  for (const part of parts) {
    if (typeof part !== 'string') bytes.set(part, from)
    else if (!isPlainAscii(part, bytes.subarray(from))) return undefined
    from += part.length
  }
  return bytes
}
