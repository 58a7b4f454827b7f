/**
 * arguments: what is certainly wrong is refused, in words that a model can act on; everything else is sent, and told once
 * the server has failed.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Validator } from '@cfworker/json-schema'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findDoubts, findFaults } from '../../../src/pipeline/call/arguments.ts'

type Schema = Readonly<Record<string, unknown>>

const object = (properties: Schema, more: Schema = {}): Schema => ({ type: 'object', properties, ...more })

describe('what is certainly wrong is refused', () => {
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
      'missing, and probably given under another name',
      object({ title: { type: 'string' } }, { required: ['title'] }),
      { titel: 'x' },
      ['`title` is missing: it must be text; did you mean it by `titel`?'],
    ],
    ['missing where nothing describes it', { required: ['a'] }, {}, ['`a` is missing']],
    [
      'an enum',
      object({ s: { enum: ['open', 'closed'] } }),
      { s: 'opn' },
      ['`s` must be one of "open", "closed", but is the text "opn"; did you mean `open`?'],
    ],
    [
      'something inside a list',
      object({ l: { type: 'array', items: object({ 'a/b': { type: 'number' } }, { required: ['a/b'] }) } }),
      { l: [{ 'a/b': 1 }, { 'a/b': 'x' }, {}] },
      ['`l[1].a/b` must be a number, but is the text "x"', '`l[2].a/b` is missing: it must be a number'],
    ],
    [
      'a value of a map',
      object({ env: { type: 'object', additionalProperties: { type: 'string' } } }),
      { env: { DEBUG: 1 } },
      ['`env.DEBUG` must be text, but is `1`'],
    ],
    [
      'behind a reference into the schema',
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
      'a property beside a combination',
      object({ a: { type: 'string' }, b: {} }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
      { a: 1 },
      ['`a` must be text, but is `1`'],
    ],
    [
      'with the rest that does not fit, after it',
      object({ n: { type: 'integer', minimum: 1 }, s: { type: 'string' } }, { required: ['s'] }),
      { n: 0 },
      ['`s` is missing: it must be text', '`n` must be at least 1, but is `0`'],
    ],
  ]

  test.each(CASES)('%s', (_, schema, args, faults) => {
    expect(findFaults(schema, args)).toEqual(faults)
  })

  test('of many, ten are told, each short, and no long value is repeated', () => {
    const names = Array.from({ length: 40 }, (_, i) => `name${i}`)
    const schema = object(Object.fromEntries(names.map((name) => [name, { type: 'number' }])))
    const args = Object.fromEntries(names.map((name) => [name, 'x'.repeat(100_000)]))
    const faults = findFaults(schema, args)
    expect(faults).toHaveLength(11)
    expect(faults.at(-1)).toBe('and 30 more')
    expect(Math.max(...faults.map(({ length }) => length))).toBeLessThanOrEqual(300)
  })

  test('nothing that a terminal obeys is told', () => {
    expect(findFaults(object({ 'a\u001b[31mb': { type: 'string' } }), { 'a\u001b[31mb': 1 })).toEqual([
      '`ab` must be text, but is `1`',
    ])
  })

  test('what cannot be sent', () => {
    const circle: Record<string, unknown> = {}
    circle['circle'] = circle
    const unwritable = ['the arguments cannot be written as JSON']
    expect(findFaults(object({}), circle)).toEqual(unwritable)
    expect(findFaults(object({}), { n: 1n })).toEqual(unwritable)
    expect(findFaults(object({}), { more: [1n] })).toEqual(unwritable)
  })

  test('what JSON makes of a value counts, not what it is here', () => {
    const schema = object({ at: { type: 'string' }, n: { type: 'number' } }, { required: ['at'] })
    expect(findFaults(schema, { at: new Date(0), n: undefined })).toEqual([])
    expect(findFaults(schema, { at: undefined })).toEqual(['`at` is missing: it must be text'])
    expect(findFaults(schema, { at: 'x', n: Number.NaN })).toEqual(['`n` must be a number, but is `null`'])
  })
})

describe('what may be wrong is sent, and told once the server has failed', () => {
  const CASES: readonly [string, Schema, Schema, readonly string[]][] = [
    [
      'a required property with a default',
      object({ scale: { enum: ['css', 'device'], default: 'css' } }, { required: ['scale'] }),
      {},
      ['`scale` is missing, and its default is "css"'],
    ],
    [
      'a default of null',
      object({ a: { default: null } }, { required: ['a'] }),
      {},
      ['`a` is missing, and its default is `null`'],
    ],
    [
      'a default behind a reference',
      {
        ...object({ a: { $ref: '#/$defs/mode' } }, { required: ['a'] }),
        $defs: { mode: { enum: ['x'], default: 'x' } },
      },
      {},
      ['`a` is missing, and its default is "x"'],
    ],
    [
      'a default in one of several forms',
      object({ a: { anyOf: [{ type: 'string', default: 'x' }, { type: 'null' }] } }, { required: ['a'] }),
      {},
      ['`a` is missing, and its default is "x"'],
    ],
    [
      'a required property that only a combination describes',
      { required: ['a'], allOf: [object({ a: { type: 'string', default: 'x' } })] },
      {},
      ['`a` is missing'],
    ],
    ['required by a part of a combination', { allOf: [{ required: ['a'] }] }, {}, ['`a` is missing']],
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
    ['a constant', object({ s: { const: 1 } }), { s: 2 }, ['`s` must be `1`, but is `2`']],
    ['a limit', object({ n: { minimum: 1, maximum: 5 } }), { n: 9 }, ['`n` must be at most 5, but is `9`']],
    [
      'an exclusive limit',
      object({ n: { exclusiveMinimum: 1 } }),
      { n: 1 },
      ['`n` must be more than 1, but is `1`'],
    ],
    [
      'a length',
      object({ s: { minLength: 3 } }),
      { s: 'a😀' },
      ['`s` must have at least 3 characters, but has 2'],
    ],
    ['items', object({ l: { maxItems: 1 } }), { l: [1, 2] }, ['`l` must have at most 1 items, but has 2']],
    [
      'none of several forms',
      object({ v: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
      { v: 1 },
      ['`v` must be text, or null, but is `1`'],
    ],
    [
      'a type beside several forms',
      object({ v: { type: 'string', anyOf: [{ type: 'string' }, { type: 'null' }] } }),
      { v: null },
      ['`v` must be text, but is `null`'],
    ],
    ['what is forbidden', object({ a: false }), { a: 1 }, ['`a` is not allowed']],
  ]

  test.each(CASES)('%s', (_, schema, args, doubts) => {
    expect(findFaults(schema, args)).toEqual([])
    expect(findDoubts(schema, args)).toEqual(doubts)
  })
})

describe('what cannot be told is neither refused nor told', () => {
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
    ['what stands beside a reference', object({ n: { $ref: '#/$defs/none', type: 'string' } }), { n: 1 }],
    ['a reference to itself', { $ref: '#' }, { n: 1 }],
    ['a part that is all of it', { allOf: [{ $ref: '#' }] }, { n: 1 }],
    ['forms that are all of it', { anyOf: [{ $ref: '#' }, { $ref: '#' }] }, { n: 1 }],
    [
      'a circle of references',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
      {},
    ],
    [
      'references in a part with an address of its own',
      object({
        p: { $id: 'https://schemas.test/p', properties: { n: { $ref: '#/$defs/n' } } },
        $defs: { n: { type: 'string' } },
      }),
      { p: { n: 1 } },
    ],
    ['billions of references', laughs, { a: 1 }],
    ['a pattern without end', object({ s: { pattern: '^(a+)+$' } }), { s: `${'a'.repeat(50)}!` }],
    ['a format', object({ s: { type: 'string', format: 'uri' } }), { s: 'not a uri' }],
    ['a form that is forbidden', object({ s: { not: { type: 'string' } } }), { s: 'x' }],
    ['properties that are none', { properties: [] }, { a: 1 }],
    ['null where OpenAPI allows it', object({ s: { type: 'string', nullable: true } }), { s: null }],
    [
      'null among the types, not among the values',
      object({ s: { type: ['string', 'null'], enum: ['x'] } }),
      { s: null },
    ],
    ['a limit of draft-04', object({ n: { minimum: 0, exclusiveMinimum: true } }), { n: 0 }],
    ['half a character in a name', object({ '\ud800': { type: 'string' } }), { '\ud800': 'x' }],
    ['an empty choice', { anyOf: [] }, { a: 1 }],
    ['an empty enum', object({ a: { enum: [] } }), { a: 1 }],
    ['a name of the prototype', object({}, { required: [] }), { constructor: 1, toString: 'x' }],
  ])('%s', (_, schema, args) => {
    expect(findFaults(schema, args)).toEqual([])
    expect(findDoubts(schema, args)).toEqual([])
  })
})

describe('the schemas of real servers', () => {
  const FOLDER = fileURLToPath(new URL('../../corpus/', import.meta.url))
  const tools = readdirSync(FOLDER).flatMap((file) => {
    const parsed = JSON.parse(readFileSync(`${FOLDER}${file}`, 'utf8')) as {
      tools: { name: string; inputSchema: Schema }[]
    }
    return parsed.tools.map(({ name, inputSchema }) => ({ server: file.slice(0, -5), name, inputSchema }))
  })
  const schemaOf = (server: string, tool: string): Schema =>
    tools.find((one) => one.server === server && one.name === tool)!.inputSchema

  test.each<[string, string, Schema, readonly string[]]>([
    ['playwright__mcp', 'browser_take_screenshot', {}, []],
    ['playwright__mcp', 'browser_take_screenshot', { filename: 'a.png', fullPage: true }, []],
    ['playwright__mcp', 'browser_console_messages', {}, []],
    ['playwright__mcp', 'browser_network_requests', { static: true }, []],
    [
      'playwright__mcp',
      'browser_take_screenshot',
      { scale: 'retina' },
      ['`scale` must be one of "css", "device", but is the text "retina"'],
    ],
    ['playwright__mcp', 'browser_navigate', {}, ['`url` is missing: it must be text']],
    ['playwright__mcp', 'browser_navigate', { url: 'about:blank', timeout: 5 }, []],
    [
      'modelcontextprotocol__server-filesystem',
      'read_multiple_files',
      { paths: '/tmp/a' },
      ['`paths` must be a list, but is the text "/tmp/a"'],
    ],
    [
      'modelcontextprotocol__server-filesystem',
      'edit_file',
      { path: 'a', edits: [{ oldText: 'x' }] },
      ['`edits[0].newText` is missing: it must be text'],
    ],
    ['modelcontextprotocol__server-everything', 'get-sum', { a: 1, b: 2 }, []],
    [
      'modelcontextprotocol__server-everything',
      'get-sum',
      { a: '1', b: 2 },
      ['`a` must be a number, but is the text "1"'],
    ],
    [
      'modelcontextprotocol__server-sequential-thinking',
      'sequentialthinking',
      { thought: 'x', nextThoughtNeeded: 'true', thoughtNumber: 1, totalThoughts: 0 },
      [],
    ],
  ])('%s: %s with %j', (server, tool, args, faults) => {
    expect(findFaults(schemaOf(server, tool), args)).toEqual(faults)
  })

  /** Servers of the SDK put defaults in before anything is required. */
  const withDefaults = ({ properties = {} }: Schema, args: Schema): Schema => {
    const defaults = Object.entries(properties as Readonly<Record<string, Schema>>).flatMap(([key, one]) =>
      one['default'] === undefined ? [] : [[key, one['default']]],
    )
    return { ...Object.fromEntries(defaults), ...args }
  }

  test('what a validator takes once defaults are put in is sent, and the schemas stay as they are', () => {
    expect(tools.length).toBeGreaterThan(1000)
    let [sent, refused] = [0, 0]
    for (const { server, name, inputSchema } of tools) {
      const before = JSON.stringify(inputSchema)
      // The validator writes into what it is given.
      const copy = structuredClone(inputSchema)
      for (const args of argumentsFor(inputSchema)) {
        const faults = findFaults(inputSchema, args)
        if (faults.length === 0) sent += 1
        else refused += 1
        const isTaken = faults.length > 0 && tryValidate(copy, withDefaults(inputSchema, args)) === true
        if (isTaken) expect({ server, name, args, faults }).toBe('sent')
      }
      expect(JSON.stringify(inputSchema)).toBe(before)
    }
    expect(sent).toBeGreaterThan(1000)
    expect(refused).toBeGreaterThan(1000)
  })

  test('without arguments, each required property is missed that has no default', () => {
    for (const { server, name, inputSchema } of tools) {
      const required = (inputSchema['required'] as readonly string[] | undefined) ?? []
      const properties = inputSchema['properties'] as Readonly<Record<string, Schema>> | undefined
      const missed = required.filter((key) => properties?.[key]?.['default'] === undefined)
      expect({ server, name, isRefused: findFaults(inputSchema, {}).length > 0 }).toEqual({
        server,
        name,
        isRefused: missed.length > 0,
      })
    }
  })
})

