/** list: every server of the session, its state, and its problem. */
import type { CatalogEntry, FateKind } from '../../../model/catalog.ts'
import type { ServerSnapshot } from '../../../runtime/supervisor.ts'
import { countOf, showAge } from '../../shared/amounts.ts'
import type { Brush, Paint } from '../../shared/paint.ts'
import { fateBrush, trustHint } from '../../shared/show-fate.ts'
import { showName } from '../../shared/show-name.ts'
import { showPath } from '../../shared/show-path.ts'
import { toTable, type Cell, type Column } from '../../shared/table.ts'
import type { ShellContext } from '../context.ts'

const COLUMNS: readonly Column[] = [
  { title: 'NAME', shrinks: 3 },
  { title: 'STATE' },
  { title: 'OFFERS', shrinks: 2 },
  { title: 'FILE', shrinks: 1, keeps: 'end', isDetail: true },
]

/** Decided between declarations of one name: `/mcp explain` shows these. */
const HIDDEN: ReadonlySet<FateKind> = new Set(['shadowed', 'duplicate', 'excluded'])

export async function list(context: ShellContext): Promise<void> {
  const { board, paint, world } = context
  const { servers, catalog, problems } = board.snapshot()
  const others = catalog.entries.filter(({ fate }) => fate.kind !== 'chosen' && !HIDDEN.has(fate.kind))
  const rows = [
    ...servers.map((server) => toRow(context, server)),
    ...others.map(({ entry, fate }): Cell[] => [
      { text: showName(entry.found.name), brush: paint.bold },
      { text: fate.kind, brush: fateBrush(fate.kind, paint) },
      '',
      `${showPath(entry.found.origin.file, world)}:${entry.found.origin.line}`,
    ]),
  ]
  const table = toTable(COLUMNS, rows, { paint, columns: context.columns() })
  context.print(rows.length === 0 ? NONE : [...table, ...advise(servers, others)])
  context.report(problems.filter(({ severity }) => severity === 'error'))
}

const NONE = [
  'no servers are configured yet',
  'to add one, type /mcp add; to try one out that comes along, /demo',
]

function toRow({ paint, world }: ShellContext, server: ServerSnapshot): Cell[] {
  const { name, connection, origin } = server
  return [
    { text: showName(name), brush: paint.bold },
    { text: connection.state, brush: stateBrush(connection.state, paint) },
    showOffers(server, world.clock.now()),
    `${showPath(origin.file, world)}:${origin.line}`,
  ]
}

function stateBrush(state: ServerSnapshot['connection']['state'], paint: Paint): Brush {
  if (state === 'ready') return paint.green
  if (state === 'failed' || state === 'waiting') return paint.red
  return state === 'needs-auth' ? paint.yellow : paint.dim
}

/** `14 tools, 2 prompts`; cached numbers come with their age. */
function showOffers({ offering, cachedAt }: ServerSnapshot, now: number): string {
  if (offering === undefined) return ''
  const { tools, resources, prompts } = offering
  const counts = [
    countOf(tools.length, 'tool'),
    ...(resources.length === 0 ? [] : [countOf(resources.length, 'resource')]),
    ...(prompts.length === 0 ? [] : [countOf(prompts.length, 'prompt')]),
  ].join(', ')
  return cachedAt === undefined ? counts : `${counts} (${showAge(now - cachedAt)} old)`
}

function advise(servers: readonly ServerSnapshot[], others: readonly CatalogEntry[]): readonly string[] {
  const hints = [
    ...servers
      .filter(({ connection }) => connection.state === 'needs-auth')
      .map(({ name }) => `to sign in to \`${showName(name)}\`, type /mcp auth ${showName(name)}`),
    ...servers
      .filter(({ connection }) => connection.state === 'failed' || connection.state === 'waiting')
      .map(
        ({ name }) =>
          `to see what is the matter with \`${showName(name)}\`, type /mcp test ${showName(name)}`,
      ),
    ...(others.some((one) => trustHint(one).length > 0)
      ? ['to look at the untrusted servers and decide, type /trust']
      : []),
    ...others
      .filter(({ fate }) => fate.kind === 'disabled')
      .map(
        ({ entry }) =>
          `to turn \`${showName(entry.found.name)}\` on, type /mcp enable ${showName(entry.found.name)}`,
      ),
  ].slice(0, 3)
  return hints.length === 0 ? [] : ['', ...hints.map((hint) => `hint: ${hint}`)]
}
