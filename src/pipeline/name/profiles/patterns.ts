/**
 * patterns: regular expressions that providers can read, who compile them in other languages than ours.
 */

/** Looking around, properties of characters, names of groups, and letters that only some languages escape. */
const FOREIGN = /\(\?(?![:])|\\[pPuUcCkKzZAGhHRXNeEQ]|\\x(?![0-9a-fA-F]{2})/

export function isPortable(pattern: string): boolean {
  if (FOREIGN.test(pattern)) return false
  try {
    void new RegExp(pattern, 'u')
    return true
  } catch {
    // Not even ours: nobody can read it.
    return false
  }
}
