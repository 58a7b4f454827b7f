/**
 * list: the servers and what became of them, at once: nothing is started, fetched or asked.
 */
import { toCommandLine } from '../../../base/command-line.ts'
import { toPrintable } from '../../../base/printable.ts'
import type { Catalog, CatalogEntry, FateKind } from '../../../model/catalog.ts'
import { SOURCE_TITLES } from '../../../model/origin.ts'
import type { Problem } from '../../../model/problem.ts'
import type { LoadedCatalog } from '../../../runtime/load-catalog.ts'
import { findLastKnown, type Memory } from '../../../runtime/last-known.ts'
import { countOf, showAge } from '../../shared/amounts.ts'
import { problemsOf, toEntryJson, typeOf, type EntryJson } from '../../shared/entry-json.ts'
import { toProblemJson } from '../../shared/problem-json.ts'
import { approvalCommand, fateBrush } from '../../shared/show-fate.ts'
import { showName } from '../../shared/show-name.ts'
import { showPath } from '../../shared/show-path.ts'
import { toTable, type Cell, type Column } from '../../shared/table.ts'
import type { CommandContext } from '../command.ts'
import { DONE } from '../exit-codes.ts'
import { printJson, printLines, reportBeside, viewOf } from '../print.ts'
import { whoTurnedOff } from '../turned-off.ts'

export async function run(context: CommandContext): Promise<number> {
  if (context.flags['check'] === true) return (await import('../groups/calling.ts')).check.run(context)
  const loaded = await context.load()
  const { catalog } = loaded
  const { known, problems: forgotten } = findLastKnown(context.world, loaded.dirs, catalog.servers)
  const shown = catalog.entries.filter(({ fate }) => context.flags['all'] === true || SHOWN.has(fate.kind))
  const problems = [...catalog.problems, ...forgotten, ...shown.flatMap(({ entry }) => problemsOf(entry))]
  if (context.json) printJson(context.terminal, toJson(catalog, { shown, known, problems }))
  else {
    printLines(
      context.terminal,
      catalog.entries.length === 0 ? welcome(context, loaded) : toText(context, catalog, { shown, known }),
    )
    reportBeside(context, problems)
  }
  return DONE
}

type Known = Memory['known']

/** What the command shows, and what is remembered of it. */
interface Shown {
  readonly shown: readonly CatalogEntry[]
  readonly known: Known
}

/** What runs, and what its user should look at. */
const SHOWN: ReadonlySet<FateKind> = new Set(['chosen', 'untrusted', 'invalid', 'denied', 'not-allowed'])

function toJson(
  catalog: Catalog,
  { shown, known, problems }: Shown & { readonly problems: readonly Problem[] },
): { readonly servers: readonly EntryJson[]; readonly problems: readonly object[] } {
  const servers = shown.map((entry) => {
    const fetchedAt = fetchTime(catalog, entry)
    const copy = fetchedAt === undefined ? {} : { fetchedAt: new Date(fetchedAt).toISOString() }
    return { ...toEntryJson(entry), ...copy, ...toStateJson(entry, known) }
  })
  return { servers, problems: problems.map(toProblemJson) }
}

function toStateJson({ entry, fate }: CatalogEntry, known: Known): object {
  const last = fate.kind === 'chosen' ? known.get(entry.found.name) : undefined
  if (last === undefined) return {}
  return {
    state: last.state === 'waiting' ? 'failed' : last.state,
    checkedAt: new Date(last.at).toISOString(),
    ...(last.listed === undefined ? {} : { tools: last.listed.tools }),
    ...(last.unresolved === undefined ? {} : { unresolved: last.unresolved }),
  }
}

const COLUMNS: readonly Column[] = [
  { title: 'NAME', shrinks: 5 },
  { title: 'TRANSPORT', shrinks: 4, drops: 1, isDetail: true },
  { title: 'SCOPE', shrinks: 3, drops: 3, isDetail: true },
  // The file tells, though less clearly.
  { title: 'SOURCE', shrinks: 2, drops: 2, isDetail: true },
  { title: 'FATE' },
  { title: 'FILE', shrinks: 1, keeps: 'end', isDetail: true },
]

/** Between the fate and the file, once something is remembered. */
const LAST_SEEN: Column = { title: 'LAST SEEN', shrinks: 2, isDetail: true }

function toText(context: CommandContext, catalog: Catalog, { shown, known }: Shown): string[] {
  const showFile = once((file: string) => showPath(file, context.world))
  const rows = shown.map((entry) => {
    const row = toRow(context, catalog, entry, showFile)
    return known.size === 0 ? row : row.toSpliced(-1, 0, showLastSeen(context, entry, known))
  })
  const columns = known.size === 0 ? COLUMNS : COLUMNS.toSpliced(-1, 0, LAST_SEEN)
  const table = rows.length === 0 ? ['no server can run'] : toTable(columns, rows, viewOf(context))
  const footer = [
    ...countHidden(catalog.entries, shown),
    ...countWarnings(shown),
    ...adviseOnTrust(context, shown),
    ...adviseOnRefusals(context, shown),
  ]
  return footer.length === 0 ? table : [...table, '', ...footer]
}

