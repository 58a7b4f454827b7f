/**
 * decline: keep servers of this project from running, and from being asked about.
 */
import { toPrintable, toPrintableJson } from '../../../../base/printable.ts'
import { decide, requireQuestions } from '../../../../runtime/trust.ts'
import type { CommandContext } from '../../command.ts'

export async function run({ world, terminal, args, json, load }: CommandContext): Promise<number> {
  const loaded = await load()
  const questions = args.flatMap((name) => requireQuestions(loaded, name))
  await decide(world, loaded, 'declined', questions)
  const names = [...new Set(questions.map(({ name }) => name))]
  if (json)
    terminal.out(
      `${toPrintableJson({ decided: names.map((server) => ({ server, decision: 'declined' })) })}\n`,
    )
  else terminal.out(`declined ${names.map((name) => `\`${toPrintable(name)}\``).join(', ')}\n`)
  return 0
}
