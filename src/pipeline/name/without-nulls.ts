/**
 * without-nulls: arguments that a model wrote under strict mode, as the tool's own schema wants them.
 *
 * in     arguments, and the schema as the server sent it
 * out    the same without the nulls that only say "left out"
 * never  takes out a null that the schema allows, or that stands for a required argument; follows a reference out of the schema
 */
import { isObject } from '../../base/is-object.ts'
import type { Params } from '../../model/message.ts'
import type { JsonSchema } from '../../model/profile.ts'

export function withoutNulls(args: Params, schema: JsonSchema): Params {
  return strip(args, [schema], schema) as Params
}

type Fields = Readonly<Record<string, unknown>>

/** `schemas`: all that may describe the value. */
function strip(value: unknown, schemas: readonly unknown[], root: JsonSchema): unknown {
  // Each shape once, or alternatives that lead to each other would multiply with every level of the value.
  const seen = new Set<unknown>()
  const shapes = schemas.flatMap((one) => shapesOf(one, root, seen))
  if (shapes.length === 0) return value
  if (Array.isArray(value)) {
    const items = shapes.map((shape) => shape['items'])
    return value.map((item) => strip(item, items, root))
  }
  if (!isObject(value)) return value
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const declaring = shapes.filter((shape) => propertyOf(shape, name) !== undefined)
    const inside = declaring.map((shape) => propertyOf(shape, name))
    if (inner !== null) return [[name, strip(inner, inside, root)] as const]
    return isLeftOut(name, declaring, root) ? [] : [[name, inner] as const]
  })
  return Object.fromEntries(kept)
}

function isLeftOut(name: string, declaring: readonly Fields[], root: JsonSchema): boolean {
  const isOptional = declaring.some(({ required }) => !Array.isArray(required) || !required.includes(name))
  return isOptional && !declaring.some((shape) => takesNull(propertyOf(shape, name), root))
}

function propertyOf({ properties }: Fields, name: string): unknown {
  return isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
}

function takesNull(schema: unknown, root: JsonSchema): boolean {
  if (schema === true) return true
  return shapesOf(schema, root).some((shape) => {
    const { type, enum: options, const: only } = shape
    if ('const' in shape) return only === null
    if (Array.isArray(options)) return options.includes(null)
    if (type !== undefined) return type === 'null' || (Array.isArray(type) && type.includes('null'))
    // What says nothing at all of the value takes everything; a choice or a reference is looked at by itself.
    return !ALTERNATIVES.some((key) => key in shape) && !('$ref' in shape)
  })
}

const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'] as const

/** The schema, and what it refers to or offers as alternatives. Each once: schemas may refer to themselves. */
function shapesOf(schema: unknown, root: JsonSchema, seen = new Set<unknown>()): readonly Fields[] {
  if (!isObject(schema) || seen.has(schema)) return []
  seen.add(schema)
  const further = ALTERNATIVES.flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []))
  const referred = typeof schema['$ref'] === 'string' ? [findReferred(schema['$ref'], root)] : []
  return [schema, ...[...further, ...referred].flatMap((one) => shapesOf(one, root, seen))]
}

function findReferred(reference: string, root: JsonSchema): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined
  const steps = reference.split('/').slice(1)
  return steps.reduce<unknown>((at, step) => {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    return (isObject(at) || Array.isArray(at)) && Object.hasOwn(at, key) ? (at as Fields)[key] : undefined
  }, root)
}
