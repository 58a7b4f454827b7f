/**
 * block-lines: turns finished blocks into lines.
 *
 * in     a block of any kind; unchanged texts of models, servers and users
 * out    printable lines that fit
 */
import { toPrintable, toPrintableLines } from '../../../base/printable.ts'
import { unreachable } from '../../../base/unreachable.ts'
import { showProblems } from '../../shared/show-problem.ts'
import { cutEnd } from '../../shared/width.ts'
import { wrap, wrapPainted } from '../../shared/wrap.ts'
import { sayDuration, sayInput } from '../say.ts'
import { FOLDED_LINES, isFoldable, type Block, type DoneCall } from '../state.ts'
import type { View } from './view.ts'

export function blockLines(block: Block, view: View): readonly string[] {
  const { paint, columns, here } = view
  switch (block.kind) {
    case 'prompt':
      return ['', ...hang(wrap(toPrintableLines(block.text), columns - 2), paint.cyan('>'), '.')]
    case 'answer': {
      const lines = wrap(toPrintableLines(block.text), columns - 2)
      return hang(lines, block.isFirst ? paint.green('●') : ' ', ' ')
    }
    case 'call':
      return callLines(block.call, block.isUnfolded ? 'unfolded' : 'folded', view)
    case 'lines':
      return block.lines.flatMap((line) => wrapPainted(line, columns))
    case 'note':
      return hang(wrap(toPrintable(block.text), columns - 2), '·', ' ').map(paint.dim)
    case 'problems':
      return wrapPainted(showProblems(block.problems, { here, paint, columns }), columns)
    default:
      return unreachable(block)
  }
}

/** The first line after a mark, the others below it. */
function hang(lines: readonly string[], mark: string, below: string): readonly string[] {
  return lines.map((line, i) => `${i === 0 ? mark : below} ${line}`)
}

function callLines({ name, input, result }: DoneCall, fold: 'folded' | 'unfolded', view: View): string[] {
  const { paint, columns } = view
  const { isError, text, durationMs } = result
  const mark = isError ? paint.red('✗') : paint.green('✓')
  const time = sayDuration(durationMs)
  const said = toPrintable(sayInput(input).replace(/\s+/g, ' '))
  const head = cutEnd(`${toPrintable(name)} ${said}`.trimEnd(), columns - time.length - 5)
  return [`${mark} ${head} ${paint.dim(`(${time})`)}`, ...resultLines(text, fold, view)]
}

function resultLines(text: string, fold: 'folded' | 'unfolded', { paint, columns }: View): string[] {
  const trimmed = text.trimEnd()
  if (trimmed === '') return []
  const lines = wrap(toPrintableLines(trimmed), columns - 4)
  if (fold === 'unfolded' || !isFoldable(trimmed)) return lines.map((line) => paint.dim(`  | ${line}`))
  const shown = lines.slice(0, FOLDED_LINES - 1)
  const rest = lines.length - shown.length
  const more = rest > 0 ? [`  | … ${rest} more ${rest === 1 ? 'line' : 'lines'} (Ctrl-O shows them)`] : []
  return [...shown.map((line) => `  | ${line}`), ...more].map(paint.dim)
}
