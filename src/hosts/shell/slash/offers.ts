/** offers: the tools, resources and prompts of the session's servers, of one or of all. */
import type { Listed } from '../../../model/offering.ts'
import { toTable, type Cell, type Column } from '../../shared/table.ts'
import type { ShellContext } from '../context.ts'
import { serverPrompts } from '../server-prompts.ts'
import { requireRunning } from './servers.ts'

const columnsOf = (title: string): readonly Column[] => [
  { title, shrinks: 2, keeps: 'end' },
  { title: 'WHAT IT IS', shrinks: 1, isDetail: true },
]

export async function tools(context: ShellContext, [only]: readonly string[]): Promise<void> {
  if (only !== undefined) requireRunning(context, only)
  const found = context.board.tools().filter(({ server }) => only === undefined || server === only)
  const own = only === undefined ? context.board.builtinTools() : []
  const rows = [...found, ...own].map(({ name, description }) => toRow(context, name, description))
  show(context, 'TOOL', rows)
}

export async function resources(context: ShellContext, [only]: readonly string[]): Promise<void> {
  const rows = [
    ...listedOf(context, 'resources', only).map(
      ([server, one]) => [`@${server}:${String(one['uri'])}`, one] as const,
    ),
    ...listedOf(context, 'resourceTemplates', only).map(
      ([server, one]) => [`@${server}:${String(one['uriTemplate'])}`, one] as const,
    ),
  ].map(([mention, { name, description }]) => toRow(context, mention, description ?? name))
  show(context, 'RESOURCE', rows)
}

export async function prompts(context: ShellContext, [only]: readonly string[]): Promise<void> {
  if (only !== undefined) requireRunning(context, only)
  const rows = serverPrompts(context.board)
    .filter(({ server }) => only === undefined || server === only)
    .map(({ command, arguments: known, description }) => {
      const words = known.map(({ name, isRequired }) => (isRequired ? `<${name}>` : `[${name}]`))
      return toRow(context, [`/${command}`, ...words].join(' '), description)
    })
  show(context, 'PROMPT', rows)
}

function listedOf(
  context: ShellContext,
  kind: 'resources' | 'resourceTemplates',
  only: string | undefined,
): readonly (readonly [server: string, one: Listed])[] {
  if (only !== undefined) requireRunning(context, only)
  return context.board
    .snapshot()
    .servers.filter(({ name }) => only === undefined || name === only)
    .flatMap(({ name, offering }) => (offering?.[kind] ?? []).map((one) => [name, one] as const))
}

function toRow({ paint }: ShellContext, text: string, about: unknown): Cell[] {
  return [{ text, brush: paint.bold }, typeof about === 'string' ? about.trim().split('\n', 1)[0]! : '']
}

function show(context: ShellContext, title: string, rows: readonly Cell[][]): void {
  const { paint } = context
  if (rows.length === 0) context.print(`no ${title.toLowerCase()}s`)
  else context.print(toTable(columnsOf(title), rows, { paint, columns: context.columns() }))
}
