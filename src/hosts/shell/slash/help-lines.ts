/**
 * help-lines: commands and what they do, side by side where they fit, otherwise below each other. Nothing is cut: the
 * user wants to read it.
 */
import { toPrintable } from '../../../base/printable.ts'
import { widthOf } from '../../shared/width.ts'
import { wrap } from '../../shared/wrap.ts'
import type { ShellContext } from '../context.ts'

export interface HelpRow {
  readonly usage: string
  readonly summary: string
}

/** The summary of a longer command goes below it. */
const WIDEST = 30

const GAP = 2

/** A summary gets at least this many columns. */
const LEAST = 30

export function helpLines(
  rows: readonly HelpRow[],
  { paint, columns }: Pick<ShellContext, 'paint' | 'columns'>,
): readonly string[] {
  const widths = rows.map(({ usage }) => widthOf(toPrintable(usage))).filter((width) => width <= WIDEST)
  const left = Math.max(0, ...widths) + GAP
  const indent = columns() - left >= LEAST ? left : GAP
  return rows.flatMap(({ usage, summary }) => {
    const typed = toPrintable(usage)
    const [first = '', ...rest] = wrap(toPrintable(summary), columns() - indent)
    const below = rest.map((line) => ' '.repeat(indent) + line)
    const space = indent - widthOf(typed)
    if (space >= GAP) return [`${paint.bold(typed)}${' '.repeat(space)}${first}`.trimEnd(), ...below]
    const under = first === '' ? [] : [' '.repeat(indent) + first]
    return [...wrap(typed, columns()).map(paint.bold), ...under, ...below]
  })
}
