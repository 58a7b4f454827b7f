/**
 * show-schema: schemas in words, whatever they are.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../../../src/model/profile.ts'
import { toSchemaRows } from '../../../src/hosts/shared/show-schema.ts'
import { anySchema, HOSTILE } from '../../pipeline/name/schemas.ts'

const typeOf = (argument: unknown): string =>
  toSchemaRows({ type: 'object', properties: { a: argument } })[0]!.type

describe('a type in words', () => {
  test.each([
    [{ type: 'string' }, 'string'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ type: 'string', nullable: true }, 'string or null'],
    [{ type: 'string', format: 'date' }, 'string (date)'],
    [{ type: 'array', items: { type: 'integer' } }, 'list of integer'],
    [{ type: 'array' }, 'list of anything'],
    [{ items: {} }, 'list of anything'],
    [{ enum: ['a', 1, null] }, '"a" or 1 or null'],
    [{ enum: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }, '1 or 2 or 3 or 4 or 5 or 6 or 7 or 8 or 2 more'],
    [{ const: true }, 'true'],
    [{ anyOf: [{ type: 'string' }, { type: 'string' }, { type: 'null' }] }, 'string or null'],
    [{ properties: {} }, 'object'],
    [{ $ref: '#/$defs/node' }, 'node'],
    [{ $ref: '#' }, 'the same again'],
    [{}, 'anything'],
    [true, 'anything'],
    [false, 'nothing'],
    ['junk', 'anything'],
  ])('%j', (argument, words) => {
    expect(typeOf(argument)).toBe(words)
  })
})

describe('rows', () => {
  test('say what is required, what is inside, and the first line of what it is', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        a: {
          type: 'object',
          description: 'first\nsecond',
          properties: { b: { type: 'string' } },
          required: ['b'],
        },
        c: { type: 'array', items: { type: 'object', properties: { d: { type: 'boolean' } } } },
      },
      required: ['a'],
    }
    expect(toSchemaRows(schema)).toEqual([
      { depth: 0, name: 'a', type: 'object, required', description: 'first' },
      { depth: 1, name: 'b', type: 'string, required', description: '' },
      { depth: 0, name: 'c', type: 'list of object', description: '' },
      { depth: 1, name: 'd', type: 'boolean', description: '' },
    ])
  })

  test('of random and of hostile schemas come to an end', () => {
    fc.assert(fc.property(anySchema, (schema) => toSchemaRows(schema).length < 10_000))
    for (const schema of Object.values(HOSTILE)) expect(toSchemaRows(schema).length).toBeLessThan(50_000)
  })
})
