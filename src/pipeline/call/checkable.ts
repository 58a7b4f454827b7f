/**
 * checkable: a tool's schema → one that arguments can be checked against.
 *
 * in     a schema as the server sent it, of any draft, with whatever mistakes it has
 * out    a copy that says no more than the original: what is not understood, or would take too long, is left out
 * never  changes the original; follows a reference out of it; makes something forbidden that the server may accept
 */
import { isObject } from '../../base/is-object.ts'
import { costOf, isCheap, type Cost } from './pattern-cost.ts'

export type Schema = Readonly<Record<string, unknown>>

type Draft = Record<string, unknown>

/** A copy that is loose forbids less than the original. */
interface Copy {
  readonly schema: Schema | boolean
  readonly isLoose: boolean
}

export interface Checkable {
  readonly schema: Schema
  /** Whether for other lengths it might be another. */
  readonly dependsOnLength: boolean
}

/** `longest`: no text or list in the arguments is longer. */
export function toCheckable(root: Schema, longest: number): Checkable {
  const copier = new Copier(root, longest)
  const schema = copier.copy(root).schema as Draft
  schema['$defs'] = copier.definitions
  return { schema, dependsOnLength: copier.dependsOnLength }
}

/** How many schemas one check may look at: some combinations of references come to billions. */
const MAX_STEPS = 200_000

let stepsLeft = 0

/** Throws what `check` throws, and an error when it takes too many steps. */
export function withinSteps<T>(check: () => T): T {
  stepsLeft = MAX_STEPS
  return check()
}

/**
 * Every schema of a copy asks for this keyword, which it does not have, when it is looked at: the only way to count the
 * steps of a validator that knows no limit. No other prototype, because a property may be called `__proto__`.
 */
const COUNTED = Object.create(null, {
  $recursiveAnchor: {
    get: () => {
      stepsLeft -= 1
      if (stepsLeft < 0) throw new Error('the check takes too many steps')
      return undefined
    },
  },
}) as object

function emptySchema(): Draft {
  return Object.create(COUNTED) as Draft
}

function emptyMap(): Draft {
  return Object.create(null) as Draft
}

class Copier {
  readonly definitions = emptyMap()
  dependsOnLength = false
  readonly #root: Schema
  readonly #longest: number
  /** What a reference leads to, once it is a definition of the copy. */
  readonly #names = new Map<unknown, string>()
  /** Whether a definition is loose. One that is still being copied is taken for loose. */
  readonly #isLoose = new Map<string, boolean>()

  constructor(root: Schema, longest: number) {
    this.#root = root
    this.#longest = longest
  }

  copy(schema: unknown): Copy {
    if (typeof schema === 'boolean') return { schema, isLoose: false }
    if (!isObject(schema)) return { schema: true, isLoose: true }
    const out = emptySchema()
    let isLoose = this.#copyReference(schema, out)
    for (const [key, value] of Object.entries(schema)) {
      if (value !== undefined && this.#copyKeyword(key, value, out) === 'loose') isLoose = true
    }
    mendDraft4(out)
    if (isLoose) for (const key of RESTS) delete out[key]
    if (schema['properties'] !== undefined && out['properties'] === undefined)
      delete out['additionalProperties']
    return schema['nullable'] === true ? orNull(out) : { schema: out, isLoose }
  }

  #copyKeyword(key: string, value: unknown, out: Draft): 'loose' | 'exact' {
    const put = (copied: unknown): 'loose' | 'exact' => {
      if (copied === undefined) return 'loose'
      out[key] = copied
      return 'exact'
    }
    switch (key) {
      case 'type':
        return put(toTypes(value))
      case 'enum':
        return put(Array.isArray(value) ? value : undefined)
      case 'const':
        return put(value)
      case 'required':
        return put(toNames(value))
      case 'minimum':
      case 'maximum':
      case 'multipleOf':
      case 'minLength':
      case 'maxLength':
      case 'minItems':
      case 'maxItems':
      case 'minProperties':
      case 'maxProperties':
      case 'minContains':
      case 'maxContains':
        return put(typeof value === 'number' ? value : undefined)
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        return put(typeof value === 'number' || typeof value === 'boolean' ? value : undefined)
      case 'uniqueItems':
        return put(value === true && this.#isAffordable({ power: 2, bits: 0 }) ? true : undefined)
      case 'pattern':
        return put(typeof value === 'string' && this.#isUsable(value) ? value : undefined)
      case 'format':
        // An annotation since 2019-09; what counts as a date or an address, the server knows best.
        return 'loose'
      case 'not':
      case 'if':
        return this.#copyCondition(key, value, out)
      case 'then':
      case 'else':
      case 'propertyNames':
      case 'additionalProperties':
      case 'additionalItems':
      case 'unevaluatedProperties':
      case 'unevaluatedItems':
      case 'contains':
        return this.#copyOne(key, value, out)
      case 'items':
        return Array.isArray(value) ? this.#copyList(key, value, out) : this.#copyOne(key, value, out)
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
      case 'prefixItems':
        return this.#copyList(key, value, out)
      case 'properties':
      case 'dependentSchemas':
        return this.#copyMap(key, value, out)
      case 'patternProperties':
        return this.#copyPatternMap(value, out)
      case 'dependentRequired':
        return put(toNameLists(value))
      case 'dependencies':
        return this.#copyDependencies(value, out)
      default:
        // A name, a comment, a definition, a keyword of somebody's own: nothing to check.
        return 'exact'
    }
  }

  /** A part of it, wherever it stands. Others are not followed, and forbid nothing. */
  #copyReference(schema: Schema, out: Draft): boolean {
    if (schema['$dynamicRef'] !== undefined || schema['$recursiveRef'] !== undefined) return true
    const reference = schema['$ref']
    if (reference === undefined) return false
    const target = typeof reference === 'string' ? findPart(this.#root, reference) : undefined
    if (target === undefined) return true
    const known = this.#names.get(target)
    const name = known ?? `r${this.#names.size}`
    out['$ref'] = `#/$defs/${name}`
    if (known === undefined) this.#define(name, target)
    return this.#isLoose.get(name) ?? true
  }

  #define(name: string, target: unknown): void {
    this.#names.set(target, name)
    const { schema, isLoose } = this.copy(target)
    this.definitions[name] = schema
    this.#isLoose.set(name, isLoose)
  }

  #copyOne(key: string, value: unknown, out: Draft): 'loose' | 'exact' {
    const { schema, isLoose } = this.copy(value)
    out[key] = schema
    return isLoose ? 'loose' : 'exact'
  }

