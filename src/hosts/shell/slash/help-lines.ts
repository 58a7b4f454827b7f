/**
 * help-lines: what can be typed and what it does, beside each other where there is room, below each other where there is
 * none. Nothing is cut: whoever asks for help reads it.
 */
import { toPrintable } from '../../../base/printable.ts'
import { widthOf } from '../../shared/width.ts'
import { wrap } from '../../shared/wrap.ts'
import type { ShellContext } from '../context.ts'

export interface HelpRow {
  readonly usage: string
  readonly summary: string
}

/** What is longer has its summary below. */
const WIDEST = 30

const GAP = 2

/** A summary is not squeezed into fewer columns than these. */
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
