/**
 * writable-scope: the file of ours that `--scope` selects.
 */
import { ProblemError } from '../../problem/problem.ts'
import { badScope } from '../../runtime/manage/add-problems.ts'
import { WRITABLE_SCOPES, type WritableScope } from '../../runtime/manage/scope-file.ts'
import type { Flags } from './command.ts'

/** Undefined when the flag is not given. Throws `cli/bad-scope`. */
export function findWritableScope(flags: Flags): WritableScope | undefined {
  const given = flags['scope']
  if (given === undefined) return undefined
  const scope = WRITABLE_SCOPES.find((one) => one === given)
  if (scope === undefined) throw new ProblemError(badScope(String(given), WRITABLE_SCOPES))
  return scope
}
