/**
 * scan: stepping through a text with sticky patterns.
 */
export interface Scan {
  readonly text: string
  /** The offset of what comes next. */
  at: number
}

/** Steps over what the pattern matches here; false, and no step, if it does not match. */
export function skip(scan: Scan, sticky: RegExp): boolean {
  sticky.lastIndex = scan.at
  if (!sticky.test(scan.text)) return false
  scan.at = sticky.lastIndex
  return true
}

/** The same for literal text. */
export function take(scan: Scan, expected: string): boolean {
  if (!scan.text.startsWith(expected, scan.at)) return false
  scan.at += expected.length
  return true
}
