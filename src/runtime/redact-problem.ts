/** redact-problem: removes the secrets of a server from a Problem, wherever they appear. */
import type { Problem } from '../model/problem.ts'

export function redactProblem(problem: Problem, redact: (text: string) => string): Problem {
  const { message, notes, hints } = problem
  return { ...problem, message: redact(message), notes: notes.map(redact), hints: hints.map(redact) }
}
