/**
 * redact-problem: a Problem without the secrets of the server it is about, wherever they turned up.
 */
import type { Problem } from '../model/problem.ts'

export function redactProblem(problem: Problem, redact: (text: string) => string): Problem {
  const { message, notes, hints } = problem
  return { ...problem, message: redact(message), notes: notes.map(redact), hints: hints.map(redact) }
}
