/**
 * merge: two schemas that must both hold → one.
 *
 * in     well-formed schemas
 * out    one that holds where both do, or a little wider: where both have something that cannot be joined, such as two
 *        patterns, the first counts, since arguments are checked against the original; undefined when nothing can satisfy both
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

/** All that `allOf` lists, and what stands beside it. Undefined when nothing can satisfy them. */
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
  // A reference says all there is to say; what is beside it is lost.
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

/** Undefined: nothing can satisfy both. */
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
  // Both are copied.
  spend(work, Object.keys(b).length + Math.floor(Object.keys(a).length / 50))
  const out = {
    ...mapNamed(a, (one, name) => (Object.hasOwn(b, name) ? (merge(one, b[name]!, work) ?? false) : one)),
  }
  for (const name of Object.keys(b)) if (!Object.hasOwn(a, name)) setOwn(out, name, b[name]!)
  return out
}

/** Each part means its own properties only; together, those of the other are meant too. */
function joinAdditional(a: SchemaObject, b: SchemaObject, { work }: { readonly work: Work }): Schema {
  return merge(a.additionalProperties!, b.additionalProperties!, work) ?? false
}
