/**
 * exit-codes: the exit code for each problem. Scripts depend on them.
 */
import type { Problem } from '../../model/problem.ts'

export const DONE = 0
export const FAILED = 1
/** The user must fix the command line or the configuration. */
export const TO_FIX = 2
/** A server waits for a sign-in. */
export const SIGN_IN = 4
/** By a rule or by the user. */
export const DENIED = 5
/** Ctrl-C, or the user cancelled a question. */
export const INTERRUPTED = 130

/** Codes that are not listed are for the user to fix. */
const BY_CODE: Readonly<Record<string, number>> = {
  'cli/bug': FAILED,
  'serve/audit': FAILED,
  'serve/cannot-listen': FAILED,
  'serve/issuer': FAILED,
  'serve/no-token': FAILED,
  'serve/already-runs': FAILED,
  'serve/daemon-died': FAILED,
  'serve/no-socket': FAILED,
  'serve/silent': FAILED,
  'token/unwritable': FAILED,
  'trust/changed': FAILED,
  'trust/unwritable': FAILED,
  'permit/unwritable': FAILED,
  'permit/denied': DENIED,
  'permit/declined': DENIED,
  'permit/needs-answer': DENIED,
  'permit/changed': DENIED,
  'connect/needs-auth': SIGN_IN,
  'call/needs-auth': SIGN_IN,
  'authorize/failed': FAILED,
  'authorize/no-endpoints': FAILED,
  'authorize/store-unwritable': FAILED,
  'authorize/timed-out': FAILED,
  'authorize/unreachable': FAILED,
  // The server wants the user to open a page, usually to sign in.
  'call/needs-page': SIGN_IN,
  'registry/failed': FAILED,
  'call/bad-arguments': TO_FIX,
  'call/unknown-tool': TO_FIX,
  'call/changed': DENIED,
  'call/aborted': INTERRUPTED,
  // The entry exists, but is not chosen: the user fixes that in the files.
  'connect/not-chosen': TO_FIX,
  'connect/unknown-server': TO_FIX,
}

/** Stages in which the server or the disk failed. */
const FAILING = /^(?:connect|list|call|write)\//

export function exitCodeOf({ code }: Problem): number {
  return BY_CODE[code] ?? (FAILING.test(code) ? FAILED : TO_FIX)
}
