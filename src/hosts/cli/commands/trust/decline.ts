/**
 * decline: keeps servers of this project from running, and stops the questions about them.
 */
import { toPrintable } from '../../../../base/printable.ts'
import { decide, requireQuestions } from '../../../../runtime/trust.ts'
import type { CommandContext } from '../../command.ts'
import { DONE } from '../../exit-codes.ts'
import { printJson } from '../../print.ts'

export async function run({ world, terminal, args, json, load }: CommandContext): Promise<number> {
  const loaded = await load()
  const questions = args.flatMap((name) => requireQuestions(loaded, name))
  await decide(world, loaded, 'declined', questions)
  const names = [...new Set(questions.map(({ name }) => name))]
  if (json) printJson(terminal, { decided: names.map((server) => ({ server, decision: 'declined' })) })
  else terminal.out(`declined ${names.map((name) => `\`${toPrintable(name)}\``).join(', ')}\n`)
  return DONE
}
