/**
 * reuse: keeps the unchanged parts of the earlier offering when an offering is read again.
 *
 * Hosts compare by identity. They drop what they built from the tools (such as a prompt) when the objects differ.
 */
import type { Offering } from '../../model/offering.ts'

/** Returns `before` itself when nothing has changed. */
export function reuse(before: Offering | undefined, next: Offering): Offering {
  if (before === undefined) return next
  const kept = { ...next }
  let isSame = true
  for (const key of new Set([...Object.keys(before), ...Object.keys(next)]) as Set<keyof Offering>) {
    if (isEqual(before[key], next[key])) Object.assign(kept, { [key]: before[key] })
    else isSame = false
  }
  return isSame ? before : kept
}

function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  try {
    return JSON.stringify(a) === JSON.stringify(b)
  } catch {
    return false // a server in this process may list values that are not JSON: they count as new
  }
}
