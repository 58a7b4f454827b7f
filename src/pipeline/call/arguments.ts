/**
 * arguments: whether what somebody wants to send is what the tool takes.
 *
 * in     the tool's own schema, as its server sent it, and the arguments
 * out    what is wrong, each in words a model can act on; nothing when all is well, or when nobody can tell
 * never  refuses what the server may accept; fetches a schema; repeats a long value
 */
import type * as JsonSchema from '@cfworker/json-schema'
import { isObject } from '../../base/is-object.ts'
import { toCheckable, withinSteps, type Checkable, type Schema } from './checkable.ts'
import { toFaults } from './faults.ts'
import { toPlain, type Fits } from './plain.ts'

const NO_FAULTS: readonly string[] = []

/** At once, where nothing has to be loaded for it. */
export function findFaults(schema: Schema, args: unknown): readonly string[] | Promise<readonly string[]> {
  if (!isObject(args)) return ['the arguments must be an object']
  return isPlainlyFine(schema, args) ? NO_FAULTS : findFaultsThoroughly(schema, args)
}

async function findFaultsThoroughly(schema: Schema, args: Schema): Promise<readonly string[]> {
  const instance = toSent(args)
  if (instance === undefined) return ['the arguments cannot be written as JSON']
  const library = (loaded ??= await import('@cfworker/json-schema'))
  const compiled = compile(library, schema, instance)
  if (compiled === undefined) return []
  const first = validate(library, compiled, { instance, extent: 'first' })
  if (typeof first === 'string') return []
  const all = validate(library, compiled, { instance, extent: 'all' })
  return toFaults(typeof all === 'string' ? first : all, { ...compiled, instance })
}

/** What would be sent: JSON leaves out what is undefined, and makes text of dates. */
function toSent(args: Schema): Schema | undefined {
  try {
    return JSON.parse(JSON.stringify(args)) as Schema
  } catch {
    return undefined // a circle, a BigInt, a depth without end: it could not be sent either
  }
}

/** Most schemas are plain, and most arguments fit them. */
const plain = new WeakMap<Schema, Fits | 'not-plain'>()

function isPlainlyFine(schema: Schema, args: Schema): boolean {
  let fits = plain.get(schema)
  if (fits === undefined) {
    fits = toPlain(schema) ?? 'not-plain'
    plain.set(schema, fits)
  }
  return fits !== 'not-plain' && fits(args)
}

type Library = typeof JsonSchema
export type Unit = ReturnType<Library['validate']>['errors'][number]

/** Not before somebody calls: most who open a board only look. */
let loaded: Library | undefined

export interface Compiled {
  readonly schema: Schema
  /** Every schema in it, by its address. */
  readonly lookup: Readonly<Record<string, unknown>>
  readonly draft: SchemaDraft
}

type SchemaDraft = '4' | '7' | '2019-09' | '2020-12'

/** For arguments in which no text or list is longer. */
const LENGTHS = [64, 4096, 65_536, Infinity] as const

/** By length, of those above. `undefined`: it cannot be checked. */
type Variants = Map<number, (Compiled & Checkable) | undefined>

const known = new WeakMap<Schema, Variants>()

function compile(library: Library, schema: Schema, args: Schema): Compiled | undefined {
  const usual = variantOf(library, schema, LENGTHS[0])
  if (usual?.dependsOnLength !== true) return usual
  const longest = longestIn(args)
  return variantOf(
    library,
    schema,
    LENGTHS.find((one) => longest <= one)!,
  )
}

function variantOf(library: Library, schema: Schema, length: number): (Compiled & Checkable) | undefined {
  const variants: Variants = known.get(schema) ?? new Map()
  if (variants.has(length)) return variants.get(length)
  const variant = tryCompile(library, schema, length)
  known.set(schema, variants.set(length, variant))
  return variant
}

function tryCompile(library: Library, schema: Schema, length: number): (Compiled & Checkable) | undefined {
  try {
    const checkable = toCheckable(schema, length)
    return { ...checkable, lookup: library.dereference(checkable.schema), draft: draftOf(schema) }
  } catch {
    return undefined // a name that is half a character: the tool may work all the same
  }
}

/** Those that do not say are of the last. */
function draftOf({ $schema: schema }: Schema): SchemaDraft {
  const named = typeof schema === 'string' ? /draft-0([3-7])|2019-09/.exec(schema) : null
  if (named === null) return '2020-12'
  return named[1] === undefined ? '2019-09' : Number(named[1]) < 6 ? '4' : '7'
}

function longestIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let longest = Array.isArray(value) ? value.length : 0
  for (const key in value) {
    longest = Math.max(longest, key.length, longestIn((value as Schema)[key]))
  }
  return longest
}

interface Check {
  readonly instance: Schema
  /** `first`: to know whether there is a fault. `all`: to tell of them. */
  readonly extent: 'first' | 'all'
}

/** `unknown`: the check itself failed, at a reference that leads nowhere, or took too long. */
function validate(
  library: Library,
  { schema, draft, lookup }: Compiled,
  { instance, extent }: Check,
): 'valid' | 'unknown' | readonly Unit[] {
  try {
    const { valid, errors } = withinSteps(() =>
      library.validate(instance, schema, draft, lookup as never, extent === 'first'),
    )
    return valid ? 'valid' : errors
  } catch {
    return 'unknown'
  }
}
