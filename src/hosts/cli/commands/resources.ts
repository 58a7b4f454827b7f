/**
 * resources: lists the resources of the servers.
 */
import type { Listed } from '../../../model/offering.ts'
import type { Board } from '../../../runtime/board.ts'
import { toTable, type Cell, type Column } from '../../shared/table.ts'
import type { CommandContext } from '../command.ts'
import { viewOf } from '../print.ts'
import { runListing } from '../run-listing.ts'
import { firstLine } from './tools.ts'

/** Throws `cli/unknown-server`, and the problem that keeps the named server from being ready. */
export function run(context: CommandContext): Promise<number> {
  return runListing(context, {
    toJson: (board, only) => ({
      resources: listedOf(board, 'resources', only),
      templates: listedOf(board, 'resourceTemplates', only),
    }),
    toText: (board, only) =>
      toText(context, listedOf(board, 'resources', only), listedOf(board, 'resourceTemplates', only)),
  })
}

type Kind = 'resources' | 'resourceTemplates' | 'prompts'

export type Owned = Listed & { readonly server: string }

/** All listed items, each with its server. */
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
