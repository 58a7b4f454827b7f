/**
 * resources: what the servers have to read.
 */
import type { Listed } from '../../../model/offering.ts'
import type { Board } from '../../../runtime/board.ts'
import { toProblemJson } from '../../shared/problem-json.ts'
import { toTable, type Cell, type Column } from '../../shared/table.ts'
import type { CommandContext } from '../command.ts'
import { printJson, printLines, reportBeside, viewOf } from '../print.ts'
import { problemsOf, requireKnown, withBoard } from '../with-board.ts'
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
      const resources = listedOf(board, 'resources', name)
      const templates = listedOf(board, 'resourceTemplates', name)
      if (context.json) {
        printJson(context.terminal, { resources, templates, problems: problemsOf(board).map(toProblemJson) })
      } else {
        printLines(context.terminal, toText(context, resources, templates))
        reportBeside(context, problemsOf(board))
      }
      return readinessCode(context, board)
    },
  )
}

type Kind = 'resources' | 'resourceTemplates' | 'prompts'

export type Owned = Listed & { readonly server: string }

/** What the servers list, each with its server. */
export function listedOf(board: Board, kind: Kind, only: string | undefined): readonly Owned[] {
  return board
    .snapshot()
    .servers.filter(({ name }) => only === undefined || name === only)
    .flatMap(({ name: server, offering }) => (offering?.[kind] ?? []).map((one) => ({ ...one, server })))
}

const COLUMNS: readonly Column[] = [
  { title: 'SERVER', shrinks: 4 },
  { title: 'URI', shrinks: 3, keeps: 'end' },
  { title: 'NAME', shrinks: 2, isDetail: true },
  { title: 'DESCRIPTION', shrinks: 1, isDetail: true },
]

function toText(context: CommandContext, resources: readonly Owned[], templates: readonly Owned[]): string[] {
  const toRow =
    (key: 'uri' | 'uriTemplate') =>
    (one: Owned): Cell[] => [
      one.server,
      { text: String(one[key]), brush: context.paint.bold },
      one.name,
      typeof one['description'] === 'string' ? firstLine(one['description']) : '',
    ]
  const rows = [...resources.map(toRow('uri')), ...templates.map(toRow('uriTemplate'))]
  return rows.length === 0 ? ['no resources'] : toTable(COLUMNS, rows, viewOf(context))
}
