/**
 * forget: removes approvals. The next call of such a tool approves the tool as it is then.
 */
import { toCommandLine } from '../../../../base/command-line.ts'
import { toPrintable } from '../../../../base/printable.ts'
import { createProblem, ProblemError } from '../../../../problem/problem.ts'
import { forgetPins, reviewPins, type ReviewedPin } from '../../../../runtime/pin-review.ts'
import type { CommandContext } from '../../command.ts'
import { DONE } from '../../exit-codes.ts'
import { printJson, printLines } from '../../print.ts'
import { requirePins } from './find-pins.ts'
import { toPinJson } from './list.ts'

/** Throws `permit/nothing-named`, `permit/not-pinned`, `permit/pins-damaged`, `permit/unwritable`. */
export async function run(context: CommandContext): Promise<number> {
  const { world, terminal, args, flags, json } = context
  if (args.length === 0 && flags['all'] !== true) throw new ProblemError(nothingNamed)
  const loaded = await context.load()
  const { pins, problem } = reviewPins(world, loaded)
  if (problem !== undefined) throw new ProblemError(problem)
  const meant = args.length === 0 ? pins : [...new Set(args.flatMap((name) => requirePins(pins, name)))]
  const allowed = meant.length === 0 ? [] : await forgetPins(world, loaded, meant)
  if (json) printJson(terminal, { forgotten: meant.map(toPinJson), allowed: allowed.map(({ name }) => name) })
  else if (meant.length === 0) terminal.out('no tool was approved yet\n')
  else printLines(terminal, [`forgot ${showNames(meant)}`, ...toHints(context, allowed)])
  return DONE
}

/** The user may expect to be asked again. An "always allow" prevents that. */
function toHints({ world }: CommandContext, allowed: readonly ReviewedPin[]): string[] {
  const [first] = allowed
  if (first === undefined) return []
  const explain = toCommandLine('plugboard permissions explain', [first.name], world.platform)
  return [
    '',
    `nobody will be asked about ${showNames(allowed)}: a rule or a permission of yours allows it, whatever it is by then`,
    `hint: to see which, run \`${explain}\``,
  ]
}

function showNames(pins: readonly ReviewedPin[]): string {
  return pins.map(({ name }) => `\`${toPrintable(name)}\``).join(', ')
}

const nothingNamed = createProblem({
  code: 'permit/nothing-named',
  message: 'name the tools whose approval is to be forgotten',
  hints: [
    'to see every tool that was approved, run `plugboard pins list`',
    'for all of them: `plugboard pins forget --all`',
  ],
})
