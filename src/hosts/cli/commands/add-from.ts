/**
 * add-from: adds one server of another agent, with the same write and test as any other.
 */
import { toPrintable } from '../../../base/printable.ts'
import { ProblemError } from '../../../problem/problem.ts'
import { requireAgent } from '../../../runtime/manage/agents.ts'
import { planImport } from '../../../runtime/manage/import.ts'
import { notInFull } from '../../../runtime/manage/transfer-problems.ts'
import { showPath } from '../../shared/show-path.ts'
import { addEntry } from '../add-entry.ts'
import type { CommandContext } from '../command.ts'
import { DENIED, DONE, INTERRUPTED } from '../exit-codes.ts'
import { printJson, reportBeside } from '../print.ts'
import { askForConsent } from '../transfer-servers.ts'
import { findWritableScope } from '../writable-scope.ts'

/** Throws `manage/…` when the server cannot be added, or not without a question. */
export async function run(context: CommandContext): Promise<number> {
  const { world, args, flags, terminal, json } = context
  const [given, name] = args as readonly [string, string]
  const agent = requireAgent(given)
  const scope = findWritableScope(flags) ?? 'user'
  const { planned, left, target } = await planImport(world, await context.load(), {
    agent,
    names: [name],
    scope,
  })
  if (left[0] !== undefined) throw new ProblemError(left[0].problem)
  const [one] = planned
  if (one === undefined) {
    const there = { name, scope, file: target.file }
    if (json) printJson(terminal, { there })
    else terminal.out(`\`${toPrintable(name)}\` is there already (${showPath(target.file, world)})\n`)
    return DONE
  }
  const answer = await askForConsent(context, { verb: 'import', agent, chosen: 'named' }, one)
  if (answer === 'interrupted') return INTERRUPTED
  if (answer === 'no') return DENIED
  if (answer !== 'yes') throw new ProblemError(answer)
  if (one.losses.length > 0 && !json) reportBeside(context, [notInFull(one.name, target, one.losses)])
  return addEntry(context, { name: one.name, scope, entry: one.entry })
}
