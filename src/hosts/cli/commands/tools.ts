/**
 * tools: what the servers offer to do, under the names a model sees.
 */
import { toPrintable } from '../../../base/printable.ts'
import type { Board } from '../../../runtime/board.ts'
import type { BoardTool } from '../../../runtime/tools.ts'
import { countOf } from '../../shared/amounts.ts'
import { toTable, type Cell, type Column } from '../../shared/table.ts'
import type { CommandContext } from '../command.ts'
import { viewOf } from '../print.ts'
import { runListing } from '../run-listing.ts'

/** Throws `cli/unknown-server`, and what kept the server that was named from being ready. */
export function run(context: CommandContext): Promise<number> {
  const toolsOf = (board: Board, only: string | undefined): readonly BoardTool[] =>
    board.tools().filter(({ server }) => only === undefined || server === only)
  return runListing(context, {
    toJson: (board, only) => toJson(board, toolsOf(board, only)),
    toText: (board, only) => toText(context, board, toolsOf(board, only)),
  })
}

function toJson(board: Board, tools: readonly BoardTool[]): object {
  return {
    tools: [
      ...tools.map(({ label: _label, isDeferred, definition: _definition, ...tool }) => ({
        ...tool,
        ...(isDeferred ? { deferred: true } : {}),
      })),
      ...quarantinedOf(board).map(({ server, name, reason }) => ({
        name,
        server,
        tool: name,
        inputSchema: null,
        quarantined: reason,
      })),
    ],
  }
}

const COLUMNS: readonly Column[] = [
  { title: 'SERVER', shrinks: 3 },
  { title: 'TOOL', shrinks: 2 },
  { title: 'DESCRIPTION', shrinks: 1, isDetail: true },
]

function toText(context: CommandContext, board: Board, tools: readonly BoardTool[]): string[] {
  const rows = tools.map(({ server, tool, description = '' }): Cell[] => [
    server,
    { text: tool, brush: context.paint.bold },
    firstLine(description),
  ])
  const deferred = new Set(tools.filter(({ isDeferred }) => isDeferred).map(({ server }) => server))
  const quarantined = quarantinedOf(board)
  return [
    ...(rows.length === 0 ? ['no tools'] : toTable(COLUMNS, rows, viewOf(context))),
    ...(quarantined.length === 0
      ? []
      : [
          '',
          `${countOf(quarantined.length, 'tool')} in quarantine:`,
          ...quarantined.map(
            ({ server, name, reason }) => `  ${toPrintable(`${server} ${name}: ${reason}`)}`,
          ),
        ]),
    ...(deferred.size === 0
      ? []
      : [
          '',
          `as they were last time, since these are still starting: ${toPrintable([...deferred].join(', '))}`,
        ]),
  ]
}

function quarantinedOf(board: Board): readonly { server: string; name: string; reason: string }[] {
  return board
    .snapshot()
    .servers.flatMap(({ name: server, offering }) =>
      (offering?.quarantined ?? [])
        .filter(({ kind }) => kind === 'tool')
        .map(({ name, reason }) => ({ server, name, reason })),
    )
}

export function firstLine(text: string): string {
  return text.trim().split('\n')[0]!.slice(0, 200)
}
