/**
 * problem-json: a Problem as JSON for scripts. The shape changes only with a major version.
 */
import type { Problem } from '../../model/problem.ts'
import { toShownFile } from './show-path.ts'

export interface ProblemJson {
  readonly code: string
  readonly message: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
  /** Who decided, what a server said, what still works. */
  readonly notes?: readonly string[]
  readonly hints: readonly string[]
}

export function toProblemJson({ code, message, where, notes, hints }: Problem): ProblemJson {
  return {
    code,
    message,
    ...(where === undefined ? {} : { file: toShownFile(where.file) }),
    ...(where?.line === undefined ? {} : { line: where.line }),
    ...(where?.column === undefined ? {} : { column: where.column }),
    ...(notes.length === 0 ? {} : { notes }),
    hints,
  }
}

/** An error of the command itself. */
export function toErrorJson(problem: Problem): { readonly error: ProblemJson } {
  return { error: toProblemJson(problem) }
}
