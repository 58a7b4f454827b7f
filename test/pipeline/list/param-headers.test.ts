/**
 * param-headers: arguments as headers, by the rules of 2026-07-28.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toHeaderValue } from '../../../src/model/header-value.ts'
import { findHeaderFault, toParamHeaders } from '../../../src/pipeline/list/param-headers.ts'

const header = (name: unknown, type: unknown = 'string'): object => ({ type, 'x-mcp-header': name })
const schema = (properties: object): { properties: object } => ({ properties })

describe('declarations', () => {
  test.each([
    ['none', schema({ a: { type: 'string' } })],
    ['all three types', schema({ a: header('A'), b: header('B', 'integer'), c: header('C', 'boolean') })],
    ['below other properties', schema({ a: { type: 'object', ...schema({ b: header('Deep') }) } })],
    ['a property with the name of the key', schema({ 'x-mcp-header': { type: 'string' } })],
    ['a property with the name of a keyword', schema({ items: header('A'), not: header('B') })],
    ['a mention in a description', { description: 'x-mcp-header', ...schema({ a: header('A') }) }],
  ])('%s: fine', (_, inputSchema) => {
    expect(findHeaderFault(inputSchema)).toBeUndefined()
  })

  const noName = 'but `x-mcp-header` is not the name of a header'
  const noType = 'which is not a string, an integer or a boolean'
  const noPlace = 'which is no plain property of its arguments'
  test.each([
    ['an empty name', schema({ a: header('') }), `\`a\`, ${noName}`],
    ['a name with a blank', schema({ a: header('A B') }), `\`a\`, ${noName}`],
    ['a name with a line break', schema({ a: header('A\r\nB') }), `\`a\`, ${noName}`],
    ['a name that is no text', schema({ a: header(1) }), `\`a\`, ${noName}`],
    ['a number', schema({ a: header('A', 'number') }), `\`a\`, ${noType}`],
    ['an object', schema({ a: header('A', 'object') }), `\`a\`, ${noType}`],
    ['two types', schema({ a: header('A', ['string', 'null']) }), `\`a\`, ${noType}`],
    ['no type', schema({ a: { 'x-mcp-header': 'A' } }), `\`a\`, ${noType}`],
    [
      'the same name in another case',
      schema({ a: header('A'), b: header('a') }),
      '`b`, but `a` is declared twice',
    ],
    ['the schema itself', header('A'), `the schema itself, ${noPlace}`],
    ['items', schema({ a: { type: 'array', items: header('A') } }), `\`a.items\`, ${noPlace}`],
    ['a choice', { anyOf: [schema({ a: header('A') })] }, `\`anyOf.a\`, ${noPlace}`],
    ['a definition', { $defs: { x: header('A') } }, `\`$defs\`, ${noPlace}`],
  ])('%s: wrong', (_, inputSchema, reason) => {
    expect(findHeaderFault({ ...inputSchema })).toBe(`its schema declares a header for ${reason}`)
  })

  test('a hundred thousand properties are looked at without falling over', () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`p${i}`, { type: 'string' }]))
    expect(findHeaderFault(schema({ ...many, last: header('x y') }))).toContain('`last`')
  })
})

describe('headers of a call', () => {
  const tool = {
    name: 't',
    inputSchema: schema({
      region: header('Region'),
      count: header('Count', 'integer'),
      force: header('Force', 'boolean'),
      where: { type: 'object', ...schema({ city: header('City') }) },
      other: { type: 'string' },
    }),
  }

  test('every declared argument that is there, and no other', () => {
    const args = { region: 'eu', count: -3, force: false, where: { city: 'Köln' }, other: 'x' }
    expect(toParamHeaders(tool, args)).toEqual({
      'Mcp-Param-Region': 'eu',
      'Mcp-Param-Count': '-3',
      'Mcp-Param-Force': 'false',
      'Mcp-Param-City': `=?base64?${btoa('K\u00C3\u00B6ln')}?=`,
    })
  })

  test.each([
    ['absent', {}],
    ['null', { region: null, where: null }],
    ['an object or a list', { region: {}, count: [1], where: ['city'] }],
    ['beyond what a number can say', { count: 2 ** 53, region: Number.NaN }],
    ['not its own', Object.create({ region: 'eu' })],
  ])('an argument that is %s has no header', (_, args) => {
    expect(toParamHeaders(tool, args as Record<string, unknown>)).toEqual({})
  })

  test('a tool with a wrong declaration sends none', () => {
    const wrong = { name: 't', inputSchema: schema({ a: header('A'), b: header('A') }) }
    expect(toParamHeaders(wrong, { a: '1', b: '2' })).toEqual({})
  })
})

describe('header values', () => {
  test.each([
    ['plain', 'plain'],
    ['with blanks and\ttabs inside', 'with blanks and\ttabs inside'],
    ['', '=?base64??='],
    [' leading', '=?base64?IGxlYWRpbmc=?='],
    ['trailing\t', '=?base64?dHJhaWxpbmcJ?='],
    ['line\r\nbreak', '=?base64?bGluZQ0KYnJlYWs=?='],
    ['=?base64?eA==?=', '=?base64?PT9iYXNlNjQ/ZUE9PT89?='],
    ['=?base64?', '=?base64?'],
  ])('%j is sent as %j', (value, sent) => {
    expect(toHeaderValue(value)).toBe(sent)
  })

  test('whatever the text, it travels safely and can be read back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const sent = toHeaderValue(value)
        expect(sent).toMatch(/^[\t\x20-\x7E]*$/)
        const encoded = /^=\?base64\?(.*)\?=$/.exec(sent)?.[1]
        const back = encoded === undefined ? sent : Buffer.from(encoded, 'base64').toString('utf8')
        expect(back).toBe(value)
      }),
    )
  })
})
