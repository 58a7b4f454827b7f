/**
 * refs: resolves each `$ref`, and makes schemas without references, or with plain ones only.
 *
 * in     a well-formed schema
 * out    the same with every `$ref` replaced by its target; or with references that stand alone and lead to `#` or
 *        `#/$defs/<name>`
 * never  fetches anything; loops: a schema that refers to itself is refused, or keeps its `$ref`
 */
import {
  CHILDREN,
  mapChildren,
  setOwn,
  weightOf,
  without,
  type Schema,
  type SchemaObject,
} from './json-schema.ts'
import { modernizePart } from './modernize.ts'
import { checkDepth, leadsToItself, spend, Unrepairable, type Work } from './unrepairable.ts'

/** Replaces every `$ref` by its target. Throws when a `$ref` leads nowhere, or back to itself. */
export function inlineRefs(root: SchemaObject, manner: Manner): SchemaObject {
  return unfold(root, 'none', manner)
}

/**
 * Keeps the target of a reference as a definition, at the root and under a plain name. Replaces a `$ref` by its target
 * if other keywords stand beside it, or if it is merged with other schemas. Throws when a `$ref` leads nowhere, or when
 * a schema consists of itself and something else.
 */
export function gatherRefs(root: SchemaObject, manner: Manner): SchemaObject {
  return unfold(root, 'plain', manner)
}

export interface Manner {
  readonly work: Work
  /** Keywords to leave out, with everything that they refer to. */
  readonly drops: ReadonlySet<string>
}

/** The position of a schema: at the root and inside of `allOf`, a `$ref` cannot stay. */
type Position = 'root' | 'joined' | 'plain'

interface Unfolding extends Manner {
  readonly keeps: 'none' | 'plain'
  readonly resolve: Resolve
  readonly definitions: Definitions
}

function unfold(root: SchemaObject, keeps: Unfolding['keeps'], { work, drops }: Manner): SchemaObject {
  const unfolding: Unfolding = {
    keeps,
    work,
    drops: new Set([...SCAFFOLD, ...drops]),
    resolve: createResolve(root),
    definitions: new Definitions(root),
  }
  const whole = unfoldSchema(root, { position: 'root', inside: [root], depth: 0 }, unfolding) as SchemaObject
  const defs = unfolding.definitions.finish((target) =>
    unfoldSchema(target, { position: 'plain', inside: [target], depth: 0 }, unfolding),
  )
  return defs === undefined ? whole : { ...whole, $defs: defs }
}

interface Here {
  readonly position: Position
  /** The schemas that are being written, outermost first. */
  readonly inside: readonly Schema[]
  /** The depth in the result. */
  readonly depth: number
}

function unfoldSchema(schema: Schema, here: Here, unfolding: Unfolding): Schema {
  if (typeof schema === 'boolean') return schema
  spend(unfolding.work, weightOf(schema))
  checkDepth(here.depth)
  if (schema.$ref !== undefined) return unfoldRef(schema, schema.$ref, here, unfolding)
  const bare = without(schema, unfolding.drops)
  return mapChildren(bare, (child, keyword) => {
    const position = positionOf(keyword, here.position)
    return unfoldSchema(child, { ...here, position, depth: here.depth + 1 }, unfolding)
  })
}

/** Definitions are collected at the root. Without references, the names of parts have no meaning. */
const SCAFFOLD: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  '$anchor',
  '$dynamicAnchor',
  '$id',
  'id',
])

const JOINS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf'])

function positionOf(keyword: string, parent: Position): Position {
  if (parent === 'root' && JOINS.has(keyword)) return 'root'
  return keyword === 'allOf' ? 'joined' : 'plain'
}

function unfoldRef(schema: SchemaObject, ref: string, here: Here, unfolding: Unfolding): Schema {
  const target = requireTarget(ref, unfolding.resolve)
  if (typeof target === 'boolean') return target
  const beside = without(schema, BESIDE)
  const isAlone = Object.keys(beside).length === 0
  const mayStay = unfolding.keeps === 'plain' && here.position === 'plain'
  const isCircular = here.inside.includes(target)
  const isOnlyTold = Object.keys(beside).every((keyword) => TELLS.has(keyword))
  if (mayStay && (isAlone || (isCircular && isOnlyTold))) return unfolding.definitions.refTo(target, ref)
  if (isCircular) throw new Unrepairable(`its schema refers to itself (\`${ref}\`) where that cannot be said`)
  const inside = [...here.inside, target]
  const written = unfoldSchema(target, { ...here, inside, depth: here.depth + 1 }, unfolding)
  if (isAlone) return written
  const rest = unfoldSchema(beside, here, unfolding) as SchemaObject
  return { ...rest, allOf: [written, ...(rest.allOf ?? [])] }
}

