/**
 * schemas: random schemas, right and wrong ones, and some that were made to do harm.
 */
import * as fc from 'fast-check'
import type { JsonSchema } from '../../../src/model/profile.ts'

/** Names that mean something to somebody. */
const NAMES = [
  'a',
  'b',
  'c',
  'type',
  'required',
  'items',
  '$ref',
  'anyOf',
  '__proto__',
  'constructor',
  'toString',
  'a/b',
  'a~b',
  '',
  'é',
  'x'.repeat(70),
]

const REFS = [
  '#',
  '#/$defs/a',
  '#/$defs/b',
  '#/definitions/a',
  '#/$defs/__proto__',
  '#/$defs/a~1b',
  '#/properties/a',
  '#/anyOf/0',
  '#/properties/a/items/0',
  '#here',
  'https://example.com/s.json',
  '#/%zz',
  '#/$defs/constructor',
  '#/x-parts/a',
  '',
]

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

const name = fc.constantFrom(...NAMES)
const junk = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e300, '', 'x', [], {}, [null], ['x', 1], { a: 1 }),
  fc.jsonValue({ maxDepth: 2 }),
)
const scalar = fc.constantFrom<unknown>('', 'a', 'b', 0, 1, 2.5, true, false, null)

/** As from the wire: `__proto__` is a key like any other. */
function toObject(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(entries)
}

function named(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.array(fc.tuple(name, value), { maxLength: 4 }).map(toObject)
}

/** Keyword and value, the value mostly of the kind that belongs there. */
function keyword(schema: fc.Arbitrary<unknown>): fc.Arbitrary<readonly [string, unknown]> {
  const one = (
    keywords: readonly string[],
    value: fc.Arbitrary<unknown>,
  ): fc.Arbitrary<readonly [string, unknown]> =>
    fc.tuple(
      fc.constantFrom(...keywords),
      fc.oneof({ weight: 9, arbitrary: value }, { weight: 1, arbitrary: junk }),
    )
  const list = fc.array(schema, { maxLength: 3 })
  return fc.oneof(
    { weight: 5, arbitrary: one(['type'], fc.constantFrom(...TYPES)) },
    { weight: 1, arbitrary: one(['type'], fc.subarray(TYPES)) },
    { weight: 4, arbitrary: one(['properties'], named(schema)) },
    { weight: 2, arbitrary: one(['required'], fc.array(name, { maxLength: 3 })) },
    {
      weight: 2,
      arbitrary: one(
        ['items', 'additionalProperties', 'not', 'contains', 'additionalItems', 'if', 'propertyNames'],
        schema,
      ),
    },
    { weight: 1, arbitrary: one(['items', 'prefixItems'], list) },
    { weight: 3, arbitrary: one(['anyOf', 'oneOf', 'allOf'], list) },
    {
      weight: 1,
      arbitrary: one(['$defs', 'definitions', 'patternProperties', 'dependencies', 'x-parts'], named(schema)),
    },
    { weight: 1, arbitrary: one(['$ref'], fc.constantFrom(...REFS)) },
    { weight: 2, arbitrary: one(['enum'], fc.array(scalar, { maxLength: 4 })) },
    { weight: 1, arbitrary: one(['const', 'default', 'examples'], fc.oneof(scalar, junk)) },
    {
      weight: 1,
      arbitrary: one(
        ['minimum', 'maximum', 'minLength', 'maxItems', 'minItems', 'multipleOf', 'exclusiveMinimum'],
        fc.constantFrom<unknown>(0, 1, 5, -3, 0.5, true),
      ),
    },
    { weight: 1, arbitrary: one(['format'], fc.constantFrom('uri', 'date-time', 'int32', 'uuid', 'enum')) },
    { weight: 1, arbitrary: one(['pattern'], fc.constantFrom('^a$', '(?=a)', '[', '\\p{L}', '(?<n>a)')) },
    {
      weight: 2,
      arbitrary: one(
        ['description', 'title', '$comment', '$schema', '$id', 'id', '$anchor'],
        fc.constantFrom('some words', '#here', 'http://json-schema.org/draft-04/schema#'),
      ),
    },
    { weight: 1, arbitrary: fc.tuple(name, junk) },
  )
}

const tree = fc.letrec<{ schema: unknown; object: JsonSchema }>((tie) => ({
  schema: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.boolean(), tie('object'), tie('object')),
  object: fc.array(keyword(tie('schema')), { maxLength: 5 }).map(toObject),
}))

/** Of a tool: an object, mostly one of objects, with definitions to refer to. */
export const anySchema: fc.Arbitrary<JsonSchema> = fc
  .tuple(tree.object, fc.option(named(tree.schema)), fc.option(named(tree.schema)), fc.boolean())
  .map(([body, defs, properties, isObject]) => ({
    ...body,
    ...(isObject ? { type: 'object' } : {}),
    ...(properties === null ? {} : { properties }),
    ...(defs === null ? {} : { $defs: defs }),
  }))

function nest(depth: number, wrap: (inner: JsonSchema) => JsonSchema): JsonSchema {
  let schema: JsonSchema = { type: 'string' }
  for (let level = 0; level < depth; level++) schema = wrap(schema)
  return { type: 'object', properties: { deep: schema } }
}

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))

