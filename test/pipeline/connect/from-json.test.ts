import { beforeAll, describe, expect, it, vi } from 'vitest'
import { MARK } from '../../../src/pipeline/connect/transports/bare-text.ts'
import { fromJson } from '../../../src/pipeline/connect/transports/from-json.ts'
import { haveSeenLongTexts } from '../../base/long-texts.ts'

beforeAll(haveSeenLongTexts)

const LONG = 'QUJD/+=='.repeat(10_000)

const resultOf = (content: unknown): unknown => ({ jsonrpc: '2.0', id: 7, result: { content } })

describe('the value of a message', () => {
  it.each<readonly [string, unknown]>([
    ['a short one', resultOf([{ type: 'text', text: 'hello' }])],
    ['a long text', resultOf([{ type: 'text', text: LONG }])],
    ['several long texts', resultOf([{ data: LONG, mimeType: 'image/png' }, { data: `${LONG}2` }, LONG])],
    ['one with line breaks', resultOf([{ text: `${LONG}\n${LONG}` }, { text: LONG }])],
    ['one with quotes', resultOf([{ text: `${LONG}"` }, { text: LONG }])],
    ['one that ends in a backslash', resultOf([{ text: 'C:\\' }, { text: LONG }])],
    ['one that is not ASCII', resultOf([{ text: `${LONG}é€😀` }, { text: LONG }])],
    ['one with DELETE', resultOf([{ text: `${LONG}\u007f` }])],
    ['a long name', resultOf([{ [LONG]: LONG }])],
    ['a name that is no ordinary one', resultOf(JSON.parse(`{"__proto__":"${LONG}"}`))],
    ['a long rest', resultOf([{ text: LONG }, Array.from({ length: 5000 }, (_, at) => ({ at }))])],
    ['many short texts before it', resultOf([...Array.from({ length: 500 }, (_, at) => `${at}`), LONG])],
    ['our own mark before it', resultOf([{ text: MARK }, { text: LONG }])],
    ['our own mark behind it', resultOf([{ text: LONG }, { text: MARK }])],
    ['a long text alone', LONG],
    ['a list', [LONG, null, 1, true, { a: LONG }]],
  ])('is what JSON.parse reads: %s', (_, value) => {
    for (const json of [JSON.stringify(value), JSON.stringify(value, undefined, 1)])
      expect(fromJson(json)).toStrictEqual(JSON.parse(json))
  })

  const escaped = MARK.replace('p', '\\u0070')

  it.each<readonly [string, string]>([
    ['our own mark in other words', `{"a":"${escaped}","b":"${LONG}"}`],
    ['the same behind it', `{"a":"${LONG}","b":"${escaped}"}`],
    ['the same in its place', `{"a":"${LONG}","a":"${escaped}"}`],
    ['a name that comes twice', `{"a":1,"a":"${LONG}","b":2,"b":3}`],
    ['a long name, and space behind it', `{"${LONG}" : 1}`],
    ['a quote that is escaped before what is long', `{"a":"x\\"","b":[1${',1'.repeat(20_000)}],"c":"y"}`],
  ])('is what JSON.parse reads, whoever wrote it: %s', (_, json) => {
    expect(fromJson(json)).toStrictEqual(JSON.parse(json))
  })

  it('is read around the long text that is nearly all of it', () => {
    const message = resultOf([{ type: 'image', data: LONG, mimeType: 'image/png' }])
    const json = JSON.stringify(message)
    using parse = vi.spyOn(JSON, 'parse')
    expect(fromJson(json)).toStrictEqual(message)
    expect(parse.mock.calls.map(([text]) => text.length < 200)).toEqual([true])
  })

  it('has nothing in it that somebody gave to all objects', () => {
    const all = Object.prototype as Record<string, unknown>
    all['given'] = MARK
    try {
      const value = fromJson(JSON.stringify(resultOf([{ text: LONG }]))) as object
      expect(Object.hasOwn(value, 'given')).toBe(false)
    } finally {
      delete all['given']
    }
  })

  it('is as deep as it came', () => {
    const depth = 7000
    let value = fromJson(`${'['.repeat(depth)}"${LONG}"${']'.repeat(depth)}`)
    for (let left = depth; left > 0; left--) [value] = value as [unknown]
    expect(value).toBe(LONG)
  })

  it.each([
    ['a raw tab', `{"text":"${LONG}\t"}`],
    ['a raw line break', `{"text":"${LONG}\n"}`],
    ['another raw control', `{"text":"${LONG}\u0007"}`],
    ['an end that is missing', `{"text":"${LONG}"`],
    ['a quote that is missing', `{"text":"${LONG}`],
    ['too much of it', `{"text":"${LONG}"}}`],
    ['two texts without a comma', `["${LONG}""${LONG}"]`],
  ])('is refused where JSON.parse refuses it: %s', (_, json) => {
    expect(() => JSON.parse(json)).toThrow(SyntaxError)
    expect(() => fromJson(json)).toThrow(SyntaxError)
  })
})