const BESIDE: ReadonlySet<string> = new Set(['$ref', '$schema', '$comment', ...SCAFFOLD])
const TELLS: ReadonlySet<string> = new Set(['title', 'description', 'default', 'examples', 'deprecated'])

/** Follows references to references, so that a definition is never only a `$ref` to another. */
function requireTarget(ref: string, resolve: Resolve): Schema {
  const met = new Set<Schema>()
  for (let next = ref; ;) {
    const target = resolve(next)
    if (target === undefined)
      throw new Unrepairable(`its schema refers to \`${next}\`, which is nowhere in it`)
    if (typeof target === 'boolean' || target.$ref === undefined) return target
    if (Object.keys(without(target, BESIDE)).length > 0) return target
    if (met.has(target)) throw leadsToItself(next)
    met.add(target)
    next = target.$ref
  }
}

/** The definitions in use, each under its own name. */
class Definitions {
  readonly #root: SchemaObject
  readonly #names = new Map<SchemaObject, string>()
  readonly #taken = new Set<string>()
  /** The next number for each name that occurs more than once. */
  readonly #numbers = new Map<string, number>()

  constructor(root: SchemaObject) {
    this.#root = root
  }

  refTo(target: SchemaObject, ref: string): SchemaObject {
    if (target === this.#root) return { $ref: '#' }
    const known = this.#names.get(target) ?? this.#nameFor(ref)
    this.#names.set(target, known)
    return { $ref: `#/$defs/${known}` }
  }

  /** Writing one definition can add others. */
  finish(write: (target: SchemaObject) => Schema): Readonly<Record<string, Schema>> | undefined {
    const defs: Record<string, Schema> = {}
    // The map grows while it is read.
    for (const [target, name] of this.#names) setOwn(defs, name, write(target))
    return this.#names.size === 0 ? undefined : defs
  }

  /** The name that it had, if that is plain; with a number when the name is taken. */
  #nameFor(ref: string): string {
    const wanted = ref.slice(ref.lastIndexOf('/') + 1)
    const base = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(wanted) ? wanted : 'part'
    for (let n = this.#numbers.get(base) ?? 1; ; n++) {
      const name = n === 1 ? base : `${base}_${n}`
      this.#numbers.set(base, n + 1)
      if (this.#taken.has(name)) continue
      this.#taken.add(name)
      return name
    }
  }
}

export type Resolve = (ref: string) => Schema | undefined

/** Resolves the references of one schema. Undefined: the target is not in it. */
export function createResolve(root: SchemaObject): Resolve {
  const known = new Map<string, Schema | undefined>()
  return (ref) => {
    if (!known.has(ref)) known.set(ref, modernizePart(find(root, ref)))
    return known.get(ref)
  }
}

function find(root: SchemaObject, ref: string): unknown {
  const own = root['$id'] ?? root['id']
  const base = typeof own === 'string' ? own.split('#')[0]! : ''
  const isOwn = base !== '' && (ref === base || ref.startsWith(`${base}#`))
  const local = isOwn ? ref.slice(base.length) : ref
  if (local === '' || local === '#') return root
  if (local.startsWith('#/')) return findByPointer(root, local.slice(2))
  return findByName(root, local)
}

function findByPointer(root: SchemaObject, pointer: string): unknown {
  const steps = pointer.split('/').map(toKey)
  let at: unknown = root
  for (const [i, step] of steps.entries()) {
    if (typeof at !== 'object' || at === null) return undefined
    // `modernize` moved the schemas for the first items there.
    const isMoved = step === 'items' && /^\d+$/.test(steps[i + 1] ?? '') && Object.hasOwn(at, 'prefixItems')
    const key = isMoved ? 'prefixItems' : step
    if (!Object.hasOwn(at, key)) return undefined
    at = (at as Readonly<Record<string, unknown>>)[key]
  }
  return at
}

function toKey(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    // The `%` escapes nothing, so it stands for itself.
    return step
  }
}

/**
 * Finds `#part` by `$anchor` (or `id`, until draft 4), and the address of another document by an `$id` inside of this
 * one.
 */
function findByName(root: SchemaObject, name: string): SchemaObject | undefined {
  const waiting: Schema[] = [root]
  // The list grows while it is read.
  for (const schema of waiting) {
    if (typeof schema === 'boolean') continue
    const anchor = schema['$anchor'] ?? schema['$dynamicAnchor']
    if (schema['id'] === name || schema['$id'] === name || `#${String(anchor)}` === name) return schema
    for (const [keyword, kind] of CHILDREN) {
      const value = schema[keyword]
      if (value === undefined) continue
      if (kind === 'one') waiting.push(value as Schema)
      else for (const child of Object.values(value as Readonly<Record<string, Schema>>)) waiting.push(child)
    }
  }
  return undefined
}
