/**
 * schema-parts: reads parts of a schema that may be of any draft, and have any mistake.
 */
import { isObject } from '../../base/is-object.ts'

export type Schema = Readonly<Record<string, unknown>>

/** Ignores inherited keys (`constructor`). */
export function own(map: unknown, key: string): unknown {
  return isObject(map) && Object.hasOwn(map, key) ? map[key] : undefined
}

/** `#/$defs/page`, or `#` for all of it. Other references lead to nothing. */
export function findPart(root: Schema, reference: unknown): unknown {
  if (reference === '#') return root
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined
  let part: unknown = root
  for (const step of reference.slice(2).split('/')) {
    const key = decode(step)
    if (typeof part !== 'object' || part === null || key === undefined) return undefined
    part = Object.hasOwn(part, key) ? (part as Schema)[key] : undefined
  }
  return part
}

function decode(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return undefined // the reference leads nowhere
  }
}

/** `unknown`: an unexamined part of the schema may give a default. */
export type Default =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' }

const MAX_HOPS = 20

/** The value that a server uses for a missing property. */
export function defaultOf(root: Schema, property: unknown, hops = 0): Default {
  if (!isObject(property)) return { kind: 'none' }
  if (property['default'] !== undefined) return { kind: 'value', value: property['default'] }
  if (ELSEWHERE.some((key) => property[key] !== undefined)) return { kind: 'unknown' }
  const forms = [property['anyOf'], property['oneOf'], property['allOf']].flatMap((one) =>
    Array.isArray(one) ? (one as readonly unknown[]) : [],
  )
  const reference = property['$ref']
  const target = reference === undefined ? undefined : findPart(root, reference)
  if (reference !== undefined && target === undefined) return { kind: 'unknown' }
  const parts = target === undefined ? forms : [target, ...forms]
  if (parts.length > 0 && hops >= MAX_HOPS) return { kind: 'unknown' }
  const found = parts.map((part) => defaultOf(root, part, hops + 1))
  return (
    found.find(({ kind }) => kind === 'value') ??
    found.find(({ kind }) => kind === 'unknown') ?? { kind: 'none' }
  )
}

const ELSEWHERE = ['$dynamicRef', '$recursiveRef', 'if', 'not']
