/**
 * reuse: an offering that was read again, with the parts of the one before that are still the same.
 *
 * Hosts compare by identity, and drop what they made of the tools (a prompt, say) when these are others than before.
 */
import type { Offering } from '../../model/offering.ts'

/** The one before itself, when nothing in it has changed. */
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
    return false // of a server in this process, which may list what JSON does not know: taken for new
  }
}
