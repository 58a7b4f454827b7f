/**
 * exit-codes: which code a process ends with. Scripts depend on them.
 */
import type { Problem } from '../../model/problem.ts'

export const DONE = 0
export const FAILED = 1
/** Usage or configuration to fix. */
export const TO_FIX = 2
export const SIGN_IN_NEEDED = 4
export const DENIED = 5

/** By the stage that wrote the problem; what is not listed is for the user to fix. */
const BY_CODE: Readonly<Record<string, number>> = {
  'cli/bug': FAILED,
  connect: FAILED,
  list: FAILED,
  call: FAILED,
  authorize: SIGN_IN_NEEDED,
  admit: DENIED,
  permit: DENIED,
}

export function exitCodeOf({ code }: Problem): number {
  return BY_CODE[code] ?? BY_CODE[code.split('/')[0]!] ?? TO_FIX
}
