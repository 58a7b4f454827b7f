/**
 * answer-line: what a line asks of the command itself: its help, or its version.
 */
import type { Terminal } from '../../world/world.ts'
import { helpOf } from './help.ts'
import { parseLine } from './parse.ts'

/** Undefined: the line asks for something else. */
export function answerLine(
  argv: readonly string[],
  { columns, version }: Pick<Terminal, 'columns'> & { readonly version: string },
): string | undefined {
  const parsed = parseLine(argv)
  if (parsed.kind === 'version') return `${version}\n`
  return parsed.kind === 'help' ? `${helpOf(parsed.path, columns).join('\n')}\n` : undefined
}
