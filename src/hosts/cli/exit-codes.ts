/**
 * exit-codes: which code a process ends with. Scripts depend on them.
 */
import type { Problem } from '../../model/problem.ts'

export const DONE = 0
export const FAILED = 1
/** Usage or configuration to fix. */
export const TO_FIX = 2
/** Ctrl-C, or a question that was cancelled. */
export const INTERRUPTED = 130

/** What is not listed is for the user to fix. */
const BY_CODE: Readonly<Record<string, number>> = {
  'cli/bug': FAILED,
  'trust/unwritable': FAILED,
}

export function exitCodeOf({ code }: Problem): number {
  return BY_CODE[code] ?? TO_FIX
}
