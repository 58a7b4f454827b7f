/**
 * depth: the limit for nesting in data from outside: files, messages, arguments, results.
 *
 * `JSON.parse` reads any depth. But `JSON.stringify`, `structuredClone` and every recursive function run out of stack,
 * so one message may end the whole process. So each edge checks once.
 */

/** Far beyond any real configuration, schema or message. */
export const MAX_DEPTH = 200

/** Whether there are more levels of objects and lists than this. A value that contains itself is always too deep. */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  // By index: listing the keys of a list with many numbers takes five times as long as parsing its text.
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (isTooDeep(value[i], levels - 1)) return true
    return false
  }
  for (const key in value) {
    if (isTooDeep((value as Readonly<Record<string, unknown>>)[key], levels - 1)) return true
  }
  return false
}
