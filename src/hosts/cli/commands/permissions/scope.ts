/**
 * scope: the settings scope of a rule, from the flag.
 */
import { createProblem, ProblemError } from '../../../../problem/problem.ts'
import { RULE_SCOPES, type RuleScope } from '../../../../runtime/permission-rules.ts'
import type { Flags } from '../../command.ts'

/** Undefined when the flag is not given. Throws `cli/bad-scope`. */
export function findScope(flags: Flags): RuleScope | undefined {
  const given = flags['scope']
  if (given === undefined) return undefined
  const scope = RULE_SCOPES.find((one) => one === given)
  if (scope !== undefined) return scope
  throw new ProblemError(
    createProblem({
      code: 'cli/bad-scope',
      message: `there is no scope \`${String(given)}\` to write to`,
      hints: ['write `--scope user`, `--scope local` (you, in this project) or `--scope project`'],
    }),
  )
}
