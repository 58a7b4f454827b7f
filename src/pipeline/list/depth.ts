/**
 * depth: values from the wire that are nested so deep that walking them, as `JSON.stringify` does, would end the program.
 */

/** Deeper than any schema of use. */
export const MAX_DEPTH = 200

/** Stands for an item that is nested deeper. */
export const TOO_DEEP = Symbol('too deep')

export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const key in value) {
    if (isTooDeep((value as Readonly<Record<string, unknown>>)[key], levels - 1)) return true
  }
  return false
}
