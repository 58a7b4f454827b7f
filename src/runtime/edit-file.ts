/**
 * edit-file: a file and changes → the file changed, or a Problem and nothing changed.
 *
 * in     changes, which are applied to what the file says when it is locked: a file that was changed since someone looked
 *        is read again, never overwritten
 * out    whether anything had to be written
 */
import type { Changes } from '../edit/change.ts'
import { editFormatOf, loadEdit, type EditFormat } from '../edit/edit.ts'
import type { Problem } from '../model/problem.ts'
import { createProblem, ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'

export interface FileToEdit {
  readonly file: string
  /** By the ending of the name, when absent. */
  readonly format?: EditFormat | undefined
  /** Of a file that is not there yet; one that is keeps its own. */
  readonly mode?: number | undefined
}

/** Throws a Problem: those of `edit/…`, and `write/…` when the disk would not. */
export async function editFile(
  world: World,
  { file, format, mode = 0o600 }: FileToEdit,
  changes: Changes,
): Promise<'changed' | 'unchanged'> {
  const edit = await loadEdit(format ?? editFormatOf(file))
  let outcome: 'changed' | 'unchanged' = 'unchanged'
  await world.files
    .update(file, mode, (text) => {
      const edited = edit({ file, text }, changes)
      outcome = edited === (text ?? '') ? 'unchanged' : 'changed'
      return edited
    })
    .catch((error: unknown) => {
      throw error instanceof ProblemError
        ? error
        : new ProblemError(notWritten(file, error), { cause: error })
    })
  return outcome
}

function notWritten(file: string, error: unknown): Problem {
  return createProblem({
    code: 'write/failed',
    message: 'this file could not be written',
    where: { file },
    notes: [error instanceof Error ? error.message : String(error)],
  })
}
