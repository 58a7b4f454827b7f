/**
 * schema: each thing that can be odd about a schema, and what becomes of it for whom.
 */
import { describe, expect, test } from 'vitest'
import { PROFILES, type JsonSchema, type Profile } from '../../../src/model/profile.ts'
import { toProviderSchema } from '../../../src/pipeline/name/schema.ts'

/** The schema, or the reason why there is none. */
function mend(schema: JsonSchema, profile: Profile): unknown {
  const made = toProviderSchema(schema, profile)
  return made.kind === 'schema' ? made.schema : made.reason
}

/** Of one argument, `a`. */
function mendOne(argument: unknown, profile: Profile): unknown {
  const made = mend({ type: 'object', properties: { a: argument }, required: ['a'] }, profile)
  return typeof made === 'string' ? made : (made as { properties: { a: unknown } }).properties.a
}

const MENDED: readonly Profile[] = ['anthropic', 'openai', 'openai-strict', 'gemini', 'moonshot']
const FEW_WORDS: readonly Profile[] = ['openai-strict', 'gemini', 'moonshot']

describe('`nullable`, the word of OpenAPI', () => {
  test.each<[Profile, unknown]>([
    ['anthropic', { type: ['string', 'null'], enum: ['x', null] }],
    ['openai', { type: ['string', 'null'], enum: ['x', null] }],
    ['openai-strict', { type: ['string', 'null'], enum: ['x', null] }],
    ['gemini', { type: 'string', enum: ['x'], nullable: true }],
    ['moonshot', { anyOf: [{ type: 'string', enum: ['x'] }, { type: 'null' }] }],
    ['none', { type: 'string', enum: ['x'], nullable: true }],
  ])('%s: null stays possible', (profile, expected) => {
    expect(mendOne({ type: 'string', enum: ['x'], nullable: true }, profile)).toEqual(expected)
  })

  test.each(MENDED)('%s: said besides, it is said once', (profile) => {
    const twice = mendOne({ type: ['string', 'null'], nullable: true }, profile)
    expect(twice).toEqual(mendOne({ type: ['string', 'null'] }, profile))
  })
})

