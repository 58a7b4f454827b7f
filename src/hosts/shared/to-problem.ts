/**
 * to-problem: turns anything that was thrown into a Problem.
 */
import type { Problem } from '../../model/problem.ts'
import { toCrashText } from '../../problem/crash-text.ts'
import { createProblem, ProblemError } from '../../problem/problem.ts'

export const BUG = 'cli/bug'

/** Anything except a ProblemError is a bug. The stack is shown because the bug cannot be found without it. */
export function toProblem(error: unknown, version: string): Problem {
  if (error instanceof ProblemError) return error.problem
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return createProblem({
    code: BUG,
    message: 'this is a bug in Plugboard, not in your configuration',
    notes: [`Plugboard ${version}`, ...toCrashText(stack).split('\n')],
    hints: ['please report it, with the lines above and the command you ran'],
  })
}
