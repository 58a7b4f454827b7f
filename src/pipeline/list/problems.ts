/**
 * problems: faults of a whole list.
 */
import { toPrintable } from '../../base/printable.ts'
import type { Problem } from '../../model/problem.ts'
import type { SessionError } from '../../model/session.ts'
import { createProblem, createWarning, ProblemError } from '../../problem/problem.ts'

/** A server whose list does not end. The session works, but the list cannot be used. */
export class ListError extends ProblemError {
  override readonly name = 'ListError'
}

export function endless(what: string, reason: string): ListError {
  return new ListError(
    createProblem({
      code: 'list/endless',
      message: `the server lists its ${what} without end: ${reason}`,
      notes: ['nothing of this list is used'],
    }),
  )
}

/** How much of a server's own words a message quotes. */
const QUOTE_LENGTH = 300

export function unlistable(what: string, error: SessionError): Problem {
  const words = toPrintable(error.message.slice(0, QUOTE_LENGTH))
  return createWarning({
    code: 'list/failed',
    message: `the server could not list its ${what}`,
    notes: [words, 'its tools are not affected'],
  })
}
