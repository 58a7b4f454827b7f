/**
 * tools: what the servers offer to do, under the names a model sees.
 */
import { toPrintable } from '../../../base/printable.ts'
import type { Board } from '../../../runtime/board.ts'
import type { BoardTool } from '../../../runtime/tools.ts'
import { countOf } from '../../shared/amounts.ts'
import { toProblemJson } from '../../shared/problem-json.ts'
import { toTable, type Cell, type Column } from '../../shared/table.ts'
import type { CommandContext } from '../command.ts'
import { DONE, exitCodeOf, FAILED } from '../exit-codes.ts'
import { printJson, printLines, reportBeside, viewOf } from '../print.ts'
import { problemsOf, requireKnown, withBoard } from '../with-board.ts'

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
      const tools = board.tools().filter(({ server }) => name === undefined || server === name)
      if (context.json) printJson(context.terminal, toJson(board, tools))
      else {
        printLines(context.terminal, toText(context, board, tools))
        reportBeside(context, problemsOf(board))
      }
      return readinessCode(context, board)
    },
  )
}

/** A server that is `required`, or any after `--wait`, and is not ready: scripts must not go on as if it were. */
export function readinessCode({ flags }: CommandContext, board: Board): number {
  const { ok, servers } = board.readiness()
  const missing = servers.filter(
    ({ state, required }) => state !== 'ready' && (required || flags['wait'] === true),
  )
  if (ok && missing.length === 0) return DONE
  const [first] = missing
  return first?.problem === undefined ? FAILED : exitCodeOf(first.problem)
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
    problems: problemsOf(board).map(toProblemJson),
    readiness: toReadinessJson(board),
  }
}

export function toReadinessJson(board: Board): object {
  const { servers, ...rest } = board.readiness()
  return {
    ...rest,
    servers: servers.map(({ problem, ...server }) => ({
      ...server,
      ...(problem === undefined ? {} : { problem: toProblemJson(problem) }),
    })),
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
