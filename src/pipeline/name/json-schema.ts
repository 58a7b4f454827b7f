/**
 * json-schema: the type of a cleaned schema, and the functions that walk through one.
 *
 * A walk never changes its input. A part that stays the same is the same object in the result.
 */
export type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null'

export type Schema = boolean | SchemaObject

export type NamedSchemas = Readonly<Record<string, Schema>>

/** Every keyword here has a value of this type; other keywords may have any value. */
export interface SchemaObject {
  readonly type?: TypeName | readonly TypeName[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: NamedSchemas
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly $ref?: string
  readonly $defs?: NamedSchemas
  readonly definitions?: NamedSchemas
  readonly title?: string
  readonly description?: string
  readonly format?: string
  readonly pattern?: string
  readonly [keyword: string]: unknown
}

/** The keywords that hold further schemas: one schema, a list of them, or schemas by name. */
export const CHILDREN: ReadonlyMap<string, 'one' | 'list' | 'named'> = new Map([
  ['items', 'one'],
  ['additionalItems', 'one'],
  ['additionalProperties', 'one'],
  ['propertyNames', 'one'],
  ['contains', 'one'],
  ['not', 'one'],
  ['if', 'one'],
  ['then', 'one'],
  ['else', 'one'],
  ['unevaluatedItems', 'one'],
  ['unevaluatedProperties', 'one'],
  ['contentSchema', 'one'],
  ['prefixItems', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['allOf', 'list'],
  ['properties', 'named'],
  ['patternProperties', 'named'],
  ['dependentSchemas', 'named'],
  ['$defs', 'named'],
  ['definitions', 'named'],
])

export type MapSchema = (child: Schema, keyword: string) => Schema

export function mapChildren(node: SchemaObject, map: MapSchema): SchemaObject {
  let out: Record<string, unknown> | undefined
  for (const keyword of Object.keys(node)) {
    const kind = CHILDREN.get(keyword)
    if (kind === undefined) continue
    const value = node[keyword]
    const mapped =
      kind === 'one'
        ? map(value as Schema, keyword)
        : kind === 'list'
          ? mapList(value as readonly Schema[], (child) => map(child, keyword))
          : mapNamed(value as NamedSchemas, (child) => map(child, keyword))
    if (mapped === value) continue
    out ??= { ...node }
    out[keyword] = mapped
  }
  return out ?? node
}

export function mapList<T>(list: readonly T[], map: (item: T) => T): readonly T[] {
  let out: T[] | undefined
  for (let i = 0; i < list.length; i++) {
    const mapped = map(list[i]!)
    if (mapped === list[i]) continue
    out ??= [...list]
    out[i] = mapped
  }
  return out ?? list
}

/** Undefined removes a schema. */
export function mapNamed(
  named: NamedSchemas,
  map: (child: Schema, name: string) => Schema | undefined,
): NamedSchemas {
  const names = Object.keys(named)
  for (let i = 0; i < names.length; i++) {
    const mapped = map(named[names[i]!]!, names[i]!)
    if (mapped !== named[names[i]!]) return mapFrom(named, { names, at: i, mapped }, map)
  }
  return named
}

function mapFrom(
  named: NamedSchemas,
  { names, at, mapped }: { names: readonly string[]; at: number; mapped: Schema | undefined },
  map: (child: Schema, name: string) => Schema | undefined,
): NamedSchemas {
  const out: Record<string, Schema> = {}
  for (const [i, name] of names.entries()) {
    const value = i < at ? named[name] : i === at ? mapped : map(named[name]!, name)
    if (value !== undefined) setOwn(out, name, value)
  }
  return out
}

/** `__proto__` is a name like any other: an assignment would replace the prototype. */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

/** Removes some keywords. Returns the same object when it has none of them. */
export function without(node: SchemaObject, keywords: ReadonlySet<string>): SchemaObject {
  const kept = Object.keys(node).filter((keyword) => !keywords.has(keyword))
  if (kept.length === Object.keys(node).length) return node
  const out: Record<string, unknown> = {}
  for (const keyword of kept) setOwn(out, keyword, node[keyword])
  return out
}

/** Compares by value. The order of keys counts, so schemas that differ only in it are not equal. */
export function isEqual(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

/** Keeps the first of equal schemas. */
export function eachOnce<T extends Schema>(schemas: readonly T[]): readonly T[] {
  if (schemas.length < 2) return schemas
  const met = new Set<string>()
  return schemas.filter((schema) => {
    const text = JSON.stringify(schema)
    return !met.has(text) && met.add(text)
  })
}

/** The cost of writing this schema again without its inner schemas: one, and one more for each hundred letters. */
export function weightOf({ description, enum: options, default: value }: SchemaObject): number {
  const letters = (description?.length ?? 0) + (options === undefined ? 0 : lettersOf(options))
  return 1 + Math.floor((letters + (typeof value === 'object' ? lettersOf(value) : 0)) / 100)
}

function lettersOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0
}

export function typesOf({ type }: SchemaObject): readonly TypeName[] {
  return type === undefined ? [] : typeof type === 'string' ? [type] : type
}
