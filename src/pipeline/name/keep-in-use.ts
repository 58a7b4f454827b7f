/**
 * keep-in-use: removes the definitions of a schema that no reference uses.
 *
 * in     a well-formed schema
 * out    the same meaning; the same object when every definition is in use
 * never  removes a definition if it cannot tell where a reference leads
 *
 * Servers that are generated from an OpenAPI document put all of its definitions into each of their tools. For Notion's
 * server, that is two thirds of what a model would read about its tools.
 */
import { isObject } from '../../base/is-object.ts'
import { without, type SchemaObject } from './json-schema.ts'

export function keepInUse(schema: SchemaObject): SchemaObject {
  if (PLACES.every((place) => schema[place] === undefined)) return schema
  const used = findUsed(schema)
  return used === undefined ? schema : PLACES.reduce((kept, place) => keepOnly(kept, place, used), schema)
}

/** The keywords that hold definitions, at the root. */
const PLACES = ['$defs', 'definitions'] as const
type DefinitionKey = (typeof PLACES)[number]

/** As `place/name`. */
type Used = ReadonlySet<string>

/** Undefined if a reference may lead anywhere. */
function findUsed(schema: SchemaObject): Used | undefined {
  const used = new Set<string>()
  const unread: unknown[] = [without(schema, new Set(PLACES))]
  for (const part of unread)
    for (const ref of refsIn(part)) {
      const target = parseRef(ref)
      if (target === undefined) return undefined
      if (target.kind === 'elsewhere' || used.has(`${target.place}/${target.name}`)) continue
      used.add(`${target.place}/${target.name}`)
      unread.push(schema[target.place]?.[target.name])
    }
  return used
}

/**
 * Also collects texts that only look like references, in an example: then an unused definition stays. No recursion,
 * because a part that is no schema may be as deep as it is long.
 */
function refsIn(part: unknown): readonly string[] {
  const refs: string[] = []
  const open = [part]
  for (const one of open) {
    if (typeof one !== 'object' || one === null) continue
    for (const [key, value] of Object.entries(one))
      if (REFERENCES.has(key) && typeof value === 'string') refs.push(value)
      else open.push(value)
  }
  return refs
}

const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef'])

type Target =
  | { readonly kind: 'definition'; readonly place: DefinitionKey; readonly name: string }
  /** In a part of the schema that always stays. */
  | { readonly kind: 'elsewhere' }

/** Undefined for a reference to an anchor or to another document. */
function parseRef(ref: string): Target | undefined {
  if (ref === '#') return { kind: 'elsewhere' }
  if (!ref.startsWith('#/') || ref.includes('%')) return undefined
  const [first, name] = ref
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const place = PLACES.find((one) => one === first)
  if (place === undefined) return { kind: 'elsewhere' }
  return name === undefined ? undefined : { kind: 'definition', place, name }
}

function keepOnly(schema: SchemaObject, place: DefinitionKey, used: Used): SchemaObject {
  const definitions = schema[place]
  if (!isObject(definitions)) return schema
  const all = Object.entries(definitions)
  const kept = all.filter(([name]) => used.has(`${place}/${name}`))
  if (kept.length === all.length && kept.length > 0) return schema
  return kept.length === 0
    ? without(schema, new Set([place]))
    : { ...schema, [place]: Object.fromEntries(kept) }
}
