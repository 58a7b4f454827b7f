/**
 * prompts: the prompts that the servers bring along.
 */
import { toProblemJson } from '../../shared/problem-json.ts'
import { toTable, type Cell, type Column } from '../../shared/table.ts'
import type { CommandContext } from '../command.ts'
import { printJson, printLines, reportBeside, viewOf } from '../print.ts'
import { problemsOf, requireKnown, withBoard } from '../with-board.ts'
import { listedOf, type Owned } from './resources.ts'
import { firstLine, readinessCode } from './tools.ts'

/** Throws `cli/unknown-server`, and what kept the server that was named from being ready. */
export async function run(context: CommandContext): Promise<number> {
  const [name] = context.args
  return withBoard(
    context,
    { wait: 'known', ...(name === undefined ? {} : { only: [name] }) },
    async (board) => {
      if (name !== undefined) {
        requireKnown(context, board, name)
        await board.connect(name)
      }
      const prompts = listedOf(board, 'prompts', name)
      if (context.json)
        printJson(context.terminal, { prompts, problems: problemsOf(board).map(toProblemJson) })
      else {
        printLines(context.terminal, toText(context, prompts))
        reportBeside(context, problemsOf(board))
      }
      return readinessCode(context, board)
    },
  )
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

/** `city [language]`: in brackets what may be left out. */
function showArguments(given: unknown): string {
  if (!Array.isArray(given)) return ''
  return (given as readonly { readonly name?: unknown; readonly required?: unknown }[])
    .map(({ name, required }) => (required === true ? String(name) : `[${String(name)}]`))
    .join(' ')
}
