/**
 * diff: shows what changed in approved tools.
 */
import { toPrintable } from '../../../../base/printable.ts'
import { ProblemError } from '../../../../problem/problem.ts'
import { reviewPins } from '../../../../runtime/pin-review.ts'
import type { Paint } from '../../../shared/paint.ts'
import { showPinDiff } from '../../../shared/show-pin-diff.ts'
import type { CommandContext } from '../../command.ts'
import { DONE } from '../../exit-codes.ts'
import { printJson, printLines } from '../../print.ts'
import { isChanged, requirePins, type ChangedPin } from './find-pins.ts'
import { toPinJson } from './list.ts'

/** Throws `permit/not-pinned`, `permit/pins-damaged`. */
export async function run(context: CommandContext): Promise<number> {
  const { world, terminal, paint, args, json } = context
  const { pins, problem } = reviewPins(world, await context.load())
  if (problem !== undefined) throw new ProblemError(problem)
  const meant = args.length === 0 ? pins : args.flatMap((name) => requirePins(pins, name))
  const changed = meant.filter(isChanged)
  if (json) printJson(terminal, { pins: changed.map((one) => ({ ...toPinJson(one), diff: one.diff })) })
  else if (changed.length === 0)
    terminal.out('nothing changed, as far as is known without asking the servers\n')
  else
    printLines(
      terminal,
      changed.flatMap((one, i) => [...(i === 0 ? [] : ['']), ...showChanged(one, paint)]),
    )
  return DONE
}

export function showChanged({ pin, name, diff }: ChangedPin, paint: Paint): string[] {
  return [
    `${paint.bold(toPrintable(name))}  ${paint.dim(`approved on ${pin.at.slice(0, 10)}`)}`,
    ...showPinDiff(diff, paint),
  ]
}