describe('the root', () => {
  test.each(PROFILES)('%s: an object without `properties` has none', (profile) => {
    expect(mend({ type: 'object' }, profile)).toMatchObject({ type: 'object', properties: {} })
  })

  test.each(MENDED)('%s: without `type` it is an object', (profile) => {
    expect(mend({ properties: { a: { type: 'string' } }, required: ['a'] }, profile)).toMatchObject({
      type: 'object',
    })
  })

  test.each(MENDED)('%s: of another type it is in quarantine', (profile) => {
    expect(mend({ type: 'string' }, profile)).toBe(
      'its schema is of type `string`, but arguments are always an object',
    )
  })

  test.each(MENDED)('%s: that may also be null is an object', (profile) => {
    expect(mend({ type: ['object', 'null'] }, profile)).toMatchObject({ type: 'object' })
  })

  test.each(MENDED)('%s: that is a reference is what it leads to', (profile) => {
    const schema = {
      $ref: '#/definitions/input',
      definitions: { input: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } },
    }
    expect(mend(schema, profile)).toMatchObject({ type: 'object', properties: { a: { type: 'string' } } })
    expect(mend(schema, profile)).not.toHaveProperty('$ref')
  })

  test.each(MENDED)('%s: forms become one object with the properties of all', (profile) => {
    const schema: JsonSchema = {
      description: 'Find.',
      oneOf: [
        {
          type: 'object',
          properties: { kind: { const: 'id' }, id: { type: 'string' } },
          required: ['kind', 'id'],
        },
        {
          type: 'object',
          properties: { kind: { const: 'name' }, name: { type: 'string' } },
          required: ['kind', 'name'],
        },
      ],
    }
    const made = mend(schema, profile) as {
      properties: Record<string, unknown>
      required: unknown
      description: string
    }
    expect(Object.keys(made.properties)).toEqual(['kind', 'id', 'name'])
    expect(made.properties['kind']).toMatchObject({ enum: ['id', 'name'] })
    expect(made.required).toEqual(profile === 'openai-strict' ? ['kind', 'id', 'name'] : ['kind'])
    expect(made.description).toBe('Find.\nArguments that belong together, one of: kind + id, kind + name.')
    for (const keyword of ['anyOf', 'oneOf', 'allOf']) expect(made).not.toHaveProperty(keyword)
  })

  test.each(MENDED)('%s: "at least one of" stays with its properties', (profile) => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { route: { type: 'string' }, file: { type: 'string' } },
      anyOf: [{ required: ['route'] }, { required: ['file'] }],
    }
    const made = mend(schema, profile) as { properties: object }
    expect(Object.keys(made.properties)).toEqual(['route', 'file'])
    expect(made).not.toHaveProperty('anyOf')
  })

  test.each(MENDED)('%s: allOf is everything at once', (profile) => {
    const schema: JsonSchema = {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { $ref: '#/$defs/more' },
      ],
      $defs: { more: { properties: { b: { type: 'integer' } }, required: ['b'] } },
    }
    expect(mend(schema, profile)).toMatchObject({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer' } },
      required: ['a', 'b'],
    })
  })

  test.each(MENDED)('%s: that nothing can satisfy is in quarantine', (profile) => {
    expect(mend({ anyOf: [{ type: 'string' }, false] }, profile)).toBe('no arguments can satisfy its schema')
  })

  test('openai: has no options and no `not`', () => {
    expect(
      mend({ type: 'object', properties: {}, enum: [{}], const: {}, not: { required: ['x'] } }, 'openai'),
    ).toEqual({
      type: 'object',
      properties: {},
    })
  })
})

describe('older drafts', () => {
  test.each(['anthropic', 'openai'] as const)('%s: exclusive bounds of draft 4 are numbers', (profile) => {
    expect(mendOne({ type: 'integer', minimum: 0, exclusiveMinimum: true }, profile)).toEqual({
      type: 'integer',
      exclusiveMinimum: 0,
    })
    expect(mendOne({ type: 'integer', maximum: 9, exclusiveMaximum: false }, profile)).toEqual({
      type: 'integer',
      maximum: 9,
    })
  })

  test('lists of first items are `prefixItems`', () => {
    const tuple = { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false }
    const modern = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false }
    expect(mendOne(tuple, 'anthropic')).toEqual(modern)
    expect(mendOne(tuple, 'openai')).toEqual(modern)
    expect(mendOne({ ...tuple, additionalItems: undefined }, 'openai')).toEqual({ ...modern, items: {} })
    expect(mendOne(tuple, 'gemini')).toEqual({
      type: 'array',
      items: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    })
  })

  test('the draft is not named any more when its words are gone', () => {
    const draft4 = { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' }
    const old = { a: { minimum: 1, exclusiveMinimum: true } }
    expect(mend({ ...draft4, properties: old }, 'anthropic')).toEqual({
      type: 'object',
      properties: { a: { exclusiveMinimum: 1 } },
    })
    expect(mend({ ...draft4, properties: {} }, 'anthropic')).toEqual({ ...draft4, properties: {} })
  })

  test.each(FEW_WORDS)('%s: names of parts are `id` (draft 4), `$id` (draft 6) or `$anchor`', (profile) => {
    for (const part of [{ id: '#part' }, { $id: '#part' }, { $anchor: 'part' }]) {
      const made = mend(
        {
          type: 'object',
          properties: { a: { $ref: '#part', description: 'of that kind' } },
          required: ['a'],
          definitions: { x: { ...part, type: 'string', minItems: 3 } },
        },
        profile,
      )
      expect(made).toMatchObject({ properties: { a: { type: 'string', description: 'of that kind' } } })
    }
  })

  test.each(FEW_WORDS)('%s: `definitions` are as good as `$defs`', (profile) => {
    const made = mend(
      {
        type: 'object',
        properties: { a: { $ref: '#/definitions/x' } },
        required: ['a'],
        definitions: { x: { type: 'string' } },
      },
      profile,
    )
    expect(JSON.stringify(made)).not.toContain('definitions')
  })

  test.each(MENDED)('%s: `required: true` on a property (draft 3) is no list', (profile) => {
    expect(mendOne({ type: 'string', required: true }, profile)).toEqual({ type: 'string' })
  })
})

