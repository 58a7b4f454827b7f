/**
 * width: how many columns a text takes in a terminal, and texts cut to fit.
 *
 * in     printable text without colours
 * never  measures plain ASCII with tables: nearly everything is
 */
import { isPlain } from '../../base/printable.ts'

export function widthOf(text: string): number {
  if (isPlain(text)) return text.length
  let width = 0
  for (const character of text) width += isWide(character) ? 2 : isMark(character) ? 0 : 1
  return width
}

/** East Asian letters and what is drawn as an emoji. Made when needed: as constants, the two cost every run a millisecond. */
function isWide(character: string): boolean {
  return /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u.test(
    character,
  )
}

/** Drawn over the letter before it. */
function isMark(character: string): boolean {
  return /\p{M}/u.test(character)
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
