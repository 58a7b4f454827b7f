/**
 * What a schema means after it was mended: no call that it speaks of is lost. Arguments are tried on both schemas, by a validator
 * that is not ours.
 *
 * The schemas are closed. An open one also allows what it does not speak of: a property that only another form names, the third
 * of two items, a text where only numbers are bounded. Nobody means that, and it is not kept.
 */
import { Validator, type Schema } from '@cfworker/json-schema'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonSchema, Profile } from '../../../src/model/profile.ts'
import { toProviderSchema } from '../../../src/pipeline/name/schema.ts'
import { withoutNulls } from '../../../src/pipeline/name/without-nulls.ts'

const NAMES = ['a', 'b', 'c']

const leaf: fc.Arbitrary<JsonSchema> = fc.constantFrom<JsonSchema>(
  { type: 'string' },
  { type: 'string', minLength: 2, description: 'at least two' },
  { type: ['string', 'null'] },
  { type: ['integer', 'string', 'null'], minimum: 1, maxLength: 1 },
  { type: 'integer', minimum: 0, exclusiveMaximum: 3 },
  { type: 'number', multipleOf: 0.5 },
  { type: 'boolean' },
  { const: 'x' },
  { enum: ['x', 'y', 1, null] },
  { type: 'string', enum: ['x', 'xy'] },
  { enum: [1, 2] },
  { $ref: '#/$defs/d' },
  { $ref: '#/$defs/d', description: 'with words' },
  { $ref: '#/$defs/d', type: ['object', 'string'] },
)

const named = (schema: fc.Arbitrary<JsonSchema>): fc.Arbitrary<JsonSchema> =>
  fc.dictionary(fc.constantFrom(...NAMES), schema, { maxKeys: 3, noNullPrototype: true })

const depth = { depthIdentifier: fc.createDepthIdentifier(), maxDepth: 3 }

const some = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(item, { minLength: 1, maxLength: 3 })

const tree = fc.letrec<{ schema: JsonSchema; object: JsonSchema; forms: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    depth,
    leaf,
    tie('forms'),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({ type: fc.constant('array'), prefixItems: some(tie('schema')), items: fc.constant(false) }),
    fc.record({ anyOf: some(tie('schema')), description: fc.constant('one of') }),
    fc.record({ oneOf: some(tie('schema')) }),
    fc.record({ type: fc.constantFrom('object', 'string', 'integer'), anyOf: some(tie('schema')) }),
    fc.record({ type: fc.constantFrom('object', 'string', 'integer'), allOf: some(tie('schema')) }),
  ),
  object: fc
    .record({ properties: named(tie('schema')), required: fc.subarray(NAMES) })
    .map((own) => ({ type: 'object', ...own, additionalProperties: false })),
  forms: fc.oneof(
    depth,
    tie('object'),
    fc.record({ type: fc.constant('object'), anyOf: some(tie('forms')) }),
    fc.record({ oneOf: some(tie('forms')) }),
    fc.record({ allOf: fc.tuple(tie('forms'), fc.record({ required: fc.subarray(NAMES) })) }),
    fc.tuple(tie('object'), some(fc.subarray(NAMES))).map(([own, groups]) => ({
      ...own,
      anyOf: groups.map((required) => ({ required })),
    })),
  ),
}))

const schemas = fc.tuple(tree.forms, tree.object).map(([root, d]): JsonSchema => ({ ...root, $defs: { d } }))

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>('', 'x', 'xy', 0, 1, 2, 2.5, true, null),
    tie('object'),
    fc.array(tie('value'), { maxLength: 2 }),
  ),
  object: fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 3, noNullPrototype: true }),
}))

function accepts(schema: JsonSchema, args: unknown): boolean {
  return new Validator(schema as Schema, '2020-12').validate(args).valid
}

/** `nullable` is how OpenAPI says that null will do. */
function fromOpenApi(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map(fromOpenApi)
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([key, inner]) => [
      key,
      key === 'enum' || key === 'default' ? inner : fromOpenApi(inner),
    ]),
  )
  return nullable === true ? { anyOf: [rest, { type: 'null' }] } : rest
}

describe.each<Profile>(['anthropic', 'openai', 'moonshot', 'gemini', 'none'])('%s', (profile) => {
  test('takes all arguments that the server takes', { timeout: 120_000 }, () => {
    let taken = 0
    fc.assert(
      fc.property(schemas, fc.array(value['object']!, { minLength: 5, maxLength: 5 }), (schema, calls) => {
        const made = toProviderSchema(schema, profile)
        if (made.kind === 'quarantined') return
        const provider = (profile === 'gemini' ? fromOpenApi(made.schema) : made.schema) as JsonSchema
        for (const args of calls) {
          if (!accepts(schema, args)) continue
          taken++
          if (!accepts(provider, args)) expect({ schema, made: made.schema, args }).toBe('taken')
        }
      }),
      { numRuns: 4000 },
    )
    expect(taken).toBeGreaterThan(500)
  })
})

/** As a model writes them in strict mode: whatever may be left out is null. */
function filled(schema: unknown, args: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || typeof args !== 'object' || args === null) return args
  const { properties = {}, items } = schema as { properties?: JsonSchema; items?: unknown }
  if (Array.isArray(args)) return args.map((item) => filled(items, item))
  const names = [...new Set([...Object.keys(properties), ...Object.keys(args)])]
  const given = args as JsonSchema
  return Object.fromEntries(
    names.map((name) => [name, name in given ? filled(properties[name], given[name]) : null]),
  )
}

describe('openai-strict', () => {
  /** Without alternatives: which of them was meant is for the model to know, not for the test. */
  const plain = fc.letrec<{ schema: JsonSchema; object: JsonSchema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      leaf.filter((schema) => schema['$ref'] === undefined),
      tie('object'),
      fc.record({ type: fc.constant('array'), items: tie('schema') }),
    ),
    object: fc
      .record({ properties: named(tie('schema')), required: fc.subarray(NAMES) })
      .map((own) => ({ type: 'object', ...own, additionalProperties: false })),
  }))

  test('takes all arguments that the server takes, with nulls, and the way back leads to them', () => {
    let taken = 0
    fc.assert(
      fc.property(
        plain.object,
        fc.array(value['object']!, { minLength: 5, maxLength: 5 }),
        (schema, calls) => {
          const made = toProviderSchema(schema, 'openai-strict')
          if (made.kind === 'quarantined') return
          for (const args of calls) {
            if (!accepts(schema, args)) continue
            taken++
            const strict = filled(made.schema, args) as JsonSchema
            expect([made.schema, strict, accepts(made.schema, strict)]).toEqual([made.schema, strict, true])
            expect(accepts(schema, withoutNulls(schema, strict))).toBe(true)
          }
        },
      ),
      { numRuns: 4000 },
    )
    expect(taken).toBeGreaterThan(500)
  })
})
