/**
 * modernize: turns a server's schema into a well-formed one of draft 2020-12.
 *
 * in     an object as it came, of any draft, with any mistakes
 * out    the same meaning in the keywords of 2020-12. A keyword with a senseless value is left out, and an invalid
 *        schema becomes one for any value. The same object when nothing was wrong
 * never  follows a `$ref`; throws, except for a schema that is nested too deep
 */
import { isObject } from '../../base/is-object.ts'
import type { JsonSchema } from '../../model/profile.ts'
import { CHILDREN, mapList, setOwn, typesOf, without, type Schema, type SchemaObject } from './json-schema.ts'
import { checkDepth } from './unrepairable.ts'

export interface Modern {
  readonly schema: SchemaObject
  readonly hasRefs: boolean
}

export function modernize(schema: JsonSchema): Modern {
  const scan: Scan = { hasRefs: false, hasOldWords: false }
  const clean = cleanObject(schema, scan, 0)
  // `$schema` would make readers apply the rules of the old draft to the new keywords.
  return { schema: scan.hasOldWords ? without(clean, DRAFT) : clean, hasRefs: scan.hasRefs }
}

/** For the target of a `$ref` outside of the keywords that hold schemas. */
export function modernizePart(part: unknown): Schema | undefined {
  if (typeof part === 'boolean') return part
  return isObject(part) ? cleanObject(part, { hasRefs: false, hasOldWords: false }, 0) : undefined
}

const DRAFT: ReadonlySet<string> = new Set(['$schema'])

interface Scan {
  hasRefs: boolean
  /** The schema has a keyword of an older draft. */
  hasOldWords: boolean
}

function cleanObject(node: JsonSchema, scan: Scan, depth: number): SchemaObject {
  checkDepth(depth)
  let out: Record<string, unknown> | undefined
  for (const keyword of Object.keys(node)) {
    const value = node[keyword]
    const clean = cleanValue(keyword, value, scan, depth)
    if (clean === value && value !== undefined) continue
    out ??= { ...node }
    setOwn(out, keyword, clean)
  }
  const known = out === undefined ? node : withoutUndefined(out)
  if (known['$ref'] !== undefined) scan.hasRefs = true
  const modern = toNewWords(known)
  if (modern !== known) scan.hasOldWords = true
  return modern as SchemaObject
}

/** Undefined for a senseless value. */
function cleanValue(keyword: string, value: unknown, scan: Scan, depth: number): unknown {
  const kind = CHILDREN.get(keyword)
  if (kind === undefined) return VALUES.get(keyword)?.(value) ?? (VALUES.has(keyword) ? undefined : value)
  const cleanChild = (child: unknown): Schema | undefined =>
    typeof child === 'boolean' ? child : isObject(child) ? cleanObject(child, scan, depth + 1) : undefined
  if (kind === 'named') return isObject(value) ? cleanNamed(value, cleanChild) : undefined
  if (kind === 'list') return Array.isArray(value) ? cleanList(value, cleanChild) : undefined
  // Until 2019-09, a list of schemas describes the first items.
  if (keyword === 'items' && Array.isArray(value)) return mapList(value, (item) => cleanChild(item) ?? true)
  return cleanChild(value)
}

/** An invalid schema keeps its name, so the model may still use that name. */
function cleanNamed(
  named: JsonSchema,
  cleanChild: (child: unknown) => Schema | undefined,
): Readonly<Record<string, unknown>> {
  let out: Record<string, unknown> | undefined
  for (const name of Object.keys(named)) {
    const clean = cleanChild(named[name]) ?? true
    if (clean === named[name]) continue
    out ??= { ...named }
    setOwn(out, name, clean)
  }
  return out ?? named
}

function cleanList(
  list: readonly unknown[],
  cleanChild: (child: unknown) => Schema | undefined,
): readonly unknown[] | undefined {
  const clean = mapList(list, cleanChild)
  const kept = clean.includes(undefined) ? clean.filter((one) => one !== undefined) : clean
  return kept.length === 0 ? undefined : kept
}

type CleanValue = (value: unknown) => unknown

const text: CleanValue = (value) => (typeof value === 'string' ? value : undefined)
const number: CleanValue = (value) => (Number.isFinite(value) ? value : undefined)
const count: CleanValue = (value) => (Number.isSafeInteger(value) && Number(value) >= 0 ? value : undefined)
const list: CleanValue = (value) => (Array.isArray(value) ? value : undefined)
/** Until draft 4, the keyword is a flag that excludes the bound itself. */
const bound: CleanValue = (value) => (typeof value === 'boolean' ? value : number(value))

