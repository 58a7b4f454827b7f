/**
 * merge: combines two schemas that must both hold into one.
 *
 * in     well-formed schemas
 * out    a schema that allows what both allow, or a little more. If two keywords cannot be combined, such as two
 *        patterns, the first stays: arguments are checked against the original. Undefined when no value can satisfy
 *        both
 */
import {
  isEqual,
  mapNamed,
  setOwn,
  typesOf,
  type NamedSchemas,
  type Schema,
  type SchemaObject,
  type TypeName,
} from './json-schema.ts'
import { spend, type Work } from './unrepairable.ts'

export function merge(a: Schema, b: Schema, work: Work): Schema | undefined {
  if (a === false || b === false) return undefined
  if (a === true) return b
  if (b === true) return a
  return mergeObjects(a, b, work)
}

/** Combines everything in `allOf` with the keywords beside it. Undefined when no value can satisfy them. */
export function withoutAllOf(schema: SchemaObject, work: Work): SchemaObject | undefined {
  let node: SchemaObject | undefined = schema
  while (node?.allOf !== undefined) {
    const { allOf, ...beside }: SchemaObject = node
    let joined: Schema | undefined = beside
    for (const part of allOf) joined = joined === undefined ? undefined : merge(joined, part, work)
    node = joined as SchemaObject | undefined
  }
  return node
}

function mergeObjects(a: SchemaObject, b: SchemaObject, work: Work): SchemaObject | undefined {
  spend(work, 1)
  // A reference already says everything; the keywords beside it are dropped.
  if (a.$ref !== undefined) return a
  if (b.$ref !== undefined) return b
  const out: Record<string, unknown> = { ...a }
  for (const keyword of Object.keys(b)) {
    if (!Object.hasOwn(a, keyword)) {
      setOwn(out, keyword, b[keyword])
      continue
    }
    const join = JOIN.get(keyword)
    const joined = join === undefined ? a[keyword] : join(a, b, { keyword, work })
    if (joined === undefined) return undefined
    setOwn(out, keyword, joined)
  }
  return out
}

/** Undefined: no value can satisfy both. */
type Join = (
  a: SchemaObject,
  b: SchemaObject,
  at: { readonly keyword: string; readonly work: Work },
) => unknown

const larger: Join = (a, b, { keyword }) => Math.max(a[keyword] as number, b[keyword] as number)
const smaller: Join = (a, b, { keyword }) => Math.min(a[keyword] as number, b[keyword] as number)

const JOIN: ReadonlyMap<string, Join> = new Map<string, Join>([
  ['type', (a, b) => joinTypes(typesOf(a), typesOf(b))],
  ['enum', (a, b) => joinOptions(a.enum!, b.enum!)],
  ['const', (a, b) => (isEqual(a.const, b.const) ? (a.const ?? null) : undefined)],
  ['properties', (a, b, { work }) => joinNamed(a.properties!, b.properties!, work)],
  ['required', (a, b) => [...new Set([...a.required!, ...b.required!])]],
  ['items', (a, b, { work }) => merge(a.items!, b.items!, work) ?? false],
  ['additionalProperties', joinAdditional],
  ['allOf', (a, b) => [...a.allOf!, ...b.allOf!]],
  ['minimum', larger],
  ['exclusiveMinimum', larger],
  ['minLength', larger],
  ['minItems', larger],
  ['minProperties', larger],
  ['maximum', smaller],
  ['exclusiveMaximum', smaller],
  ['maxLength', smaller],
  ['maxItems', smaller],
  ['maxProperties', smaller],
])

function joinTypes(a: readonly TypeName[], b: readonly TypeName[]): unknown {
  const both = a.filter((type) => b.includes(type))
  if (a.includes('number') && b.includes('integer') && !both.includes('integer')) both.push('integer')
  if (a.includes('integer') && b.includes('number') && !both.includes('integer')) both.push('integer')
  if (both.length === 0) return undefined
  return both.length === 1 ? both[0] : both
}

function joinOptions(a: readonly unknown[], b: readonly unknown[]): unknown {
  const wanted = new Set(b.map((option) => JSON.stringify(option)))
  const both = a.filter((option) => wanted.has(JSON.stringify(option)))
  return both.length === 0 ? undefined : both
}

function joinNamed(a: NamedSchemas, b: NamedSchemas, work: Work): NamedSchemas {
  // The work is counted, because both are copied.
  spend(work, Object.keys(b).length + Math.floor(Object.keys(a).length / 50))
  const out = {
    ...mapNamed(a, (one, name) => (Object.hasOwn(b, name) ? (merge(one, b[name]!, work) ?? false) : one)),
  }
  for (const name of Object.keys(b)) if (!Object.hasOwn(a, name)) setOwn(out, name, b[name]!)
  return out
}

/**
 * Each part means only its own properties. In the combined schema, the properties of the other part must be allowed,
 * too.
 */
function joinAdditional(a: SchemaObject, b: SchemaObject, { work }: { readonly work: Work }): Schema {
  return merge(a.additionalProperties!, b.additionalProperties!, work) ?? false
}
