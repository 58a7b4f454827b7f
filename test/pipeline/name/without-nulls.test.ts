/**
 * without-nulls: the way back from strict mode.
 */
import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../../../src/model/profile.ts'
import { withoutNulls } from '../../../src/pipeline/name/without-nulls.ts'

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    needed: { type: 'string' },
    optional: { type: 'string' },
    nullable: { type: ['string', 'null'] },
    openApi: { type: 'string', nullable: true },
    anything: {},
    choice: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    maybe: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    word: { enum: ['x', null] },
    part: { $ref: '#/$defs/part' },
    parts: { type: 'array', items: { $ref: '#/$defs/part' } },
    ['__proto__']: { type: 'string' },
  },
  required: ['needed'],
  $defs: {
    part: {
      type: 'object',
      properties: { name: { type: 'string' }, part: { $ref: '#/$defs/part' } },
    },
  },
}

describe('arguments that a model wrote for strict mode', () => {
  test.each([
    ['an optional one that is null is left out', { needed: 'x', optional: null }, { needed: 'x' }],
    ['one that is needed stays, so that the check can say so', { needed: null }, { needed: null }],
    [
      'one that may be null stays',
      { nullable: null, openApi: null, maybe: null, word: null },
      { nullable: null, openApi: null, maybe: null, word: null },
    ],
    ['one that may be anything stays', { anything: null }, { anything: null }],
    ['one of which no alternative is null is left out', { choice: null }, {}],
    ['one that is an object is left out', { part: null, parts: null }, {}],
    [
      'also inside of objects and lists',
      { part: { name: 'a', part: { name: null, part: null } }, parts: [{ name: null }] },
      { part: { name: 'a', part: {} }, parts: [{}] },
    ],
    ['nulls that the schema does not speak of stay', { other: null }, { other: null }],
  ])('%s', (_, args, expected) => {
    expect(withoutNulls(SCHEMA, args)).toEqual(expected)
  })

  test('are the same object when there is nothing to do', () => {
    const args = { needed: 'x', parts: [{ name: 'a' }] }
    expect(withoutNulls(SCHEMA, args)).toBe(args)
  })

  test('are not changed, and pollute nothing', () => {
    const args = JSON.parse('{"__proto__":null,"part":{"name":null}}') as Record<string, unknown>
    const before = JSON.stringify(args)
    expect(Object.keys(withoutNulls(SCHEMA, args))).toEqual(['__proto__', 'part'].slice(1))
    expect(JSON.stringify(args)).toBe(before)
  })

  test('of a schema that refers to itself come to an end', () => {
    const loop: JsonSchema = { properties: { a: { $ref: '#/properties/a' }, b: { $ref: '#' } } }
    expect(withoutNulls(loop, { a: null, b: { b: { a: null } } })).toEqual({ b: { b: {} } })
  })
})