describe('references', () => {
  const list: JsonSchema = {
    type: 'object',
    properties: { head: { $ref: '#/$defs/node' } },
    required: ['head'],
    $defs: {
      node: {
        type: 'object',
        properties: {
          value: { type: 'string' },
          next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
        },
        required: ['value', 'next'],
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  }

  test.each(['anthropic', 'openai', 'openai-strict', 'moonshot'] as const)(
    '%s: to itself stay as they are',
    (profile) => {
      const { additionalProperties: _, ...open } = list
      const schema = profile === 'moonshot' ? open : list
      expect(toProviderSchema(schema, profile)).toEqual({ kind: 'schema', schema })
    },
  )

  test('gemini: to itself put the tool in quarantine', () => {
    expect(mend(list, 'gemini')).toBe(
      'its schema refers to itself (`#/$defs/node`) where that cannot be said',
    )
  })

  test('moonshot: without end put the tool in quarantine', () => {
    const endless = { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] }
    expect(mend(endless, 'moonshot')).toBe('its schema refers to itself without end')
  })

  test('gemini: are written out', () => {
    const schema = {
      type: 'object',
      properties: {
        from: { $ref: '#/$defs/point', description: 'where from' },
        to: { $ref: '#/$defs/point' },
      },
      $defs: { point: { type: 'object', description: 'a place', properties: { x: { type: 'number' } } } },
    }
    expect(mend(schema, 'gemini')).toEqual({
      type: 'object',
      properties: {
        from: { type: 'object', description: 'where from', properties: { x: { type: 'number' } } },
        to: { type: 'object', description: 'a place', properties: { x: { type: 'number' } } },
      },
    })
  })

  test.each(FEW_WORDS)('%s: that lead nowhere put the tool in quarantine', (profile) => {
    expect(mendOne({ $ref: '#/$defs/missing' }, profile)).toBe(
      'its schema refers to `#/$defs/missing`, which is nowhere in it',
    )
    expect(mendOne({ $ref: 'https://example.com/s.json' }, profile)).toBe(
      'its schema refers to `https://example.com/s.json`, which is nowhere in it',
    )
  })

  test.each(FEW_WORDS)('%s: by the name of the schema itself are local', (profile) => {
    const schema = {
      $id: 'https://example.com/s.json',
      type: 'object',
      properties: { a: { $ref: 'https://example.com/s.json#/$defs/x' } },
      required: ['a'],
      $defs: { x: { type: 'string' } },
    }
    expect(toProviderSchema(schema, profile).kind).toBe('schema')
  })

  const GATHERED = ['openai-strict', 'moonshot'] as const

  // Each of them is a reference to itself and nothing else, once it is said in few words.
  const EMPTY_CIRCLES: Readonly<Record<string, JsonSchema>> = {
    'with a description': { properties: { a: { $ref: '#/properties/a', description: 'some words' } } },
    'with a default': { properties: { a: { $ref: '#/properties/a', default: false } } },
    'as the only alternative': { properties: { a: { anyOf: [{ $ref: '#/properties/a' }] } } },
    'as the only alternative that can be': {
      properties: { a: { oneOf: [false, { $ref: '#/properties/a' }] } },
    },
    'by way of another': {
      properties: { x: { $ref: '#/$defs/a' } },
      $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a', title: 'A' } },
    },
  }

  describe.each(GATHERED)('%s: that lead only to themselves', (profile) => {
    test.each(Object.keys(EMPTY_CIRCLES))('%s', (kind) => {
      expect(mend({ type: 'object', ...EMPTY_CIRCLES[kind] }, profile)).toBe(
        'its schema refers to `#/$defs/a`, which only leads back to itself',
      )
    })
  })

  // OpenAI's own package runs out of stack over it.
  test.each(GATHERED)('%s: from an alternative to itself put the tool in quarantine', (profile) => {
    const one = {
      type: 'object',
      properties: { a: { anyOf: [{ type: 'string' }, { $ref: '#/properties/a' }] } },
    }
    expect(mend(one, profile)).toBe('its schema has `#/$defs/a` as an alternative to itself')
    const two = {
      type: 'object',
      properties: { x: { $ref: '#/$defs/a' } },
      $defs: {
        a: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/b' }] },
        b: { anyOf: [{ type: 'number' }, { $ref: '#/$defs/a' }] },
      },
    }
    expect(mend(two, profile)).toBe('its schema has `#/$defs/a` as an alternative to itself')
  })

  test.each(GATHERED)('%s: to a definition that only names another lead to the other', (profile) => {
    const to = ($ref: string): JsonSchema => ({
      type: 'object',
      properties: { x: { $ref: '#/$defs/a' }, y: { oneOf: [{ $ref: '#/$defs/a' }, { $ref }] } },
      required: ['x', 'y'],
      $defs: { a: { anyOf: [{ $ref }] }, b: { type: 'string' } },
    })
    expect(mend(to('#/$defs/b'), profile)).toMatchObject({
      properties: { x: { $ref: '#/$defs/b' }, y: { $ref: '#/$defs/b' } },
      $defs: { b: { type: 'string' } },
    })
    expect(JSON.stringify(mend(to('#/$defs/b'), profile))).not.toContain('$defs/a')
    // Of the tool itself there is no end, which strict mode does not mind.
    expect(mend(to('#'), 'openai-strict')).toMatchObject({
      properties: { x: { $ref: '#' }, y: { $ref: '#' } },
    })
  })

  test('definitions that nobody uses are left behind', () => {
    const schema = { type: 'object', properties: {}, $defs: { x: { type: 'any' } } }
    expect(mend(schema, 'moonshot')).toEqual({ type: 'object', properties: {} })
  })
})

describe('values', () => {
  test.each([
    ['anthropic', true],
    ['openai', {}],
    ['gemini', expect.objectContaining({ anyOf: expect.arrayContaining([{ type: 'string' }]) as unknown })],
    ['moonshot', { type: ['string', 'number', 'boolean', 'object', 'array', 'null'] }],
    ['openai-strict', '`a` takes any value, which strict mode has no way to say'],
  ] as const)('%s: `true` is any value', (profile, expected) => {
    expect(mendOne(true, profile)).toEqual(expected)
  })

  test.each(FEW_WORDS)('%s: `false` for an optional property leaves it out', (profile) => {
    const made = mend(
      { type: 'object', properties: { a: false, b: { type: 'string' } }, required: ['b'] },
      profile,
    )
    expect(made).toMatchObject({ properties: { b: { type: 'string' } } })
    expect(Object.keys((made as { properties: object }).properties)).toEqual(['b'])
  })

  test.each([
    ['gemini', { type: 'string', minLength: 2, nullable: true }],
    ['moonshot', { anyOf: [{ type: 'string', minLength: 2 }, { type: 'null' }] }],
    ['openai-strict', { type: ['string', 'null'], description: '(minLength: 2)' }],
    ['anthropic', { type: ['string', 'null'], minLength: 2 }],
  ] as const)('%s: a text or null', (profile, expected) => {
    expect(mendOne({ type: ['string', 'null'], minLength: 2 }, profile)).toEqual(expected)
  })

  test.each([
    [
      'gemini',
      {
        anyOf: [
          { type: 'string', description: 'd', nullable: true },
          { type: 'array', items: { type: 'string' }, description: 'd', nullable: true },
        ],
      },
    ],
    [
      'moonshot',
      {
        description: 'd',
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }, { type: 'null' }],
      },
    ],
  ] as const)('%s: several types, each with its own', (profile, expected) => {
    expect(
      mendOne({ type: ['string', 'array', 'null'], items: { type: 'string' }, description: 'd' }, profile),
    ).toEqual(expected)
  })

  test.each([
    ['gemini', { type: 'string', enum: ['x'] }],
    ['moonshot', { type: 'string', enum: ['x'] }],
    ['openai-strict', { type: 'string', enum: ['x'] }],
    ['openai', { const: 'x' }],
  ] as const)('%s: `const` is one option', (profile, expected) => {
    expect(mendOne({ const: 'x' }, profile)).toEqual(expected)
  })

  test('gemini: options that are no texts are told', () => {
    expect(mendOne({ type: 'integer', enum: [1, 2], description: 'level' }, 'gemini')).toEqual({
      type: 'integer',
      description: 'level\n(enum: [1,2])',
    })
    expect(mendOne({ enum: ['', 'a'] }, 'gemini')).toEqual({ type: 'string', enum: ['a'] })
  })

  test.each([
    ['openai-strict', { type: 'string', description: 'where\n(format: uri)' }],
    ['gemini', { type: 'string', description: 'where\n(format: uri)' }],
    ['moonshot', { type: 'string', description: 'where\n(format: uri)' }],
    ['anthropic', { type: 'string', format: 'uri', description: 'where' }],
    ['openai', { type: 'string', format: 'uri', description: 'where' }],
  ] as const)('%s: a format it does not know is told', (profile, expected) => {
    expect(mendOne({ type: 'string', format: 'uri', description: 'where' }, profile)).toEqual(expected)
  })

  test.each([
    ['^[a-z]+$', true],
    ['^\\d{4}-\\d\\d$', true],
    ['^(?:a|b)\\.\\-c$', true],
    ['C:\\\\path', true],
    ['\\u00e9', true],
    ['(?=a)', false],
    ['(?<n>a)', false],
    ['\\p{L}', false],
    ['\\cA', false],
    ['[', false],
    ['a'.repeat(2000), false],
  ])('openai: a pattern that everybody can read stays: %s', (pattern, stays) => {
    expect('pattern' in (mendOne({ type: 'string', pattern }, 'openai') as object)).toBe(stays)
  })

  test.each(['openai', 'openai-strict'] as const)('%s: a pattern that looks around is told', (profile) => {
    expect(mendOne({ type: 'string', pattern: '^(?!x)' }, profile)).toEqual({
      type: 'string',
      description: '(pattern: ^(?!x))',
    })
    expect(mendOne({ type: 'string', pattern: '^[a-z]+$' }, profile)).toEqual({
      type: 'string',
      pattern: '^[a-z]+$',
    })
  })

  test.each(FEW_WORDS)('%s: a type that is missing is inferred', (profile) => {
    expect(
      mendOne({ properties: { x: { minimum: 1 } }, required: ['x'], additionalProperties: false }, profile),
    ).toMatchObject({
      type: 'object',
      properties: { x: { type: 'number' } },
    })
  })

  test('openai: lists say that anything is in them', () => {
    expect(mendOne({ type: 'array' }, 'openai')).toEqual({ type: 'array', items: {} })
    expect(mendOne({ type: ['string', 'array'] }, 'openai')).toEqual({ type: ['string', 'array'], items: {} })
  })

  test.each(MENDED)('%s: what makes no sense is left out', (profile) => {
    const odd = {
      type: 'string',
      description: 7,
      enum: 'x',
      minLength: -1,
      properties: null,
      anyOf: [],
      $ref: 3,
    }
    expect(mendOne(odd, profile)).toEqual({ type: 'string' })
  })
})

