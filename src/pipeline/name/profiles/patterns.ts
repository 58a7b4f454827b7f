/**
 * patterns: finds regular expressions that providers can compile, because their engines use other dialects.
 */

/** Only plain groups, so no lookaround; and only escapes that every dialect has. */
const PORTABLE =
  /^(?:[^\\(]|\((?!\?(?!:))|\\(?:[^A-Za-z]|[bBdDsSwWfnrtv]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}))*$/s

/** A provider would probably refuse a longer one. */
const LONGEST = 1000

export function isPortable(pattern: string): boolean {
  if (pattern.length > LONGEST || !PORTABLE.test(pattern)) return false
  try {
    return new RegExp(pattern) instanceof RegExp
  } catch {
    // Not even a JavaScript pattern, so no engine can read it.
    return false
  }
}
