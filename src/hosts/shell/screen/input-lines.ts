/** input-lines: the text that the user is typing, in lines that fit, and the position of the cursor. */
import { toPrintable } from '../../../base/printable.ts'
import { widthOf } from '../../shared/width.ts'
import type { Editor } from '../editor.ts'
import type { View } from './view.ts'

export interface Drawn {
  readonly lines: readonly string[]
  /** Column and line, from 0; absent where the user cannot type. */
  readonly cursor?: { readonly x: number; readonly y: number }
}

export function inputLines(
  { text, cursor }: Editor,
  { columns, paint, mark }: View & { readonly mark: string },
): Drawn {
  const width = Math.max(columns - 3, 8)
  const lines: string[] = ['']
  let used = 0
  let at = { x: 0, y: 0 }
  let index = 0
  for (const character of text) {
    if (index === cursor) at = { x: used, y: lines.length - 1 }
    index += character.length
    if (character === '\n') {
      lines.push('')
      used = 0
      continue
    }
    const shown = character === '\t' ? '    ' : toPrintable(character)
    const wide = widthOf(shown)
    if (used + wide > width) {
      lines.push('')
      used = 0
      if (index - character.length === cursor) at = { x: 0, y: lines.length - 1 }
    }
    lines[lines.length - 1] += shown
    used += wide
  }
  if (cursor >= text.length) at = { x: used, y: lines.length - 1 }
  return {
    lines: lines.map((line, i) => `${i === 0 ? paint.cyan(mark) : '.'} ${line}`),
    cursor: { x: at.x + 2, y: at.y },
  }
}
