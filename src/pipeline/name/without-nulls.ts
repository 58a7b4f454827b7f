/**
 * without-nulls: removes the nulls from arguments that a model wrote for strict mode, so that the server understands
 * them.
 *
 * in     the original schema, and arguments in which every property is present
 * out    the same without properties that are null, optional, and may not be null for the server; the same object when
 *        there are none
 * never  changes the arguments; removes a null that has a meaning
 */
import { isObject } from '../../base/is-object.ts'
import type { JsonSchema } from '../../model/profile.ts'
import { mapList, setOwn, typesOf, type Schema, type SchemaObject } from './json-schema.ts'
import { modernize } from './modernize.ts'
import { createResolve, type Resolve } from './refs.ts'

export type Arguments = Readonly<Record<string, unknown>>

export function withoutNulls(schema: JsonSchema, args: Arguments): Arguments {
  const { schema: root } = modernize(schema)
  const resolve = createResolve(root)
  return clean(args, spread([root], resolve), resolve) as Arguments
}

/** `schemas` are all schemas that may apply to the value. */
function clean(value: unknown, schemas: readonly SchemaObject[], resolve: Resolve): unknown {
  if (Array.isArray(value)) {
    const items = spread(schemas.flatMap(itemsOf), resolve)
    return mapList(value, (item) => clean(item, items, resolve))
  }
  return isObject(value) ? cleanObject(value, schemas, resolve) : value
}

function cleanObject(value: Arguments, schemas: readonly SchemaObject[], resolve: Resolve): Arguments {
  const out: Record<string, unknown> = {}
  let hasChanged = false
  for (const key of Object.keys(value)) {
    const known = spread(
      schemas.flatMap((schema) => propertyOf(schema, key)),
      resolve,
    )
    const isRequired = schemas.some(({ required }) => required?.includes(key) === true)
    const isFiller = value[key] === null && known.length > 0 && !isRequired && !known.some(allowsNull)
    const kept = isFiller ? undefined : clean(value[key], known, resolve)
    hasChanged ||= isFiller || kept !== value[key]
    if (!isFiller) setOwn(out, key, kept)
  }
  return hasChanged ? out : value
}

function itemsOf({ items, prefixItems = [] }: SchemaObject): readonly Schema[] {
  return items === undefined ? prefixItems : [...prefixItems, items]
}

function propertyOf({ properties, additionalProperties }: SchemaObject, key: string): readonly Schema[] {
  if (properties !== undefined && Object.hasOwn(properties, key)) return [properties[key]!]
  return additionalProperties === undefined ? [] : [additionalProperties]
}

/** The schemas, their targets and their components, each once. */
function spread(schemas: readonly Schema[], resolve: Resolve): readonly SchemaObject[] {
  const waiting = [...schemas]
  const found = new Set<SchemaObject>()
  // The list grows while it is read.
  for (const schema of waiting) {
    if (typeof schema === 'boolean' || found.has(schema)) continue
    found.add(schema)
    const target = schema.$ref === undefined ? undefined : resolve(schema.$ref)
    if (target !== undefined) waiting.push(target)
    for (const part of [schema.anyOf, schema.oneOf, schema.allOf])
      for (const one of part ?? []) waiting.push(one)
  }
  return [...found]
}

function allowsNull(schema: SchemaObject): boolean {
  if (schema.enum !== undefined) return schema.enum.includes(null)
  if (Object.hasOwn(schema, 'const')) return schema.const === null
  if (schema.type !== undefined) return typesOf(schema).includes('null')
  // Its components are examined separately.
  return !COMPOSED.some((keyword) => Object.hasOwn(schema, keyword))
}

const COMPOSED: readonly string[] = ['$ref', 'anyOf', 'oneOf', 'allOf', 'properties', 'items']
