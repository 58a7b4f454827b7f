/**
 * reset: deletes the decisions about this project, so that Plugboard asks again.
 */
import { countOf } from '../../../shared/amounts.ts'
import { createProblem, ProblemError } from '../../../../problem/problem.ts'
import { resetTrust } from '../../../../runtime/trust.ts'
import type { CommandContext } from '../../command.ts'
import { DONE } from '../../exit-codes.ts'

export async function run({ world, terminal, args, flags, json, load }: CommandContext): Promise<number> {
  if (args.length === 0 && flags['all'] !== true) throw new ProblemError(nothingNamed)
  const loaded = await load()
  const what = args.length > 0 ? ({ kind: 'servers', names: args } as const) : ({ kind: 'project' } as const)
  const forgotten = await resetTrust(world, loaded, what)
  terminal.out(json ? `{"forgotten":${forgotten}}\n` : `forgot ${countOf(forgotten, 'decision')}\n`)
  return DONE
}

const nothingNamed = createProblem({
  code: 'trust/nothing-named',
  message: 'name the servers whose decisions are to be forgotten',
  hints: ['for every decision about this project: `plugboard trust reset --all`'],
})
