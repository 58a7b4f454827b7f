/**
 * depth: how deep data from outside may be nested: files, messages, arguments, answers.
 *
 * `JSON.parse` reads any depth, but `JSON.stringify`, `structuredClone` and every function that calls itself run out of
 * stack, and a message that ends one request this way may end the process for all. So each edge looks once.
 */

/** Far beyond any configuration, schema or message of use. */
export const MAX_DEPTH = 200

/** Whether there are more levels of objects and lists than this. A value that contains itself is always too deep. */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  // By index: the keys of a list with many numbers take five times as long to list as its text to parse.
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (isTooDeep(value[i], levels - 1)) return true
    return false
  }
  for (const key in value) {
    if (isTooDeep((value as Readonly<Record<string, unknown>>)[key], levels - 1)) return true
  }
  return false
}
