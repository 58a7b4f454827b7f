import { describe, expect, test } from 'vitest'
import { keepInUse } from '../../../src/pipeline/name/keep-in-use.ts'
import type { SchemaObject } from '../../../src/pipeline/name/json-schema.ts'

const A = { type: 'string' } as const
const B = { type: 'number' } as const

/** With these arguments, and all definitions there are. */
const schemaOf = (properties: SchemaObject['properties'] & {}, $defs: SchemaObject): SchemaObject => ({
  type: 'object',
  properties,
  $defs: $defs as SchemaObject['properties'] & {},
})

describe('of the definitions of a schema', () => {
  test('those stay that somebody refers to, also from within another that stays', () => {
    const tree = { type: 'object', properties: { leaf: { $ref: '#/$defs/A' } } }
    expect(keepInUse(schemaOf({ x: { $ref: '#/$defs/Tree' } }, { A, B, Tree: tree }))).toEqual(
      schemaOf({ x: { $ref: '#/$defs/Tree' } }, { A, Tree: tree }),
    )
  })

  test('those go that only others refer to which go themselves, and each other', () => {
    const defs = { A: { $ref: '#/$defs/B' }, B: { anyOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }] } }
    expect(keepInUse(schemaOf({ x: A }, defs))).toEqual({ type: 'object', properties: { x: A } })
  })

  test('the place goes when nothing is left, and a schema without any is the one that came', () => {
    expect(keepInUse({ type: 'object', $defs: {}, definitions: { A } })).toEqual({ type: 'object' })
    const bare = { type: 'object', properties: { x: A } } as const
    expect(keepInUse(bare)).toBe(bare)
    const used = schemaOf({ x: { $ref: '#/$defs/A' } }, { A })
    expect(keepInUse(used)).toBe(used)
  })

  test('places of older drafts are looked at by themselves', () => {
    const schema = { properties: { x: { $ref: '#/definitions/A' } }, $defs: { A }, definitions: { A, B } }
    expect(keepInUse(schema)).toEqual({ properties: schema.properties, definitions: { A } })
  })

  test.each<readonly [string, string, SchemaObject]>([
    ['a part of one', '#/$defs/A/properties/y', { A: { properties: { y: B } } }],
    ['a name with a slash and a tilde', '#/$defs/a~1b~0', { 'a/b~': A }],
    ['a name that all objects have', '#/$defs/__proto__', JSON.parse('{"__proto__":{"type":"string"}}')],
  ])('one stays that is referred to by %s', (_, $ref, defs) => {
    expect(keepInUse(schemaOf({ x: { $ref } }, { ...defs, B }))).toEqual(schemaOf({ x: { $ref } }, defs))
  })

  test('a reference to the whole, or to a part that stays anyway, is to none of them', () => {
    const properties = { x: { $ref: '#' }, y: { $ref: '#/properties/x' }, z: { $ref: '#/$defs/A' } }
    expect(keepInUse(schemaOf(properties, { A, B }))).toEqual(schemaOf(properties, { A }))
  })

  test.each(['#part', 'other.json', 'other.json#/$defs/A', '#/$defs', '#/$defs/%41', ''])(
    'all stay where one reference is `%s`, which may lead anywhere',
    ($ref) => {
      for (const keyword of ['$ref', '$dynamicRef']) {
        const schema = schemaOf({ x: { [keyword]: $ref } }, { A, B })
        expect(keepInUse(schema)).toBe(schema)
      }
    },
  )

  test('what is no schema may be of any depth', () => {
    let deep: unknown = { $ref: '#/$defs/A' }
    for (let depth = 0; depth < 20_000; depth++) deep = [deep]
    const schema = schemaOf({ x: { default: deep } }, { A, B })
    expect(keepInUse(schema).$defs).toEqual({ A })
  })

  test('one that is referred to where no schema is, stays as well', () => {
    const schema = schemaOf({ x: { const: { $ref: '#/$defs/A' } }, $ref: A }, { A })
    expect(keepInUse(schema)).toBe(schema)
  })
})