/** Nothing; what is required, as the schema has it; and that with each property once of every type. */
function argumentsFor(schema: Schema): readonly Schema[] {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>
  const required = (schema['required'] ?? []) as readonly string[]
  const sample = ({
    type,
    enum: values,
    items,
    properties: inner = {},
    required: needed = [],
  }: Schema): unknown => {
    if (Array.isArray(values)) return values[0] as unknown
    if (type === 'array') return items === undefined ? [] : [sample(items as Schema)]
    if (type === 'object')
      return Object.fromEntries(
        (needed as string[]).map((key) => [key, sample((inner as Record<string, Schema>)[key] ?? {})]),
      )
    return type === 'integer' || type === 'number' ? 1 : type === 'boolean' ? true : 'x'
  }
  const usual = Object.fromEntries(required.map((key) => [key, sample(properties[key] ?? {})]))
  const odd = Object.keys(properties).flatMap((key) =>
    ['x', 1.5, true, null, ['x'], { x: 1 }].map((value) => ({ ...usual, [key]: value })),
  )
  return [{}, usual, ...odd]
}

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
  test('whatever the schema and the arguments are: no throw, bounded sentences, nothing changed', () => {
    fc.assert(
      fc.property(anySchema, anyArgs, (schema, args) => {
        const root = typeof schema === 'boolean' ? { not: schema } : (schema as Schema)
        const before = JSON.stringify([root, args])
        const faults = [...findFaults(root, args), ...findDoubts(root, args)]
        expect(faults.length).toBeLessThanOrEqual(22)
        for (const fault of faults) expect(fault.length).toBeLessThanOrEqual(300)
        expect(JSON.stringify([root, args])).toBe(before)
        expect(({} as Schema)['polluted']).toBeUndefined()
      }),
      { numRuns: 3000 },
    )
  })

  test('what a validator takes is not refused', () => {
    let taken = 0
    let refused = 0
    fc.assert(
      fc.property(anySchema, anyArgs, (schema, args) => {
        if (typeof schema === 'boolean') return
        const isRefused = findFaults(schema as Schema, args).length > 0
        if (isRefused) refused += 1
        if (tryValidate(structuredClone(schema) as Schema, args) !== true) return
        taken += 1
        expect(isRefused).toBe(false)
      }),
      { numRuns: 5000 },
    )
    expect(taken).toBeGreaterThan(500)
    expect(refused).toBeGreaterThan(100)
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
