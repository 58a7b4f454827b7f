/**
 * print: prints the answer of a command (stdout) and everything else (stderr).
 */
import { toPrintableJson } from '../../base/printable.ts'
import type { Problem } from '../../model/problem.ts'
import type { Terminal } from '../../world/world.ts'
import { COLORS, NO_COLORS } from '../shared/paint.ts'
import type { Here } from '../shared/show-path.ts'
import { showProblems } from '../shared/show-problem.ts'
import type { CommandContext } from './command.ts'

export function printLines(terminal: Terminal, lines: readonly string[]): void {
  if (lines.length > 0) terminal.out(`${lines.join('\n')}\n`)
}

/** One line for a program; on a terminal, one fact per line. */
export function printJson(terminal: Terminal, value: unknown): void {
  terminal.out(`${toPrintableJson(value, terminal.columns === undefined ? undefined : 2)}\n`)
}

/** One value per line, also on a terminal: for output that continues. */
export function printJsonLines(terminal: Terminal, values: readonly unknown[]): void {
  printLines(
    terminal,
    values.map((value) => toPrintableJson(value)),
  )
}

/** Reports problems beside the answer. With `--json`, the answer contains them. */
export function reportBeside({ terminal, world }: CommandContext, problems: readonly Problem[]): void {
  // On a terminal, the answer is directly above.
  if (problems.length > 0 && terminal.columns !== undefined) terminal.err('\n')
  reportProblems(terminal, problems, world)
}

export function reportProblems(terminal: Terminal, problems: readonly Problem[], here: Here): void {
  if (problems.length === 0) return
  const paint = terminal.hasColor.err ? COLORS : NO_COLORS
  terminal.err(`${showProblems(problems, { here, paint, columns: terminal.columns })}\n`)
}

/** The part of the context that functions need to show paths. */
export function viewOf({ world, paint, terminal }: CommandContext): {
  readonly here: Here
  readonly paint: CommandContext['paint']
  readonly columns: number | undefined
} {
  return { here: world, paint, columns: terminal.columns }
}
