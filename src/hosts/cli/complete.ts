/**
 * complete: `plugboard __complete <count> <words…>`, which the scripts of `plugboard completion` run while the user
 * types. `completion-scripts.ts` describes the request and the answer. It is not in the command tree, which it reads.
 *
 * never  starts or fetches anything, or reports problems: the user is still typing
 */
import { toPrintable } from '../../base/printable.ts'
import { createCompletions, type Suggestion } from '../../runtime/completions.ts'
import { loadCatalog, type LoadOptions } from '../../runtime/load-catalog.ts'
import type { Terminal, World } from '../../world/world.ts'
import { completeLine } from './complete-line.ts'
import { splitLine } from './parse.ts'
import { printLines } from './print.ts'

export async function complete(
  { world, terminal }: { readonly world: World; readonly terminal: Terminal },
  question: readonly string[],
): Promise<void> {
  const words = toWords(question)
  const known = createCompletions(world, await loadCatalog(world, optionsIn(words)))
  const completed = completeLine(words, known)
  printLines(terminal, completed.kind === 'files' ? [':files'] : completed.suggestions.map(toLine))
}

function toWords([count = '0', ...given]: readonly string[]): readonly string[] {
  const wanted = Number.parseInt(count, 10) || 0
  // The shell may have dropped an empty last word.
  return given.length < wanted ? [...given, ''] : given.slice(given.length - wanted)
}

/** The shell would cut a longer text. */
const ABOUT_LENGTH = 80

function toLine({ word, about }: Suggestion): string {
  const said = toPrintable(about.replaceAll(/\s+/g, ' ').trim()).slice(0, ABOUT_LENGTH)
  return said === '' ? word : `${word}\t${said}`
}

/** Options from the flags of the line that the user types. */
function optionsIn(words: readonly string[]): LoadOptions {
  const { flags } = splitLine(words.slice(0, -1))
  const has = (name: string): boolean => flags.some(({ flag }) => flag?.name === name)
  const mcpConfig = flags.flatMap(({ flag, value }) =>
    flag?.name === 'mcp-config' && value !== undefined ? [value] : [],
  )
  return { enabled: !has('no-mcp'), strict: has('strict-mcp-config'), mcpConfig }
}
