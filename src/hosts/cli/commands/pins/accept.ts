/**
 * accept: approves changed tools as they are now. Shows the changes, so that a log says what was accepted.
 */
import { toPrintable } from '../../../../base/printable.ts'
import { createProblem, ProblemError } from '../../../../problem/problem.ts'
import { acceptPins, reviewPins } from '../../../../runtime/pin-review.ts'
import type { CommandContext } from '../../command.ts'
import { DONE } from '../../exit-codes.ts'
import { printJson, printLines } from '../../print.ts'
import { showChanged } from './diff.ts'
import { isChanged, requirePins } from './find-pins.ts'
import { toPinJson } from './list.ts'

/** Throws `permit/nothing-named`, `permit/not-pinned`, `permit/pins-damaged`, `permit/unwritable`. */
export async function run(context: CommandContext): Promise<number> {
  const { world, terminal, paint, args, flags, json } = context
  if (args.length === 0 && flags['all'] !== true) throw new ProblemError(nothingNamed)
  const loaded = await context.load()
  const { pins, problem } = reviewPins(world, loaded)
  if (problem !== undefined) throw new ProblemError(problem)
  const meant = args.length === 0 ? pins : args.flatMap((name) => requirePins(pins, name))
  const changed = meant.filter(isChanged)
  if (changed.length > 0) await acceptPins(world, loaded, changed)
  if (json) printJson(terminal, { accepted: changed.map(toPinJson) })
  else if (changed.length === 0)
    terminal.out('nothing changed, as far as is known without asking the servers\n')
  else {
    const names = changed.map(({ name }) => `\`${toPrintable(name)}\``).join(', ')
    printLines(terminal, [...changed.flatMap((one) => [...showChanged(one, paint), '']), `accepted ${names}`])
  }
  return DONE
}

const nothingNamed = createProblem({
  code: 'permit/nothing-named',
  message: 'name the tools that are to be accepted as they are now',
  hints: [
    'to see what changed, run `plugboard pins diff`',
    'to accept all of it: `plugboard pins accept --all`',
  ],
})