describe('openai-strict', () => {
  test('everything is required, and what was optional may be null', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: 'integer', default: 3 },
        c: { enum: ['x', 'y'] },
        d: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
        e: { $ref: '#/$defs/e' },
      },
      required: ['a'],
      $defs: { e: { type: 'object', properties: { f: { type: 'boolean' } } } },
    }
    expect(mend(schema, 'openai-strict')).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: ['integer', 'null'], description: '(default: 3)' },
        c: { type: ['string', 'null'], enum: ['x', 'y', null] },
        d: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
        e: { anyOf: [{ $ref: '#/$defs/e' }, { type: 'null' }] },
      },
      required: ['a', 'b', 'c', 'd', 'e'],
      additionalProperties: false,
      $defs: {
        e: {
          type: 'object',
          properties: { f: { type: ['boolean', 'null'] } },
          required: ['f'],
          additionalProperties: false,
        },
      },
    })
  })

  test.each([
    ['a map', { type: 'object', additionalProperties: { type: 'string' } }],
    ['an object of anything', { type: 'object' }],
  ])('%s cannot be said', (_, argument) => {
    expect(mendOne(argument, 'openai-strict')).toBe(
      '`a` takes properties of any name, which strict mode has no way to say',
    )
  })

  const deep = (levels: number): JsonSchema =>
    levels === 1
      ? { type: 'object', properties: { x: { type: 'string' } } }
      : { type: 'object', properties: { x: deep(levels - 1) } }
  const many = (count: number): JsonSchema => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, { type: 'string' }])),
  })
  const options = (count: number, length: number): JsonSchema => ({
    type: 'object',
    properties: { a: { enum: Array.from({ length: count }, (_, i) => String(i).padStart(length, '0')) } },
  })

  test.each([
    ['10 levels', deep(10), 'schema'],
    ['11 levels', deep(11), 'quarantined'],
    ['5,000 properties', many(5000), 'schema'],
    ['5,001 properties', many(5001), 'quarantined'],
    ['999 options, and null', options(999, 4), 'schema'],
    ['1,001 options', options(1001, 4), 'quarantined'],
    ['251 options of 100 letters', options(251, 100), 'quarantined'],
  ])('%s', (_, schema, kind) => {
    expect(toProviderSchema(schema, 'openai-strict').kind).toBe(kind)
  })
})