function toRow(
  context: CommandContext,
  catalog: Catalog,
  catalogEntry: CatalogEntry,
  showFile: (file: string) => string,
): Cell[] {
  const { entry, fate } = catalogEntry
  const { name, origin } = entry.found
  const fetchedAt = fetchTime(catalog, catalogEntry)
  const age = fetchedAt === undefined ? '' : `, ${showAge(context.world.clock.now() - fetchedAt)} old`
  return [
    { text: showName(name), brush: context.paint.bold },
    typeOf(entry) ?? '?',
    origin.scope + age,
    SOURCE_TITLES[origin.source],
    { text: fate.kind, brush: fateBrush(fate.kind, context.paint) },
    `${showFile(origin.file)}:${origin.line}`,
  ]
}

/** `14 tools, 2 h ago`: whoever had tools was ready. */
function showLastSeen({ world, paint }: CommandContext, { entry, fate }: CatalogEntry, known: Known): Cell {
  const last = fate.kind === 'chosen' ? known.get(entry.found.name) : undefined
  if (last === undefined) return ''
  const age = `${showAge(world.clock.now() - last.at)} ago`
  const missing = last.unresolved === undefined ? '' : `, ${countOf(last.unresolved.length, 'value')} missing`
  if (last.state === 'ready') return `${countOf(last.listed?.tools ?? 0, 'tool')}, ${age}${missing}`
  const state = last.state === 'waiting' ? 'failed' : last.state
  return { text: `${state}, ${age}${missing}`, brush: state === 'failed' ? paint.red : paint.yellow }
}

/** Hundreds of servers stand in a handful of files. */
function once(show: (file: string) => string): (file: string) => string {
  const known = new Map<string, string>()
  return (file) => {
    const shown = known.get(file) ?? show(file)
    known.set(file, shown)
    return shown
  }
}

/** When the copy that holds this entry was fetched, for what was. */
function fetchTime({ places }: Catalog, { entry }: CatalogEntry): number | undefined {
  const { scope, source, file } = entry.found.origin
  if (scope !== 'connector') return undefined
  return places.find((one) => one.scope === scope && one.source === source && one.file === file)?.fetchedAt
}

function countHidden(all: readonly CatalogEntry[], shown: readonly CatalogEntry[]): string[] {
  if (all.length === shown.length) return []
  const seen = new Set(shown)
  const hidden = all.filter((entry) => !seen.has(entry))
  const counts = new Map<FateKind, number>()
  for (const { fate } of hidden) counts.set(fate.kind, (counts.get(fate.kind) ?? 0) + 1)
  const kinds = [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ')
  return [`${hidden.length} more not shown: ${kinds} (--all shows everything)`]
}

function countWarnings(shown: readonly CatalogEntry[]): string[] {
  const count = shown.reduce((sum, { entry }) => sum + entry.warnings.length, 0)
  return count === 0
    ? []
    : [`${countOf(count, 'warning')} about these servers (\`plugboard doctor\` shows them)`]
}

/** More names than this make a command nobody wants to paste. */
const NAMES_IN_HINT = 4

function adviseOnTrust({ world }: CommandContext, shown: readonly CatalogEntry[]): string[] {
  const waiting = shown.filter((one) => approvalCommand(one, world.platform) !== undefined)
  const names = [...new Set(waiting.map(({ entry }) => entry.found.name))]
  if (names.length === 0) return []
  const command =
    names.length > NAMES_IN_HINT
      ? 'plugboard trust approve --all'
      : toCommandLine('plugboard trust approve', names, world.platform)
  const what = names.length === 1 ? `\`${names[0]}\`` : 'the untrusted servers'
  return [toPrintable(`hint: to look at ${what} and decide, run \`${command}\``)]
}

/** Nobody should have to guess who forbids a server. */
function adviseOnRefusals({ world }: CommandContext, shown: readonly CatalogEntry[]): string[] {
  const refused = shown.find(({ fate }) => fate.kind === 'denied' || fate.kind === 'not-allowed')
  if (refused === undefined) return []
  const command = toCommandLine('plugboard explain', [refused.entry.found.name], world.platform)
  return [toPrintable(`hint: to see which rule refused a server, run \`${command}\``)]
}

/** For the first run: where Plugboard looked, and how to get a server. */
function welcome(context: CommandContext, loaded: LoadedCatalog): string[] {
  const { catalog } = loaded
  const off = whoTurnedOff(context, loaded)
  if (off !== undefined) return [`no servers: ${off}`]
  const sources = new Set(catalog.places.map(({ source }) => source)).size
  return [
    'no servers are configured yet',
    `looked in ${countOf(catalog.places.length, 'place')} of ${countOf(sources, 'agent')} (\`plugboard sources\` shows them)`,
    '',
    'to add one that is started or reached:',
    '  plugboard add everything -- npx -y @modelcontextprotocol/server-everything',
    '  plugboard add sentry https://mcp.sentry.dev/mcp',
    'to be asked for everything, run `plugboard add`; to look for one, `plugboard search <words>`',
    'a server that you add in another agent, such as Claude Code or Cursor, appears here by itself',
  ]
}
