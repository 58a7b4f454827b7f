/**
 * arguments: what is wrong is said so that a model can mend it; what cannot be checked is not refused.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Validator } from '@cfworker/json-schema'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findFaults } from '../../../src/pipeline/call/arguments.ts'
import { toCheckable } from '../../../src/pipeline/call/checkable.ts'
import { toPlain } from '../../../src/pipeline/call/plain.ts'

type Schema = Readonly<Record<string, unknown>>

const object = (properties: Schema, more: Schema = {}): Schema => ({ type: 'object', properties, ...more })

describe('a fault says which argument, what is wrong and what is expected', () => {
  const CASES: readonly [string, Schema, unknown, readonly string[]][] = [
    ['no object', object({}), 'text', ['the arguments must be an object']],
    ['a list', object({}), [], ['the arguments must be an object']],
    [
      'a type',
      object({ n: { type: 'integer' } }),
      { n: '3' },
      ['`n` must be a whole number, but is the text "3"'],
    ],
    [
      'several types',
      object({ n: { type: ['string', 'null'] } }),
      { n: 3 },
      ['`n` must be text or null, but is `3`'],
    ],
    [
      'a list for an object',
      object({ o: { type: 'object' } }),
      { o: [1] },
      ['`o` must be an object, but is a list'],
    ],
    [
      'missing',
      object({ a: { type: 'string' }, b: { enum: ['x', 'y'] }, c: {} }, { required: ['a', 'b', 'c'] }),
      {},
      ['`a` is missing: it must be text', '`b` is missing: it must be one of "x", "y"', '`c` is missing'],
    ],
    [
      'unknown, and near to another',
      object({ title: {} }, { additionalProperties: false }),
      { titel: 1 },
      ['`titel` is not known; did you mean `title`?'],
    ],
    [
      'unknown, and near to none',
      object({ title: {}, body: {} }, { additionalProperties: false }),
      { zzzzzz: 1 },
      ['`zzzzzz` is not known; known are `title`, `body`'],
    ],
    ['unknown where nothing is', { additionalProperties: false }, { a: 1 }, ['`a` is not known']],
    [
      'an enum',
      object({ s: { enum: ['open', 'closed'] } }),
      { s: 'opn' },
      ['`s` must be one of "open", "closed", but is the text "opn"; did you mean `open`?'],
    ],
    ['a constant', object({ s: { const: 1 } }), { s: 2 }, ['`s` must be `1`, but is `2`']],
    ['limits', object({ n: { minimum: 1, maximum: 5 } }), { n: 9 }, ['`n` must be at most 5, but is `9`']],
    [
      'exclusive limits',
      object({ n: { exclusiveMinimum: 1 } }),
      { n: 1 },
      ['`n` must be more than 1, but is `1`'],
    ],
    [
      'lengths',
      object({ s: { minLength: 3 } }),
      { s: 'ab' },
      ['`s` must have at least 3 characters, but has 2'],
    ],
    ['items', object({ l: { maxItems: 1 } }), { l: [1, 2] }, ['`l` must have at most 1 items, but has 2']],
    [
      'items twice',
      object({ l: { uniqueItems: true } }),
      { l: [1, 1] },
      ['`l` must not have the same item twice'],
    ],
    [
      'a pattern',
      object({ s: { pattern: '^[a-z]+$' } }),
      { s: 'A' },
      ['`s` must match the pattern `^[a-z]+$`, but is the text "A"'],
    ],
    [
      'something inside',
      object({ l: { type: 'array', items: object({ 'a/b': { type: 'number' } }, { required: ['a/b'] }) } }),
      { l: [{ 'a/b': 1 }, { 'a/b': 'x' }, {}] },
      ['`l[1].a/b` must be a number, but is the text "x"', '`l[2].a/b` is missing: it must be a number'],
    ],
    [
      'a choice',
      object({ v: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
      { v: 1 },
      ['`v` must be text, or null, but is `1`'],
    ],
    [
      'one form of a choice, told by a fixed value',
      object({
        v: {
          oneOf: [
            object({ kind: { const: 'a' }, n: { type: 'number' } }, { required: ['n'] }),
            object({ kind: { const: 'b' }, s: { type: 'string' } }, { required: ['s'] }),
          ],
        },
      }),
      { v: { kind: 'b', s: 1 } },
      ['`v.s` must be text, but is `1`'],
    ],
    [
      'behind a reference',
      { ...object({ p: { $ref: '#/$defs/page' } }), $defs: { page: object({ n: { type: 'integer' } }) } },
      { p: { n: 'x' } },
      ['`p.n` must be a whole number, but is the text "x"'],
    ],
    [
      'behind a reference into the middle',
      object({ a: { properties: { x: { type: 'boolean' } } }, b: { $ref: '#/properties/a/properties/x' } }),
      { b: 1 },
      ['`b` must be true or false, but is `1`'],
    ],
    [
      'what depends on another',
      object({}, { dependentRequired: { a: ['b'] } }),
      { a: 1 },
      ['the arguments with `a` must also have `b`'],
    ],
    ['what is forbidden', object({ a: false }), { a: 1 }, ['`a` is not allowed']],
    ['not', object({ a: { not: { type: 'string' } } }), { a: 'x' }, ['`a` has a form that is not allowed']],
  ]

  test.each(CASES)('%s', async (_, schema, args, faults) => {
    expect(await findFaults(schema, args)).toEqual(faults)
  })

  test('of many, ten are told, each short, and no long value is repeated', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `name${i}`)
    const schema = object(Object.fromEntries(names.map((name) => [name, { type: 'number' }])))
    const args = Object.fromEntries(names.map((name) => [name, 'x'.repeat(100_000)]))
    const faults = await findFaults(schema, args)
    expect(faults).toHaveLength(11)
    expect(faults.at(-1)).toBe('and 30 more')
    expect(Math.max(...faults.map(({ length }) => length))).toBeLessThanOrEqual(300)
  })

  test('nothing that a terminal obeys is told', async () => {
    const faults = await findFaults(object({}, { additionalProperties: false }), { 'a\u001b[31mb': 1 })
    expect(faults).toEqual(['`ab` is not known'])
  })
})

describe('what nobody can tell is not refused', () => {
  const BIG = 'a'.repeat(50)
  const laughs: Schema = {
    properties: { a: { $ref: '#/$defs/l0' } },
    $defs: Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `l${i}`,
        { allOf: [{ $ref: `#/$defs/l${i + 1}` }, { $ref: `#/$defs/l${i + 1}` }] },
      ]),
    ),
  }
  test.each<[string, Schema, Schema]>([
    ['a type that does not exist', object({ n: { type: 'int' } }), { n: 1 }],
    ['draft-03 `required`', object({ n: { type: 'string', required: true } }), {}],
    ['a reference to elsewhere', object({ n: { $ref: 'https://schemas.test/x.json' } }), { n: 1 }],
    ['a reference that leads nowhere', object({ n: { $ref: '#/$defs/none' } }), { n: 1 }],
    ['a reference to itself', { $ref: '#' }, { n: 1 }],
    [
      'a circle of references',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
      {},
    ],
    ['billions of references', laughs, { a: 1 }],
    ['a pattern of another language', object({ s: { pattern: '(?i)^a\\Z' } }), { s: 'x' }],
    ['a pattern without end', object({ s: { pattern: '^(a+)+$' } }), { s: `${BIG}!` }],
    [
      'a pattern with too many choices',
      object({ s: { pattern: `^${'a?'.repeat(40)}${'a'.repeat(40)}$` } }),
      { s: 'a'.repeat(30) },
    ],
    [
      'a pattern that is slow for long texts',
      object({ s: { pattern: '^a*a*a*a*$' } }),
      { s: `${'a'.repeat(5000)}!` },
    ],
    ['a format', object({ s: { type: 'string', format: 'uri' } }), { s: 'not a uri' }],
    [
      'two formats of which one must fit',
      object({ s: { oneOf: [{ format: 'ipv4' }, { format: 'ipv6' }] } }),
      { s: 'x' },
    ],
    ['not of something that is not checked', object({ s: { not: { format: 'uri' } } }), { s: 'x' }],
    ['properties that are none', { properties: [], additionalProperties: false }, { a: 1 }],
    [
      'patterns of properties that cannot be read',
      { patternProperties: { '(?<': {} }, additionalProperties: false },
      { a: 1 },
    ],
    ['null where OpenAPI allows it', object({ s: { type: 'string', nullable: true } }), { s: null }],
    ['a limit of draft-04', object({ n: { minimum: 0, exclusiveMinimum: false } }), { n: 0 }],
    ['an identifier that is none', { ...object({}), $id: 'http://[', id: 7 }, { a: 1 }],
    ['half a character in a name', object({ '\ud800': { type: 'string' } }), { '\ud800': 1 }],
    ['an empty choice', { anyOf: [] }, { a: 1 }],
  ])('%s', async (_, schema, args) => {
    expect(await findFaults(schema, args)).toEqual([])
  })

  test('what JSON makes of a value counts, not what it is here', async () => {
    const schema = object({ at: { type: 'string' }, n: { type: 'number' } }, { required: ['at'] })
    expect(await findFaults(schema, { at: new Date(0), n: undefined })).toEqual([])
    expect(await findFaults(schema, { at: undefined })).toEqual(['`at` is missing: it must be text'])
  })

  test('what cannot be sent is refused', async () => {
    const circle: Record<string, unknown> = {}
    circle['circle'] = circle
    const schema = object({ circle: { type: 'string' }, n: { type: 'string' } })
    expect(await findFaults(schema, circle)).toEqual(['the arguments cannot be written as JSON'])
    expect(await findFaults(schema, { n: 1n })).toEqual(['the arguments cannot be written as JSON'])
    expect(await findFaults(schema, { more: 1n })).toEqual(['the arguments cannot be written as JSON'])
    expect(await findFaults(schema, { more: circle })).toEqual(['the arguments cannot be written as JSON'])
  })

  test('a draft-04 limit is one', async () => {
    const schema = object({ n: { minimum: 0, exclusiveMinimum: true } })
    expect(await findFaults(schema, { n: 0 })).toEqual(['`n` must be more than 0, but is `0`'])
  })

  test('a slow pattern is still checked for short texts', async () => {
    const schema = object({ s: { pattern: '^a*a*a*$' } })
    expect(await findFaults(schema, { s: 'b' })).toHaveLength(1)
    expect(await findFaults(schema, { s: `${'a'.repeat(3000)}!` })).toEqual([])
    expect(await findFaults(schema, { s: 'b' })).toHaveLength(1)
  })
})

describe('the schemas of real servers', () => {
  const FOLDER = fileURLToPath(new URL('../../corpus/', import.meta.url))
  const tools = readdirSync(FOLDER).flatMap((file) => {
    const parsed = JSON.parse(readFileSync(`${FOLDER}${file}`, 'utf8')) as {
      tools: { name: string; inputSchema: Schema }[]
    }
    return parsed.tools.map(({ name, inputSchema }) => ({ name: `${file} ${name}`, inputSchema }))
  })

  test('are not changed, and refuse an argument of a wrong type', async () => {
    expect(tools.length).toBeGreaterThan(1000)
    let refused = 0
    for (const { name, inputSchema } of tools) {
      const before = JSON.stringify(inputSchema)
      const required = (inputSchema['required'] as readonly string[] | undefined) ?? []
      const faults = await findFaults(inputSchema, {})
      expect({ name, missing: faults.filter((fault) => fault.includes('is missing')).length }).toEqual({
        name,
        missing: Math.min(required.length, 10),
      })
      refused += faults.length === 0 ? 0 : 1
      expect(JSON.stringify(inputSchema)).toBe(before)
      expect(Object.getOwnPropertyNames(inputSchema)).toEqual(Object.keys(inputSchema))
    }
    expect(refused).toBeGreaterThan(500)
  })
})

/** Schemas and values that have a chance to fit each other. */
const json = fc.jsonValue({ maxDepth: 2 })
const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'x/y', 'z~')
const { schema: anySchema } = fc.letrec<{ schema: unknown }>((tie) => {
  const keywords = {
    type: fc.constantFrom('string', 'number', 'integer', 'object', 'array', 'null', 'boolean', 'int', [
      'string',
      'null',
    ]),
    enum: fc.array(json, { maxLength: 3 }),
    const: json,
    minimum: fc.integer({ min: -5, max: 5 }),
    exclusiveMaximum: fc.oneof(fc.boolean(), fc.integer({ min: -5, max: 5 })),
    maxLength: fc.nat(5),
    pattern: fc.constantFrom('^a', '[', '(a+)+$', 'b?'),
    format: fc.constant('uri'),
    required: fc.oneof(fc.boolean(), fc.array(key, { maxLength: 2 })),
    properties: fc.oneof(fc.dictionary(key, tie('schema'), { maxKeys: 3 }), json),
    patternProperties: fc.dictionary(fc.constantFrom('^a', '[', ''), tie('schema'), { maxKeys: 2 }),
    additionalProperties: tie('schema'),
    unevaluatedProperties: tie('schema'),
    items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
    contains: tie('schema'),
    maxContains: fc.nat(2),
    uniqueItems: fc.boolean(),
    not: tie('schema'),
    if: tie('schema'),
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: tie('schema'),
    anyOf: fc.array(tie('schema'), { maxLength: 2 }),
    oneOf: fc.array(tie('schema'), { maxLength: 2 }),
    allOf: fc.array(tie('schema'), { maxLength: 2 }),
    $ref: fc.constantFrom('#', '#/$defs/d', '#/properties/a', 'https://schemas.test/x', '#/%'),
    nullable: fc.boolean(),
    $defs: fc.record({ d: tie('schema') }),
  }
  const parts = Object.entries(keywords).map(([keyword, values]) =>
    (values as fc.Arbitrary<unknown>).map((value) => ({ [keyword]: value })),
  )
  const some = fc.array(fc.oneof(...parts), { maxLength: 4 })
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.boolean(),
      some.map((all) => Object.assign({}, ...all) as Schema),
    ),
  }
})
const anyArgs = fc.dictionary(key, json, { maxKeys: 4 })

