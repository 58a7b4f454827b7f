/**
 * redact-problem: a Problem without the secrets of the server it is about, wherever they turned up.
 */
import type { Problem } from '../model/problem.ts'

export function redactProblem(problem: Problem, redact: (text: string) => string): Problem {
  return { ...problem, message: redact(problem.message), notes: problem.notes.map(redact) }
}