const VALUES: ReadonlyMap<string, CleanValue> = new Map<string, CleanValue>([
  ['type', cleanTypes],
  ['enum', (value) => (Array.isArray(value) && value.length > 0 ? value : undefined)],
  ['required', cleanRequired],
  ['minimum', number],
  ['maximum', number],
  ['exclusiveMinimum', bound],
  ['exclusiveMaximum', bound],
  ['multipleOf', (value) => (Number.isFinite(value) && Number(value) > 0 ? value : undefined)],
  ['minLength', count],
  ['maxLength', count],
  ['minItems', count],
  ['maxItems', count],
  ['minContains', count],
  ['maxContains', count],
  ['minProperties', count],
  ['maxProperties', count],
  ['uniqueItems', cleanFlag],
  ['deprecated', cleanFlag],
  ['readOnly', cleanFlag],
  ['writeOnly', cleanFlag],
  ['examples', list],
  ['title', text],
  ['description', text],
  ['format', text],
  ['pattern', text],
  ['contentEncoding', text],
  ['contentMediaType', text],
  ['$comment', text],
  ['$schema', text],
  ['$ref', text],
  ['$id', text],
  ['$anchor', cleanAnchor],
  ['$dynamicAnchor', cleanAnchor],
  // No provider reads these.
  ['$dynamicRef', () => undefined],
  ['$recursiveAnchor', () => undefined],
  ['$recursiveRef', () => undefined],
  ['$vocabulary', () => undefined],
  ['dependentRequired', cleanDependent],
  ['dependencies', cleanDependent],
])

const ANCHOR = /^[A-Za-z_][-A-Za-z0-9._]*$/

const TYPES: ReadonlySet<unknown> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'null',
])

function cleanTypes(value: unknown): unknown {
  if (!Array.isArray(value)) return TYPES.has(value) ? value : undefined
  const isClean =
    value.length > 0 && new Set(value).size === value.length && value.every((one) => TYPES.has(one))
  if (isClean) return value
  const known = [...new Set(value)].filter((one) => TYPES.has(one))
  return known.length === 0 ? undefined : known
}

/** Draft 3 has a flag on the property. */
function cleanRequired(value: unknown): unknown {
  if (!Array.isArray(value)) return undefined
  const names = new Set(value.filter((name) => typeof name === 'string'))
  return names.size === value.length ? value : [...names]
}

function cleanAnchor(value: unknown): unknown {
  return typeof value === 'string' && ANCHOR.test(value) ? value : undefined
}

function cleanFlag(value: unknown): unknown {
  return typeof value === 'boolean' ? value : undefined
}

/**
 * Keeps lists of names only. A schema here belongs to drafts before 2019-09. Readers of tools do not support it, and it
 * says too little to keep.
 */
function cleanDependent(value: unknown): unknown {
  if (!isObject(value)) return undefined
  const isNames = (one: unknown): boolean => Array.isArray(one) && cleanRequired(one) === one
  return Object.values(value).every(isNames) ? value : undefined
}

function withoutUndefined(node: JsonSchema): JsonSchema {
  const keywords = Object.keys(node)
  if (keywords.every((keyword) => node[keyword] !== undefined)) return node
  const out: Record<string, unknown> = {}
  for (const keyword of keywords) if (node[keyword] !== undefined) setOwn(out, keyword, node[keyword])
  return out
}

function toNewWords(node: JsonSchema): JsonSchema {
  let modern = node
  if (Array.isArray(node['items'])) modern = toPrefixItems(modern)
  if (typeof node['exclusiveMinimum'] === 'boolean')
    modern = toExclusive(modern, 'exclusiveMinimum', 'minimum')
  if (typeof node['exclusiveMaximum'] === 'boolean')
    modern = toExclusive(modern, 'exclusiveMaximum', 'maximum')
  if (String(node['$id'] ?? '').includes('#')) modern = toAnchor(modern)
  if (node['nullable'] === true && node['type'] !== undefined) modern = toNullType(modern)
  return modern
}

const NULLABLE: ReadonlySet<string> = new Set(['nullable'])

/** The keyword of OpenAPI 3.0, which no draft has. */
function toNullType(node: JsonSchema): JsonSchema {
  const rest = without(node as SchemaObject, NULLABLE)
  const { enum: options } = rest
  return {
    ...rest,
    type: [...new Set([...typesOf(rest), 'null'])],
    ...(options === undefined ? {} : { enum: [...new Set([...options, null])] }),
  }
}

function toPrefixItems({ items, additionalItems, ...rest }: JsonSchema): JsonSchema {
  const first = items as readonly Schema[]
  return {
    ...rest,
    ...(first.length === 0 ? {} : { prefixItems: first }),
    ...(additionalItems === undefined ? {} : { items: additionalItems }),
  }
}

function toExclusive(node: JsonSchema, exclusive: string, inclusive: string): JsonSchema {
  const { [exclusive]: isOut, [inclusive]: limit, ...rest } = node
  if (limit === undefined) return rest
  return { ...rest, [isOut === true ? exclusive : inclusive]: limit }
}

/** Until 2019-09, `$id: "#part"` names a part. An id with an empty fragment is an ordinary id. */
function toAnchor({ $id, ...rest }: JsonSchema): JsonSchema {
  const [base, part] = String($id).split('#')
  return {
    ...rest,
    ...(base === '' ? {} : { $id: base }),
    ...(ANCHOR.test(part!) ? { $anchor: part } : {}),
  }
}