  /** Where fitting has consequences, a loose copy would fit too often. */
  #copyCondition(key: string, value: unknown, out: Draft): 'loose' | 'exact' {
    const { schema, isLoose } = this.copy(value)
    if (isLoose) return 'loose'
    out[key] = schema
    return 'exact'
  }

  #copyList(key: string, value: unknown, out: Draft): 'loose' | 'exact' {
    if (!Array.isArray(value) || value.length === 0) return 'loose'
    const copies = value.map((one) => this.copy(one))
    const isLoose = copies.some((one) => one.isLoose)
    const schemas = copies.map(({ schema }) => schema)
    // Several that are loose may fit at once.
    if (key === 'oneOf' && isLoose) out['allOf'] = [...((out['allOf'] as Schema[]) ?? []), { anyOf: schemas }]
    else out[key] = key === 'allOf' ? [...((out[key] as Schema[]) ?? []), ...schemas] : schemas
    return isLoose ? 'loose' : 'exact'
  }

  #copyMap(key: string, value: unknown, out: Draft): 'loose' | 'exact' {
    if (!isObject(value)) return 'loose'
    const copies = emptyMap()
    let isLoose = false
    for (const [name, one] of Object.entries(value)) {
      const copy = this.copy(one)
      copies[name] = copy.schema
      isLoose ||= copy.isLoose
    }
    out[key] = copies
    return isLoose ? 'loose' : 'exact'
  }

  /** Without its patterns nobody knows which properties are additional. */
  #copyPatternMap(value: unknown, out: Draft): 'loose' | 'exact' {
    const isUsable = isObject(value) && Object.keys(value).every((pattern) => this.#isUsable(pattern))
    return this.#copyMap('patternProperties', isUsable ? value : { '': true }, out) === 'exact' && isUsable
      ? 'exact'
      : 'loose'
  }

  #copyDependencies(value: unknown, out: Draft): 'loose' | 'exact' {
    if (!isObject(value)) return 'loose'
    const lists = Object.entries(value).filter(([, one]) => Array.isArray(one))
    const schemas = Object.entries(value).filter(([, one]) => !Array.isArray(one))
    const names = toNameLists(Object.fromEntries(lists))
    if (names !== undefined) out['dependentRequired'] = names
    const copied = this.#copyMap('dependentSchemas', Object.fromEntries(schemas), out)
    return names === undefined ? 'loose' : copied
  }

  #isUsable(pattern: string): boolean {
    try {
      // As it will be read.
      return new RegExp(pattern, 'u') instanceof RegExp && this.#isAffordable(costOf(pattern))
    } catch {
      return false // written for another language: its server can read it
    }
  }

  #isAffordable(cost: Cost): boolean {
    if (cost.power > 0) this.dependsOnLength = true
    return isCheap(cost, this.#longest)
  }
}

/** What counts or forbids whatever the other keywords did not meet: not to be said where those are loose. */
const RESTS = ['unevaluatedProperties', 'unevaluatedItems', 'maxContains']

/** The way of OpenAPI. */
function orNull(schema: Draft): Copy {
  const out = emptySchema()
  out['anyOf'] = [{ type: 'null' }, schema]
  return { schema: out, isLoose: true }
}

const TYPES: ReadonlySet<unknown> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
])

/** A type that does not exist (`int`, `any`) fits nothing, which nobody can have meant. */
function toTypes(value: unknown): unknown {
  if (Array.isArray(value))
    return value.length > 0 && value.every((one) => TYPES.has(one)) ? value : undefined
  return TYPES.has(value) ? value : undefined
}

function toNames(value: unknown): readonly string[] | undefined {
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string')
  return isList ? (value as string[]) : undefined
}

function toNameLists(value: unknown): Draft | undefined {
  if (!isObject(value)) return undefined
  const lists = emptyMap()
  for (const [key, one] of Object.entries(value)) {
    const names = toNames(one)
    if (names === undefined) return undefined
    lists[key] = names
  }
  return lists
}

/** In draft-04 an exclusive limit is `true` beside the limit; many schemas do not say which draft they are. */
function mendDraft4(out: Draft): void {
  for (const [exclusive, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof out[exclusive] !== 'boolean') continue
    const isExclusive = out[exclusive] && out[limit] !== undefined
    delete out[exclusive]
    if (!isExclusive) continue
    out[exclusive] = out[limit]
    delete out[limit]
  }
}

/** `#/$defs/page`, or `#` for all of it. */
function findPart(root: Schema, reference: string): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let part: unknown = root
  for (const step of reference.slice(2).split('/')) {
    if (typeof part !== 'object' || part === null) return undefined
    const key = decode(step)
    if (key === undefined || !Object.hasOwn(part, key)) return undefined
    part = (part as Schema)[key]
  }
  return part
}

function decode(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return undefined // it leads nowhere
  }
}
