/**
 * complete: `plugboard __complete <count> <words…>`, asked by the scripts of `plugboard completion` while a line is typed.
 * See `completion-scripts.ts` for what is asked and answered. Not a command of the tree, which it looks at.
 *
 * never  starts or fetches anything, or says what is wrong: this is not the moment
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
  // An empty last word may have been lost on the way.
  return given.length < wanted ? [...given, ''] : given.slice(given.length - wanted)
}

/** Longer, and it would be cut by the shell. */
const ABOUT_LENGTH = 80

function toLine({ word, about }: Suggestion): string {
  const said = toPrintable(about.replaceAll(/\s+/g, ' ').trim()).slice(0, ABOUT_LENGTH)
  return said === '' ? word : `${word}\t${said}`
}

/** By the flags of the line itself. */
function optionsIn(words: readonly string[]): LoadOptions {
  const { flags } = splitLine(words.slice(0, -1))
  const has = (name: string): boolean => flags.some(({ flag }) => flag?.name === name)
  const mcpConfig = flags.flatMap(({ flag, value }) =>
    flag?.name === 'mcp-config' && value !== undefined ? [value] : [],
  )
  return { enabled: !has('no-mcp'), strict: has('strict-mcp-config'), mcpConfig }
}
