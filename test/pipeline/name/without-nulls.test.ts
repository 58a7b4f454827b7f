/**
 * without-nulls: what a model writes under strict mode is what the server asked for.
 */
import { expect, it } from 'vitest'
import type { Params } from '../../../src/model/message.ts'
import { withoutNulls } from '../../../src/pipeline/name/without-nulls.ts'

const SCHEMA = {
  type: 'object',
  properties: {
    required: { type: 'string' },
    optional: { type: 'string' },
    nullable: { type: ['string', 'null'] },
    chosen: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    either: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    listed: { enum: ['a', null] },
    anything: {},
    nested: { type: 'object', properties: { inner: { type: 'integer' } } },
    list: { type: 'array', items: { $ref: '#/$defs/node' } },
  },
  required: ['required'],
  $defs: {
    node: {
      type: 'object',
      properties: { label: { type: 'string' }, next: { $ref: '#/$defs/node' } },
    },
  },
}

it.each([
  ['an optional argument', { optional: null }, {}],
  ['one of several types', { either: null }, {}],
  ['a property inside', { nested: { inner: null } }, { nested: {} }],
  [
    'behind a reference that refers to itself',
    { list: [{ label: null, next: { label: 'b', next: null } }] },
    { list: [{ next: { label: 'b' } }] },
  ],
])('takes out a null that says "left out": %s', (_, args, expected) => {
  expect(withoutNulls(args, SCHEMA)).toEqual(expected)
})

it.each([
  ['that a type allows', { nullable: null }],
  ['that a choice allows', { chosen: null }],
  ['that a list allows', { listed: null }],
  ['where anything is allowed', { anything: null }],
  ['for a required argument', { required: null }],
  ['under a name that nobody declared', { unknown: null, constructor: null }],
])('keeps a null %s', (_, args) => {
  expect(withoutNulls(args, SCHEMA)).toEqual(args)
})

it('keeps a property that is called `__proto__` a property', () => {
  const args = JSON.parse('{ "__proto__": { "polluted": true }, "optional": null }') as Record<
    string,
    unknown
  >
  const kept = withoutNulls(args, SCHEMA)
  expect(Object.keys(kept)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(kept)).toBe(Object.prototype)
})

it.each([
  [{ $ref: '#/nowhere/at/all' }],
  [{ $ref: 'https://example.test/schema' }],
  [{ properties: 7, anyOf: 'x' }],
])('leaves arguments as they are under a schema that says nothing: %o', (schema) => {
  expect(withoutNulls({ a: null }, schema)).toEqual({ a: null })
})

it('a schema that refers to itself at once has an end', () => {
  const schema = { $ref: '#', allOf: [{ $ref: '#' }], properties: { a: { $ref: '#/properties/a' } } }
  expect(withoutNulls({ a: null, b: [null] }, schema)).toEqual({ b: [null] })
})

it('alternatives that lead to each other cost no more for deep arguments', () => {
  const alternative = { properties: { next: { $ref: '#' }, note: { type: 'string' } } }
  const schema = { anyOf: Array.from({ length: 10 }, () => ({ ...alternative })) }
  expect(withoutNulls(nest({ note: null }, 50), schema)).toEqual(nest({}, 50))
})

function nest(one: Params, depth: number): Params {
  return depth === 0 ? one : { ...one, next: nest(one, depth - 1) }
}