const pairOf = (part: JsonSchema): JsonSchema => ({ type: 'object', properties: { l: part, r: part } })

/** Each is a way to make a careless program loop, explode or forget itself. */
export const HOSTILE: Readonly<Record<string, JsonSchema>> = {
  'objects 200 deep': nest(200, (inner) => ({ type: 'object', properties: { a: inner }, required: ['a'] })),
  'lists 200 deep': nest(200, (items) => ({ type: 'array', items })),
  'alternatives 200 deep': nest(200, (inner) => ({ anyOf: [inner, { type: 'null' }] })),
  // Written out, what is beside the alternatives is in both of them.
  'alternatives that double 60 times': nest(60, (inner) => ({
    type: 'object',
    properties: { a: inner },
    anyOf: [{ properties: { b: { type: 'string' } } }, { properties: { c: { type: 'string' } } }],
  })),
  'allOf 200 deep': nest(200, (inner) => ({ allOf: [inner, {}] })),
  'definitions that double 40 times': {
    type: 'object',
    properties: { a: { $ref: '#/$defs/d0' } },
    $defs: Object.fromEntries(
      times(41, (i): [string, JsonSchema] => [
        `d${i}`,
        pairOf(i < 40 ? { $ref: `#/$defs/d${i + 1}` } : { type: 'string' }),
      ]),
    ),
  },
  'a long text that is referred to 10,000 times': {
    type: 'object',
    properties: Object.fromEntries(times(10_000, (i) => [`p${i}`, { $ref: '#/$defs/long' }])),
    $defs: { long: { type: 'string', description: 'x'.repeat(100_000) } },
  },
  'itself, by every way there is': {
    type: 'object',
    properties: {
      a: { $ref: '#' },
      b: { $ref: '#/properties/a' },
      c: { allOf: [{ $ref: '#' }] },
      d: { anyOf: [{ $ref: '#' }, { $ref: '#/properties/d' }] },
    },
  },
  'a root that is itself': { $ref: '#' },
  'two that are each other': {
    $ref: '#/$defs/a',
    $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
  },
  'a chain of 4,000 alternatives': {
    type: 'object',
    properties: { a: { $ref: '#/$defs/d0' } },
    $defs: Object.fromEntries(
      times(4001, (i): [string, JsonSchema] => [
        `d${i}`,
        { anyOf: [{ const: i }, i < 4000 ? { $ref: `#/$defs/d${i + 1}` } : { type: 'string' }] },
      ]),
    ),
  },
  'a chain of 4,000 names': {
    type: 'object',
    properties: { a: { $ref: '#/$defs/d0' } },
    $defs: Object.fromEntries(
      times(4001, (i): [string, JsonSchema] => [
        `d${i}`,
        i < 4000 ? { anyOf: [{ $ref: `#/$defs/d${i + 1}` }] } : { type: 'string' },
      ]),
    ),
  },
  '10,000 definitions without plain names': {
    type: 'object',
    properties: Object.fromEntries(times(10_000, (i) => [`p${i}`, { $ref: `#/$defs/%20${i}` }])),
    $defs: Object.fromEntries(times(10_000, (i) => [` ${i}`, { type: 'string' }])),
  },
  'allOf of 10,000': {
    type: 'object',
    allOf: times(10_000, (i) => ({ properties: { [`p${i}`]: { type: 'string' } } })),
  },
  '10,000 constants': {
    type: 'object',
    properties: { a: { anyOf: times(10_000, (i) => ({ const: `c${i}` })) } },
  },
  'an enum of 100,000': { type: 'object', properties: { e: { enum: times(100_000, (i) => `option ${i}`) } } },
  'forms with 150,000 options each': {
    anyOf: [0, 150_000].map((from) => ({ properties: { a: { enum: times(150_000, (i) => from + i) } } })),
  },
  '5,000 alternatives': {
    type: 'object',
    properties: {
      e: { anyOf: times(5000, (i) => ({ type: 'object', properties: { [`p${i}`]: { type: 'string' } } })) },
    },
  },
  '5,000 alternatives at the root': {
    anyOf: times(5000, (i) => ({
      type: 'object',
      properties: { a: { const: i }, [`p${i}`]: { type: 'string' } },
      required: ['a', `p${i}`],
    })),
  },
  '20,000 properties': {
    type: 'object',
    properties: Object.fromEntries(times(20_000, (i) => [`p${i}`, { type: 'string' }])),
  },
  'names of the language': JSON.parse(
    '{"type":"object","__proto__":{"polluted":1},"properties":{"__proto__":{"type":"object","properties":{"polluted":{"const":1}}},"constructor":{"properties":{"prototype":{"properties":{"polluted":true}}}}},"required":["__proto__","constructor"],"$defs":{"__proto__":{"$ref":"#/$defs/constructor"},"constructor":{"type":"string"}},"allOf":[{"__proto__":{"polluted":1},"properties":{"__proto__":{"description":"x"}}},{"properties":{"z":{"$ref":"#/$defs/__proto__"}}}]}',
  ) as JsonSchema,
  'a pattern that hangs': { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
}
