/**
 * wrap: breaks a text into lines of a maximum width, between words where possible.
 *
 * in     printable text without colours
 */
import { widthOf } from './width.ts'

export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line.replaceAll('\t', '    '), Math.max(width, 1)))
}

function wrapLine(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line]
  const lines: string[] = []
  let current = ''
  for (const word of line.match(/\s+|\S+/g) ?? []) {
    if (widthOf(current + word) <= width) {
      current += word
      continue
    }
    if (current.trim() !== '') lines.push(current.trimEnd())
    // The line break replaces the space between two words.
    current = /^\s/.test(word) ? '' : word
    while (widthOf(current) > width) {
      const head = fit(current, width)
      lines.push(head)
      current = current.slice(head.length)
    }
  }
  return current.trim() === '' && lines.length > 0 ? lines : [...lines, current.trimEnd()]
}

/** At least one character; otherwise the loop would never end. */
function fit(text: string, width: number): string {
  let head = ''
  for (const character of text) {
    if (head !== '' && widthOf(head + character) > width) break
    head += character
  }
  return head
}

/** The same for lines with colours. A line that fits keeps its colours. */
export function wrapPainted(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const plain = line.replace(COLOR, '')
    return widthOf(plain) <= width ? [line] : wrap(plain, width)
  })
}

// oxlint-disable-next-line no-control-regex
const COLOR = /\x1b\[[0-9;]*m/g
