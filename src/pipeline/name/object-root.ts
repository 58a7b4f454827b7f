/**
 * object-root: makes a schema whose root is one plain object, as every provider demands.
 *
 * in     any well-formed schema, with alternatives at its root or without
 * out    `type: "object"` with `properties`, without `anyOf`, `oneOf` and `allOf` beside them. Alternatives become one
 *        object with the properties of all. A property is required if all alternatives require it. A sentence says
 *        which properties belong together
 * never  keeps a `$ref` at the root: the caller has replaced them before
 */
import { eachOnce, setOwn, typesOf, without, type Schema, type SchemaObject } from './json-schema.ts'
import { withoutAllOf } from './merge.ts'
import { Unrepairable, type Work } from './unrepairable.ts'

export function toObjectRoot(root: SchemaObject, work: Work): SchemaObject {
  const plain = flatten(root, work)
  if (plain === undefined) throw new Unrepairable('no arguments can satisfy its schema')
  if (plain.type === 'object' && plain.properties !== undefined) return plain
  if (!isOfObjects(plain)) {
    const types = typesOf(plain).join(' or ')
    throw new Unrepairable(`its schema is of type \`${types}\`, but arguments are always an object`)
  }
  return { ...plain, type: 'object', properties: plain.properties ?? {} }
}

/** Whether an object, such as the arguments, could satisfy it. */
function isOfObjects(schema: SchemaObject): boolean {
  return schema.type === undefined || typesOf(schema).includes('object')
}

export function hasAlternatives(schema: SchemaObject): boolean {
  return schema.anyOf !== undefined || schema.oneOf !== undefined || schema.allOf !== undefined
}

/** Undefined when no value can satisfy it. */
function flatten(schema: SchemaObject, work: Work): SchemaObject | undefined {
  let node = withoutAllOf(schema, work)
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const forms = node?.[keyword]
    if (node !== undefined && forms !== undefined)
      node = joinForms(without(node, new Set([keyword])), forms, work)
  }
  return node
}

function joinForms(beside: SchemaObject, forms: readonly Schema[], work: Work): SchemaObject | undefined {
  const objects = forms
    .map((form) => (form === false ? undefined : form === true ? {} : flatten(form, work)))
    .filter((form) => form !== undefined)
    .filter(isOfObjects)
  if (objects.length === 0) return undefined
  const properties = joinProperties(beside, objects)
  const required = joinRequired(beside, objects)
  const isClosed = objects.every(({ additionalProperties }) => additionalProperties === false)
  const description = tellForms(beside, objects)
  return {
    ...beside,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
    ...(isClosed && beside.additionalProperties === undefined ? { additionalProperties: false } : {}),
    ...(description === undefined ? {} : { description }),
  }
}

/** What all forms say of a property counts, else what one form says of it. */
function joinProperties(beside: SchemaObject, forms: readonly SchemaObject[]): Record<string, Schema> {
  const said = new Map<string, Schema[]>()
  for (const { properties = {} } of forms) {
    for (const name of Object.keys(properties)) {
      const before = said.get(name) ?? []
      before.push(properties[name]!)
      said.set(name, before)
    }
  }
  const out: Record<string, Schema> = { ...beside.properties }
  for (const [name, schemas] of said) {
    if (!Object.hasOwn(out, name) || out[name] === true) setOwn(out, name, oneOfThem(eachOnce(schemas)))
  }
  return out
}

function oneOfThem(schemas: readonly Schema[]): Schema {
  if (schemas.length === 1) return schemas[0]!
  return toOptions(schemas) ?? { anyOf: schemas }
}

/** The property that separates the forms has a `const` in each. In the joined object, it has a list of options. */
function toOptions(schemas: readonly Schema[]): SchemaObject | undefined {
  const options: unknown[] = []
  const types = new Set<unknown>()
  for (const schema of schemas) {
    if (typeof schema === 'boolean') return undefined
    const { const: only, enum: several, type, ...rest } = schema
    if (Object.keys(rest).length > 0 || (only === undefined && several === undefined)) return undefined
    for (const option of several ?? [only]) options.push(option)
    types.add(type)
  }
  if (types.size !== 1) return undefined
  const [type] = types
  return {
    ...(type === undefined ? {} : { type: type as NonNullable<SchemaObject['type']> }),
    enum: [...new Set(options)],
  }
}

function joinRequired(beside: SchemaObject, forms: readonly SchemaObject[]): readonly string[] {
  const [first, ...others] = forms
  const shared = (first?.required ?? []).filter((name) =>
    others.every(({ required = [] }) => required.includes(name)),
  )
  return [...new Set([...(beside.required ?? []), ...shared])]
}

/** Of more forms, or of longer lists, the note names only the first. */
const TOLD = 10

function tellForms({ description }: SchemaObject, forms: readonly SchemaObject[]): string | undefined {
  const groups = [...new Set(forms.map(({ required = [] }) => required.slice(0, TOLD).join(' + ')))].filter(
    (group) => group !== '',
  )
  if (groups.length < 2) return description
  const more = groups.length > TOLD ? ', …' : ''
  const sentence = `Arguments that belong together, one of: ${groups.slice(0, TOLD).join(', ')}${more}.`
  return description === undefined ? sentence : `${description}\n${sentence}`
}
