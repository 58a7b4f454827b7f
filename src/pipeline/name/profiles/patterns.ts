/**
 * patterns: regular expressions that providers can read, who compile them in other languages than ours.
 */

/** No group but plain ones, so nothing that looks around; no escape but those that every language knows. */
const PORTABLE =
  /^(?:[^\\(]|\((?!\?(?!:))|\\(?:[^A-Za-z]|[bBdDsSwWfnrtv]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}))*$/s

/** Longer ones are more likely to be refused than of use. */
const LONGEST = 1000

export function isPortable(pattern: string): boolean {
  if (pattern.length > LONGEST || !PORTABLE.test(pattern)) return false
  try {
    return new RegExp(pattern) instanceof RegExp
  } catch {
    // Not even ours: nobody can read it.
    return false
  }
}
