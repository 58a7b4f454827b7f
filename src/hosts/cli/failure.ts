/**
 * failure: ends a command that failed. Imported when that happens.
 */
import { toPrintableJson } from '../../base/printable.ts'
import type { Problem } from '../../model/problem.ts'
import type { Terminal, World } from '../../world/world.ts'
import { toErrorJson } from '../shared/problem-json.ts'
import { BUG } from '../shared/to-problem.ts'
import { exitCodeOf } from './exit-codes.ts'
import { reportProblems } from './print.ts'

/** Shows the problem, as JSON on stdout or as text on stderr, and returns the exit code. */
export function fail(
  problem: Problem,
  { world, terminal, json }: { readonly world: World; readonly terminal: Terminal; readonly json: boolean },
): number {
  // The JSON object cannot hold the stack trace of a bug, and without it the bug may have to be reproduced. The trace
  // comes first: the reader of the object may be gone, for example after starting a gateway in the background, but its
  // log remains.
  if (!json || problem.code === BUG) reportProblems(terminal, [problem], world)
  if (json) terminal.out(`${toPrintableJson(toErrorJson(problem))}\n`)
  return exitCodeOf(problem)
}
