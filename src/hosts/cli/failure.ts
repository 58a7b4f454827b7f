/**
 * failure: the end of a command that could not do what it was asked. Imported when it happens.
 */
import { toPrintableJson } from '../../base/printable.ts'
import type { Problem } from '../../model/problem.ts'
import { createProblem, ProblemError } from '../../problem/problem.ts'
import type { Terminal, World } from '../../world/world.ts'
import { maskText } from '../../problem/mask-text.ts'
import { toErrorJson } from '../shared/problem-json.ts'
import { exitCodeOf } from './exit-codes.ts'
import { reportProblems } from './print.ts'

const BUG = 'cli/bug'

/** Shows the problem, as JSON on stdout or as text on stderr, and gives the exit code. */
export function fail(
  problem: Problem,
  { world, terminal, json }: { readonly world: World; readonly terminal: Terminal; readonly json: boolean },
): number {
  if (json) terminal.out(`${toPrintableJson(toErrorJson(problem))}\n`)
  // The object has no room for the trace of a bug, and nobody should have to reproduce it.
  if (!json || problem.code === BUG) reportProblems(terminal, [problem], world)
  return exitCodeOf(problem)
}

/** Whatever is not a ProblemError is a bug; the stack is shown because nobody else can find the fault. */
export function toProblem(error: unknown, version: string): Problem {
  if (error instanceof ProblemError) return error.problem
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return createProblem({
    code: BUG,
    message: 'this is a bug in Plugboard, not in your configuration',
    notes: [`Plugboard ${version}`, ...maskText(stack).split('\n')],
    hints: ['please report it, with the lines above and the command you ran'],
  })
}
