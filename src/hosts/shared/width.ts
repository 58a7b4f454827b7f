/**
 * width: how many columns a text takes in a terminal, and texts cut to fit.
 *
 * in     printable text without colours
 * never  measures plain ASCII with tables: nearly everything is
 */
import fastStringWidth from 'fast-string-width'
import { isPlain } from '../../base/printable.ts'

export function widthOf(text: string): number {
  return isPlain(text) ? text.length : fastStringWidth(text)
}

/** The beginning of a text that is too wide, and `…`. */
export function cutEnd(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  return `${fill([...text], width - 1).join('')}…`
}

/** `…` and the end of a text that is too wide: what tells paths apart. */
export function cutStart(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  const end = fill([...text].toReversed(), width - 1).toReversed()
  return `…${end.join('')}`
}

/** As many characters as fit. */
function fill(characters: readonly string[], width: number): string[] {
  let used = 0
  const end = characters.findIndex((character) => (used += widthOf(character)) > width)
  return end === -1 ? [...characters] : characters.slice(0, end)
}