describe('fuzz', () => {
  test('whatever the schema and the arguments are: no throw, bounded sentences, nothing changed', async () => {
    await fc.assert(
      fc.asyncProperty(anySchema, anyArgs, async (schema, args) => {
        const root = typeof schema === 'boolean' ? { not: schema } : (schema as Schema)
        const before = JSON.stringify([root, args])
        const faults = await findFaults(root, args)
        expect(faults.length).toBeLessThanOrEqual(11)
        for (const fault of faults) expect(fault.length).toBeLessThanOrEqual(300)
        expect(JSON.stringify([root, args])).toBe(before)
        expect(({} as Schema)['polluted']).toBeUndefined()
      }),
      { numRuns: 3000 },
    )
  })

  test('what is plainly fine is fine', () => {
    const simple = fc.record(
      {
        type: fc.constantFrom('string', 'number', 'integer', 'boolean'),
        enum: fc.array(fc.oneof(fc.constantFrom('x', 'y'), fc.integer({ min: 0, max: 3 })), { maxLength: 3 }),
        description: fc.string(),
      },
      { requiredKeys: ['type'] },
    )
    const plainSchema = fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(key, simple, { maxKeys: 3 }),
        required: fc.array(key, { maxLength: 2 }),
        additionalProperties: fc.boolean(),
      },
      { requiredKeys: ['type'] },
    )
    const value = fc.oneof(fc.constantFrom('x', true, null, 1.5), fc.integer({ min: 0, max: 3 }))
    let fine = 0
    fc.assert(
      fc.property(plainSchema, fc.dictionary(key, value, { maxKeys: 3 }), (schema, args) => {
        const fits = toPlain(schema)
        expect(fits).toBeTypeOf('function')
        const verdict = tryValidate(structuredClone(schema), args)
        if (fits!(args)) fine += 1
        // For plain JSON the quick way is also the whole of it.
        expect(fits!(args)).toBe(verdict)
      }),
      { numRuns: 5000 },
    )
    expect(fine).toBeGreaterThan(500)
  })

  test('a copy never forbids what the validator takes for fine', () => {
    let compared = 0
    fc.assert(
      fc.property(anySchema, anyArgs, (schema, args) => {
        if (typeof schema === 'boolean') return
        const original = structuredClone(schema) as Schema
        const verdict = tryValidate(original, args)
        if (verdict !== true) return
        compared += 1
        expect(tryValidate(toCheckable(schema as Schema, 64).schema, args)).not.toBe(false)
      }),
      { numRuns: 5000 },
    )
    expect(compared).toBeGreaterThan(500)
  })
})

/** Undefined when it throws, as it does at what is no schema. */
function tryValidate(schema: Schema, value: unknown): boolean | undefined {
  try {
    return new Validator(schema, '2020-12').validate(value).valid
  } catch {
    return undefined
  }
}