describe('names of arguments', () => {
  test('anthropic: that it does not take put the tool in quarantine', () => {
    expect(mend({ type: 'object', properties: { 'StartTime<': { type: 'string' } } }, 'anthropic')).toBe(
      'anthropic does not take its argument `StartTime<`: a name has 1 to 64 letters, digits, `_`, `.` or `-`',
    )
    const inner = { type: 'object', properties: { a: { type: 'object', properties: { 'x<': {} } } } }
    expect(toProviderSchema(inner, 'anthropic')).toEqual({ kind: 'schema', schema: inner })
  })

  test('moonshot: that are keywords put the tool in quarantine', () => {
    expect(mendOne({ type: 'object', properties: { required: { type: 'boolean' } } }, 'moonshot')).toBe(
      'moonshot does not take the name of `a.required`',
    )
  })
})

describe('what did not change', () => {
  test.each(PROFILES)('%s: is shared with the original', (profile) => {
    const kept = {
      type: 'object',
      properties: { x: { type: 'string' } },
      required: ['x'],
      ...(profile === 'openai-strict' ? { additionalProperties: false } : {}),
    }
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { kept, odd: { type: 'array' } },
      required: ['kept'],
    }
    const made = mend(profile === 'openai-strict' ? { ...schema, properties: { kept } } : schema, profile)
    expect((made as { properties: { kept: unknown } }).properties.kept).toBe(kept)
  })
})
