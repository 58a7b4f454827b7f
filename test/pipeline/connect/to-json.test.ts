import { beforeAll, describe, expect, it } from 'vitest'
import { giveBack, lendRoom } from '../../../src/base/room.ts'
import type { Message, Params } from '../../../src/model/message.ts'
import { MARK } from '../../../src/pipeline/connect/transports/bare-text.ts'
import { toJson } from '../../../src/pipeline/connect/transports/to-json.ts'
import { haveSeenLongTexts } from '../../base/long-texts.ts'

beforeAll(haveSeenLongTexts)

const LONG = 'QUJD/+=='.repeat(10_000)

const callWith = (args: unknown, more: Params = {}): Message => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name: 'echo', arguments: args, ...more },
})

/** As a channel makes them. */
const plainCall = (
  args: unknown,
  { id = 7, name = 'echo', token = id, ...more }: PlainOptions = {},
): Message => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { _meta: { progressToken: token }, name, arguments: args, ...more } as Params,
})

interface PlainOptions extends Params {
  readonly id?: number
  readonly name?: string
  readonly token?: number
}

const textOf = (json: string | Uint8Array): string =>
  typeof json === 'string' ? json : new TextDecoder('utf-8', { fatal: true }).decode(json)

describe('the JSON of a message', () => {
  it.each<readonly [string, Message]>([
    ['a short one', callWith({ text: 'hello' })],
    ['no arguments', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['an answer', { jsonrpc: '2.0', id: 'a', result: { content: { type: 'text', text: LONG } } }],
    ['a long text', callWith({ text: LONG })],
    ['several long texts', callWith({ a: LONG, b: 1, c: LONG }, { _meta: { progressToken: 7 } })],
    ['one with line breaks', callWith({ text: `${LONG}\n${LONG}` })],
    ['one with a tab', callWith({ text: `${LONG}\t` })],
    ['one with quotes', callWith({ text: `${LONG}"` })],
    ['one with a backslash', callWith({ text: `\\${LONG}` })],
    ['one with a control character', callWith({ text: `${LONG}\u0007` })],
    ['one with DELETE', callWith({ text: `${LONG}\u007f` })],
    ['one that is not ASCII', callWith({ text: `${LONG}é€😀` })],
    ['half a character', callWith({ text: `${LONG}\ud83d` })],
    ['a long text beside one that is not ASCII', callWith({ a: LONG, b: 'é€😀', c: '\ud83d' })],
    ['two long texts, one of which has to be escaped', callWith({ a: LONG, b: `${LONG}\n` })],
    ['two long texts, one of which is not ASCII', callWith({ a: LONG, b: `${LONG}é` })],
    ['our own mark before it', callWith({ a: MARK, b: LONG })],
    ['our own mark behind it', callWith({ a: LONG, b: MARK })],
    ['a text that all of its kind have', callWith(Object.create({ text: LONG }))],
    ['a text with members', callWith(Object.assign(new String('x'), { text: LONG }))],
    ['a list with members', { ...callWith({}), params: Object.assign([], { arguments: { text: LONG } }) }],
    [
      'what its kind has',
      { ...callWith({}), params: Object.create({ name: 'echo', arguments: { text: LONG } }) },
    ],
    ['names that need escapes', callWith({ 'a"\n': LONG, ['__proto__']: 1, 3: null })],
    ['what has no JSON', callWith({ a: undefined, b: LONG, c: () => 1, d: Symbol('d'), e: [undefined] })],
    ['only what has none', callWith({ text: LONG }, { _meta: undefined })],
    ['dates and numbers', callWith({ a: LONG, b: new Date(0), c: Number.NaN, d: -0, e: new Map([[1, 2]]) })],
    [
      'what says itself how it is written',
      callWith({ a: LONG, b: { toJSON: (key: string) => `as ${key}` } }),
    ],
    ['arguments that say so', callWith({ text: LONG, toJSON: () => ({ other: 1 }) })],
    ['a nested text', callWith({ a: LONG, b: { c: LONG, d: [LONG] } })],
    ['arguments without a prototype', callWith(Object.assign(Object.create(null) as object, { text: LONG }))],
    ['a list as arguments', callWith([LONG])],
    ['a text as arguments', callWith(LONG)],
    ['a plain call', plainCall({ text: 'hello' })],
    ['a plain call without arguments', plainCall({})],
    ['a large id', plainCall({ a: 1 }, { id: 2 ** 40 })],
    ['a plain call of an odd name', plainCall({ a: 1 }, { name: 'a"\n\ud83d' })],
    ['a plain call with odd arguments', plainCall({ 'a"': '\n\ud83d', b: undefined, c: [() => 1], d: -0 })],
    ['a token that is another', plainCall({ a: 1 }, { token: 8 })],
    ['a plain call with more in it', plainCall({ a: 1 }, { requestState: 'x' })],
    ['arguments that depend on where they are', plainCall({ toJSON: (key: string) => ({ key }) })],
    ['arguments that are not written', plainCall({ toJSON: () => undefined })],
    ['a long text in a plain call', plainCall({ text: LONG })],
  ])('is what JSON.stringify writes: %s', (_, message) => {
    expect(textOf(toJson(message))).toBe(JSON.stringify(message))
    expect(textOf(toJson(message, '\n'))).toBe(`${JSON.stringify(message)}\n`)
  })

  it('is in bytes at once where a long text goes as it is, and a text where none does', () => {
    expect(toJson(callWith({ text: LONG, name: 'é' }))).toBeInstanceOf(Uint8Array)
    for (const text of ['short', `${LONG}\n`, `${LONG}é`, `${LONG}\u007f`])
      expect(typeof toJson(callWith({ text }))).toBe('string')
  })

  it('is in a room that can be used again, at once where it has to be escaped after all', () => {
    const lent: Uint8Array[] = []
    const lend = (length: number): Uint8Array => {
      const room = lendRoom(length)
      lent.push(room)
      return room
    }
    expect(typeof toJson(callWith({ text: `${LONG}\n` }), '\n', lend)).toBe('string')
    const bytes = toJson(callWith({ text: `${LONG}!` }), '\n', lend) as Uint8Array
    expect(lent.map(({ buffer }) => buffer)).toEqual([bytes.buffer, bytes.buffer])
    expect(lendRoom(bytes.length).buffer).not.toBe(bytes.buffer)
    giveBack(bytes)
    expect(lendRoom(bytes.length).buffer).toBe(bytes.buffer)
  })

  it('is refused for what cannot be written', () => {
    const circle: Record<string, unknown> = { text: LONG }
    circle['self'] = circle
    expect(() => toJson(callWith(circle))).toThrow(TypeError)
    expect(() => toJson(callWith({ text: LONG, big: 1n }))).toThrow(TypeError)
    expect(() => toJson(plainCall({ big: 1n }))).toThrow(TypeError)
  })
})
