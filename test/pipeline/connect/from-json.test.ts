import { describe, expect, it } from 'vitest'
import { fromJson } from '../../../src/pipeline/connect/transports/from-json.ts'

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
    ['our own mark', resultOf([{ text: LONG }, { text: 'plugboard: a long text, number 0' }])],
    ['a long text alone', LONG],
    ['a list', [LONG, null, 1, true, { a: LONG }]],
  ])('is what JSON.parse reads: %s', (_, value) => {
    for (const json of [JSON.stringify(value), JSON.stringify(value, undefined, 1)])
      expect(fromJson(json)).toStrictEqual(JSON.parse(json))
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
