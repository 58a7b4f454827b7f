/**
 * command-words: a command as one line of text ↔ its words.
 *
 * in     what a user typed or pasted, perhaps a Windows path
 * out    its words. Blanks separate them, `"…"` and `'…'` keep blanks together. A backslash escapes a blank, a quote
 *        and itself, inside quotes only that quote. Everywhere else it is a backslash: `D:\res\x` is unchanged
 * never  expands anything: `$HOME`, `*` and `;` are text
 */
export type CommandWords =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** A quote that is not closed; `at` is its position, from 0. */
  | { readonly kind: 'open-quote'; readonly quote: string; readonly at: number }

export function parseCommandWords(line: string): CommandWords {
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < line.length;) {
    const piece = readPiece(line, at)
    if (piece === undefined) return { kind: 'open-quote', quote: line[at]!, at }
    if (piece.text !== undefined) word = (word ?? '') + piece.text
    else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
    at = piece.end
  }
  return { kind: 'words', words: word === undefined ? words : [...words, word] }
}

/** Joins words into a line that parses into the same words. */
export function joinCommandWords(words: readonly string[]): string {
  return words.map(quoteWord).join(' ')
}

/** A blank, an escape, a quoted part or one character. `text` is undefined for a blank; nothing: an open quote. */
function readPiece(
  line: string,
  at: number,
): { readonly text: string | undefined; readonly end: number } | undefined {
  const [char, next] = [line[at]!, line[at + 1]]
  if (isBlank(char)) return { text: undefined, end: at + 1 }
  if (char === '\\' && next !== undefined && (isBlank(next) || /["'\\]/.test(next)))
    return { text: next, end: at + 2 }
  return char === '"' || char === "'" ? readQuoted(line, at) : { text: char, end: at + 1 }
}

function readQuoted(
  line: string,
  start: number,
): { readonly text: string; readonly end: number } | undefined {
  const quote = line[start]!
  let text = ''
  for (let at = start + 1; at < line.length; at++) {
    const isEscape = line[at] === '\\' && line[at + 1] === quote
    if (isEscape) at++
    else if (line[at] === quote) return { text, end: at + 1 }
    text += line[at]
  }
  return undefined
}

function isBlank(char: string): boolean {
  return /\s/.test(char)
}

/** Without quotes where possible. A backslash at the end of quotes would escape the quote, so it goes after them. */
function quoteWord(word: string): string {
  if (word !== '' && !/[\s"']|\\(?=[\\\s"']|$)/.test(word)) return word
  const [, body, end] = /^(.*?)(\\*)$/s.exec(word)!
  const escaped = body!.replaceAll('"', '\\"')
  // The text itself contains `\"`: its backslash must not join the one that escapes.
  if (/\\"/.test(body!)) return [...word].map(escapeChar).join('')
  return `${body === '' && end !== '' ? '' : `"${escaped}"`}${end!.replaceAll('\\', '\\\\')}`
}

function escapeChar(char: string): string {
  return /[\s"'\\]/.test(char) ? `\\${char}` : char
}
