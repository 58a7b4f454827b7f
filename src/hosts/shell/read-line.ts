/**
 * read-line: a line that begins with a slash → the command and its words.
 *
 * Quotes and backslashes are those of a command that is added: what a README shows can be pasted behind `/mcp add`.
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
