/**
 * tool-arguments: what a person typed, as the tool wants it.
 */
import { describe, expect, test } from 'vitest'
import { parsePair, toArguments } from '../../../src/hosts/shared/tool-arguments.ts'
import { ProblemError } from '../../../src/problem/problem.ts'

type Fields = Readonly<Record<string, unknown>>

function typed(properties: Fields, words: readonly string[], more: Fields = {}): Fields {
  const inputSchema = { type: 'object', properties, ...more }
  return toArguments(words.map(parsePair), {}, { tool: 't', inputSchema })
}

function codeOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof ProblemError) return error.problem.code
    throw error
  }
  return 'none'
}

const LONG = '12345678901234567890'

describe('a value is read by its schema', () => {
  test.each<[string, unknown, string, unknown]>([
    ['text', { type: 'string' }, 'x=5', '5'],
    ['a number', { type: 'number' }, 'x=-1.5e3', -1500],
    ['a whole number', { type: 'integer' }, 'x=7', 7],
    ['no number', { type: 'integer' }, 'x=0x10', '0x10'],
    ['true', { type: 'boolean' }, 'x=true', true],
    ['not quite true', { type: 'boolean' }, 'x=yes', 'yes'],
    ['null', { type: 'null' }, 'x=null', null],
    ['text or null', { type: ['string', 'null'] }, 'x=null', 'null'],
    ['null or text', { type: ['null', 'string'] }, 'x=null', null],
    ['a number or text', { anyOf: [{ type: 'number' }, { type: 'string' }] }, 'x=5', 5],
    ['a number or text that is text', { anyOf: [{ type: 'number' }, { type: 'string' }] }, 'x=5a', '5a'],
    ['an object', { type: 'object' }, 'x={"a":1}', { a: 1 }],
    ['a broken object', { type: 'object' }, 'x={a}', '{a}'],
    ['a list', { type: 'array' }, 'x=[1,"2"]', [1, '2']],
    ['one of a list', { type: 'array', items: { type: 'integer' } }, 'x=1', [1]],
    ['a list or text', { anyOf: [{ type: 'array' }, { type: 'string' }] }, 'x=a', 'a'],
    ['fixed numbers', { enum: [1, 2] }, 'x=2', 2],
    ['a fixed text', { const: '2' }, 'x=2', '2'],
    ['behind a reference', { $ref: '#/$defs/n' }, 'x=2', 2],
    ['behind a circle', { $ref: '#/$defs/c' }, 'x=2', 2],
    ['unknown: looks like a number', {}, 'x=2', 2],
    ['unknown: looks like text', {}, 'x=two', 'two'],
    ['unknown: looks like a list', {}, 'x=[1]', [1]],
    ['unknown: begins like an object', {}, 'x={', '{'],
    ['given as JSON', { type: 'string' }, 'x:=5', 5],
    ['a word, or a number', { anyOf: [{ const: 'all' }, { type: 'integer' }] }, 'x=5', 5],
    ['a word or a number, and the word', { anyOf: [{ type: 'integer' }, { enum: ['all'] }] }, 'x=all', 'all'],
    ['a word or a number, and another word', { anyOf: [{ const: 'all' }, { type: 'null' }] }, 'x=al', 'al'],
    ['options of several types', { enum: ['1', 2, null] }, 'x=2', 2],
    ['more digits than a number holds, or text', { type: ['integer', 'string'] }, `x=${LONG}`, LONG],
    ['unknown: more digits than a number holds', {}, `x=${LONG}`, LONG],
    ['unknown: a number without end', {}, 'x=12e4567', '12e4567'],
    ['many digits that a number holds', { type: 'integer' }, 'x=10000000000000000000000', 1e22],
    ['digits within text', {}, `x={"id":"${LONG}"}`, { id: LONG }],
    ['empty', { type: 'string' }, 'x=', ''],
    ['with an equals sign', { type: 'string' }, 'x=a=b', 'a=b'],
  ])('%s', (_, schema, word, value) => {
    const $defs = { n: { type: 'number' }, c: { $ref: '#/$defs/c' } }
    expect(typed({ x: schema }, [word], { $defs })).toEqual({ x: value })
  })

  test.each([`x=${LONG}`, 'x=1e999', `x=${'9'.repeat(400)}`, `x:=${LONG}`, `x:={"a":[1,-${LONG}]}`])(
    '%s would be sent as another number, and is not',
    (word) => {
      expect(codeOf(() => typed({ x: { type: 'integer' } }, [word]))).toBe('cli/bad-argument')
    },
  )

  test('repeated names make a list', () => {
    const schema = { x: { type: 'array', items: { type: 'integer' } } }
    expect(typed(schema, ['x=1', 'x=2'])).toEqual({ x: [1, 2] })
    expect(typed({}, ['x=1', 'x=b'])).toEqual({ x: [1, 'b'] })
    expect(codeOf(() => typed({ x: { type: 'string' } }, ['x=1', 'x=2']))).toBe('cli/bad-argument')
  })

  test('a name is a name, whatever it is', () => {
    const args = typed({}, ['__proto__=1', 'constructor=2', 'a:b=3'])
    expect(Object.entries(args)).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
      ['a:b', 3],
    ])
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype)
  })

  test('what is typed goes on top of --args', () => {
    const tool = { tool: 't', inputSchema: { properties: { a: { type: 'number' } } } }
    expect(toArguments([parsePair('a=2')], { a: 1, b: 3 }, tool)).toEqual({ a: 2, b: 3 })
  })
})

describe('a slip of the fingers', () => {
  const title = { title: { type: 'string' } }

  test('is told with the nearest name', () => {
    expect(codeOf(() => typed(title, ['titel=x']))).toBe('cli/unknown-argument')
  })

  test('is none where other names are expected, or none is near', () => {
    expect(typed(title, ['titel=x'], { additionalProperties: true })).toEqual({ titel: 'x' })
    expect(typed(title, ['titel=x'], { patternProperties: {} })).toEqual({ titel: 'x' })
    expect(typed(title, ['quite-another=x'])).toEqual({ 'quite-another': 'x' })
  })

  test.each(['x', '=x', ''])('%j is no pair', (word) => {
    expect(codeOf(() => parsePair(word))).toBe('cli/bad-argument')
  })

  test('what should be JSON and is not, is told', () => {
    expect(codeOf(() => typed({}, ['x:={']))).toBe('cli/bad-argument')
  })
})
