/**
 * width: measures how many columns a text takes in a terminal, and cuts texts to fit.
 *
 * in     printable text without colours
 * never  uses the Unicode tables for plain ASCII, which nearly every text is
 */
import { isPlain } from '../../base/printable.ts'

export function widthOf(text: string): number {
  if (isPlain(text)) return text.length
  let width = 0
  for (const character of text) width += isWide(character) ? 2 : isMark(character) ? 0 : 1
  return width
}

/**
 * East Asian letters and characters drawn as emoji. Built on first use: as constants, the two cost every run a
 * millisecond.
 */
function isWide(character: string): boolean {
  return /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u.test(
    character,
  )
}

/** A mark that is drawn over the letter before it. */
function isMark(character: string): boolean {
  return /\p{M}/u.test(character)
}

/** The beginning of a text that is too wide, and `…`. */
export function cutEnd(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  return `${fill([...text], width - 1).join('')}…`
}

/** `…` and the end of a text that is too wide: paths differ at their ends. */
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
