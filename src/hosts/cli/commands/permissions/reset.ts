/**
 * reset: removes rules and grants, so that Plugboard asks again.
 */
import { createProblem, ProblemError } from '../../../../problem/problem.ts'
import { resetPermissions } from '../../../../runtime/permission-rules.ts'
import { countOf } from '../../../shared/amounts.ts'
import type { CommandContext } from '../../command.ts'
import { DONE } from '../../exit-codes.ts'
import { printJson } from '../../print.ts'
import { findScope } from './scope.ts'

export async function run({ world, terminal, args, flags, json, load }: CommandContext): Promise<number> {
  if (args.length === 0 && flags['all'] !== true) throw new ProblemError(nothingNamed)
  const globs = args.length > 0 ? args : ('all' as const)
  const removed = await resetPermissions(world, await load(), { globs, scope: findScope(flags) })
  if (json) printJson(terminal, { removed })
  else
    terminal.out(`removed ${countOf(removed.rules, 'rule')} and ${countOf(removed.grants, 'permission')}\n`)
  return DONE
}

const nothingNamed = createProblem({
  code: 'permit/nothing-named',
  message: 'name the tools whose rules and permissions are to be removed',
  hints: ['for everything of yours: `plugboard permissions reset --all`'],
})
