/**
 * tools: lists the tools of the servers under model-facing names. Built-in tools come separately, because they belong
 * to no server. With `--provider`, prints them in that provider's format.
 */
import { toPrintable } from '../../../base/printable.ts'
import { PROFILES, type Profile } from '../../../model/profile.ts'
import { ProblemError } from '../../../problem/problem.ts'
import type { Board } from '../../../runtime/board.ts'
import { asBoardTool } from '../../../runtime/builtin-tools.ts'
import { toolsFor, type ProviderTools, type QuarantinedTool } from '../../../runtime/tools-for.ts'
import type { BoardTool } from '../../../runtime/tools.ts'
import { countOf } from '../../shared/amounts.ts'
import { toSchemaRows } from '../../shared/show-schema.ts'
import { toTable, type Cell, type Column } from '../../shared/table.ts'
import type { CommandContext } from '../command.ts'
import { viewOf } from '../print.ts'
import { unknownProvider } from '../problems.ts'
import { runListing } from '../run-listing.ts'

/**
 * Throws `cli/unknown-provider`, `cli/unknown-server`, and the problem that keeps the named server from being ready.
 */
export async function run(context: CommandContext): Promise<number> {
  const profile = readProfile(context)
  return runListing(context, {
    toJson: (board, only) => toJson(findTools(board, profile, only)),
    toText: (board, only) => toText(context, findTools(board, profile, only)),
  })
}

function readProfile({ flags }: CommandContext): Profile {
  const given = flags['provider'] ?? 'none'
  const profile = PROFILES.find((known) => known === given)
  if (profile === undefined) throw new ProblemError(unknownProvider(String(given), PROFILES))
  return profile
}

interface FoundTools extends ProviderTools {
  readonly builtins: readonly BoardTool[]
}

/** The tools of one server or of all; the tools that no provider could use; the tools that this provider rejects. */
function findTools(board: Board, profile: Profile, only: string | undefined): FoundTools {
  const isAsked = ({ server }: { readonly server: string }): boolean => only === undefined || server === only
  const { tools, quarantined } = toolsFor(board.tools(), profile)
  const builtins = toolsFor(only === undefined ? board.builtinTools().map(asBoardTool) : [], profile)
  return {
    tools: tools.filter(isAsked),
    builtins: builtins.tools,
    quarantined: [...malformedOf(board), ...quarantined, ...builtins.quarantined].filter(isAsked),
  }
}

function malformedOf(board: Board): readonly QuarantinedTool[] {
  return board
    .snapshot()
    .servers.flatMap(({ name: server, offering }) =>
      (offering?.quarantined ?? [])
        .filter(({ kind }) => kind === 'tool')
        .map(({ name, reason }) => ({ name, server, tool: name, reason })),
    )
}

function toJson({ tools, builtins, quarantined }: FoundTools): object {
  return {
    tools: [
      ...tools.map(({ label: _label, isDeferred, definition: _definition, ...tool }) => ({
        ...tool,
        ...(isDeferred ? { deferred: true } : {}),
      })),
      ...quarantined
        .filter((one) => !isBuiltin(one))
        .map(({ reason, ...tool }) => ({ ...tool, inputSchema: null, quarantined: reason })),
    ],
    builtin: [
      ...builtins.map(({ name, description, inputSchema, annotations }) => ({
        name,
        description,
        inputSchema,
        annotations,
      })),
      ...quarantined
        .filter(isBuiltin)
        .map(({ name, reason }) => ({ name, inputSchema: null, quarantined: reason })),
    ],
  }
}

/** Every other tool belongs to a server. */
function isBuiltin({ server }: { readonly server: string }): boolean {
  return server === ''
}

const COLUMNS: readonly Column[] = [
  { title: 'SERVER', shrinks: 3 },
  { title: 'TOOL', shrinks: 2 },
  { title: 'DESCRIPTION', shrinks: 1, isDetail: true },
]

const BUILTIN_COLUMNS: readonly Column[] = [
  { title: 'BUILT IN', shrinks: 2 },
  { title: 'DESCRIPTION', shrinks: 1, isDetail: true },
]

function toText(context: CommandContext, { tools, builtins, quarantined }: FoundTools): string[] {
  const rows = tools.map(({ server, tool, description = '' }): Cell[] => [
    server,
    { text: tool, brush: context.paint.bold },
    firstLine(description),
  ])
  const own = builtins.map(({ tool, description = '' }): Cell[] => [
    { text: tool, brush: context.paint.bold },
    firstLine(description),
  ])
  const show = (some: readonly BoardTool[], columns: readonly Column[], cells: readonly Cell[][]): string[] =>
    context.flags['schema'] === true
      ? some.flatMap((tool, i) => [...(i === 0 ? [] : ['']), ...showTool(context, tool)])
      : toTable(columns, cells, viewOf(context))
  return [
    ...(rows.length === 0 ? ['no tools'] : show(tools, COLUMNS, rows)),
    ...(own.length === 0 ? [] : ['', ...show(builtins, BUILTIN_COLUMNS, own)]),
    ...showQuarantined(quarantined),
    ...showDeferred(tools),
  ]
}

const ARGUMENTS: readonly Column[] = [
  { title: 'ARGUMENT', shrinks: 3 },
  { title: 'TYPE', shrinks: 2 },
  { title: 'DESCRIPTION', shrinks: 1, isDetail: true },
]

function showTool(
  context: CommandContext,
  { server, tool, name, description, inputSchema }: BoardTool,
): string[] {
  const { bold, dim } = context.paint
  const rows = toSchemaRows(inputSchema).map(({ depth, name, type, description }): Cell[] => [
    `${'  '.repeat(depth)}${name}`,
    type,
    description,
  ])
  return [
    isBuiltin({ server })
      ? `${bold(tool)}   ${dim('built in')}`
      : `${toPrintable(server)} ${bold(toPrintable(tool))}   ${dim(name)}`,
    ...(description === undefined ? [] : [toPrintable(firstLine(description))]),
    ...(rows.length === 0 ? ['takes no arguments'] : toTable(ARGUMENTS, rows, viewOf(context))),
  ]
}

function showQuarantined(quarantined: readonly QuarantinedTool[]): string[] {
  if (quarantined.length === 0) return []
  return [
    '',
    `${countOf(quarantined.length, 'tool')} in quarantine:`,
    ...quarantined.map(
      ({ server, tool, reason }) => `  ${toPrintable(`${server} ${tool}: ${reason}`.trimStart())}`,
    ),
  ]
}

function showDeferred(tools: readonly BoardTool[]): string[] {
  const servers = new Set(tools.filter(({ isDeferred }) => isDeferred).map(({ server }) => server))
  if (servers.size === 0) return []
  return [
    '',
    `as they were last time, since these are still starting: ${toPrintable([...servers].join(', '))}`,
  ]
}

export function firstLine(text: string): string {
  return text.trim().split('\n')[0]!.slice(0, 200)
}
