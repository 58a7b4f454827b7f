/**
 * failure: the end of a command that could not do what it was asked. Imported when it happens.
 */
import { toPrintableJson } from '../../base/printable.ts'
import type { Problem } from '../../model/problem.ts'
import type { Terminal, World } from '../../world/world.ts'
import { toErrorJson } from '../shared/problem-json.ts'
import { BUG } from '../shared/to-problem.ts'
import { exitCodeOf } from './exit-codes.ts'
import { reportProblems } from './print.ts'

/** Shows the problem, as JSON on stdout or as text on stderr, and gives the exit code. */
export function fail(
  problem: Problem,
  { world, terminal, json }: { readonly world: World; readonly terminal: Terminal; readonly json: boolean },
): number {
  // The object has no room for the trace of a bug, and nobody should have to reproduce it. First: whoever waited for the
  // object may be gone, as those are who started a gateway in the background, and there is still its log.
  if (!json || problem.code === BUG) reportProblems(terminal, [problem], world)
  if (json) terminal.out(`${toPrintableJson(toErrorJson(problem))}\n`)
  return exitCodeOf(problem)
}
