/**
 * read-line: parses a line that begins with a slash into the command and its words.
 *
 * Quotes and backslashes work as in the command of a new server: the user can paste the command from a README after
 * `/mcp add`.
 */
import { parseCommandWords } from '../../base/command-words.ts'
import { createProblem, ProblemError } from '../../problem/problem.ts'

export interface SlashLine {
  /** Without the slash. */
  readonly name: string
  readonly words: readonly string[]
}

/** Throws `shell/open-quote`. */
export function readLine(line: string): SlashLine {
  const parsed = parseCommandWords(line.slice(1))
  if (parsed.kind === 'open-quote')
    throw new ProblemError(
      createProblem({
        code: 'shell/open-quote',
        message: `nothing closes the quote ${parsed.quote} at column ${parsed.at + 2}`,
        hints: ['write `\\"` or `\\\'` for one that is part of a word'],
      }),
    )
  const [name = '', ...words] = parsed.words
  return { name, words }
}
