/**
 * prompts: lists the prompts of the servers.
 */
import { toTable, type Cell, type Column } from '../../shared/table.ts'
import type { CommandContext } from '../command.ts'
import { viewOf } from '../print.ts'
import { runListing } from '../run-listing.ts'
import { listedOf, type Owned } from './resources.ts'
import { firstLine } from './tools.ts'

/** Throws `cli/unknown-server`, and the problem that keeps the named server from being ready. */
export function run(context: CommandContext): Promise<number> {
  return runListing(context, {
    toJson: (board, only) => ({ prompts: listedOf(board, 'prompts', only) }),
    toText: (board, only) => toText(context, listedOf(board, 'prompts', only)),
  })
}

const COLUMNS: readonly Column[] = [
  { title: 'SERVER', shrinks: 4 },
  { title: 'PROMPT', shrinks: 3 },
  { title: 'ARGUMENTS', shrinks: 2, isDetail: true },
  { title: 'DESCRIPTION', shrinks: 1, isDetail: true },
]

function toText(context: CommandContext, prompts: readonly Owned[]): string[] {
  const rows = prompts.map((prompt): Cell[] => [
    prompt.server,
    { text: prompt.name, brush: context.paint.bold },
    showArguments(prompt['arguments']),
    typeof prompt['description'] === 'string' ? firstLine(prompt['description']) : '',
  ])
  return rows.length === 0 ? ['no prompts'] : toTable(COLUMNS, rows, viewOf(context))
}

/** `city [language]`: brackets mark an optional argument. */
function showArguments(given: unknown): string {
  if (!Array.isArray(given)) return ''
  return (given as readonly { readonly name?: unknown; readonly required?: unknown }[])
    .map(({ name, required }) => (required === true ? String(name) : `[${String(name)}]`))
    .join(' ')
}
