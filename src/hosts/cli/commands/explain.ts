/**
 * explain: shows every declaration of a name, highest priority first, and why each won or lost.
 */
import { toPrintable } from '../../../base/printable.ts'
import type { CatalogEntry, Change, Fate, FateKind } from '../../../model/catalog.ts'
import { maskChange } from '../../../problem/mask-fact.ts'
import { ProblemError } from '../../../problem/problem.ts'
import type { Problem } from '../../../model/problem.ts'
import type { LoadedCatalog } from '../../../runtime/load-catalog.ts'
import { problemsOf, toEntryJson, typeOf } from '../../shared/entry-json.ts'
import { fateBrush, showDecider, trustHint } from '../../shared/show-fate.ts'
import { toProblemJson } from '../../shared/problem-json.ts'
import { showName } from '../../shared/show-name.ts'
import { showOwner, showSpot } from '../../shared/show-path.ts'
import { showProblem } from '../../shared/show-problem.ts'
import type { CommandContext } from '../command.ts'
import { DONE } from '../exit-codes.ts'
import { printJson, printLines, reportBeside, viewOf } from '../print.ts'
import { whoTurnedOff } from '../turned-off.ts'
import { unknownServer } from '../unknown-server.ts'

/** Throws `cli/unknown-server`. */
export async function run(context: CommandContext): Promise<number> {
  const loaded = await context.load()
  const { catalog } = loaded
  const [name] = context.args
  const named = groupByName(catalog.entries)
  const wanted = name === undefined ? [...named] : [...named].filter(([one]) => one === name)
  if (name !== undefined && wanted.length === 0) {
    throw new ProblemError(unknownServer(name, catalog, context.world))
  }
  // The servers of a connector have no entry before the connector is fetched.
  const excluded = catalog.problems.filter(({ code }) => code === 'discover/connector-excluded')
  const problems = name === undefined ? excluded : []
  if (context.json) printJson(context.terminal, toJson(wanted, { name, problems }))
  else {
    printLines(context.terminal, wanted.length === 0 ? [nothingIn(context, loaded)] : toText(context, wanted))
    reportBeside(context, problems)
  }
  return DONE
}

type Named = readonly [name: string, entries: readonly CatalogEntry[]]

function groupByName(entries: readonly CatalogEntry[]): ReadonlyMap<string, readonly CatalogEntry[]> {
  const named = new Map<string, CatalogEntry[]>()
  for (const entry of entries) {
    const { name } = entry.entry.found
    const group = named.get(name)
    if (group === undefined) named.set(name, [entry])
    else group.push(entry)
  }
  return named
}

function toJson(
  wanted: readonly Named[],
  { name, problems }: { readonly name: string | undefined; readonly problems: readonly Problem[] },
): object {
  const groups = wanted.map(([one, entries]) => ({ name: one, entries: entries.map(toEntryJson) }))
  if (name !== undefined) return groups[0]!
  return { servers: groups, ...(problems.length === 0 ? {} : { problems: problems.map(toProblemJson) }) }
}

function nothingIn(context: CommandContext, loaded: LoadedCatalog): string {
  const reason = whoTurnedOff(context, loaded)
  return reason === undefined
    ? 'no servers are declared anywhere (`plugboard sources` shows every place that was looked at)'
    : `no servers: ${reason}`
}

function toText(context: CommandContext, wanted: readonly Named[]): string[] {
  return wanted.flatMap(([name, entries], i) => [
    ...(i === 0 ? [] : ['']),
    context.paint.bold(showName(name)),
    ...entries.flatMap((entry) => explainEntry(context, entry)),
  ])
}

/** Wide enough for the longest fate. */
const FATE_WIDTH = 'unsupported'.length + 2

const INDENT = ' '.repeat(2 + FATE_WIDTH)

function explainEntry(context: CommandContext, catalogEntry: CatalogEntry): string[] {
  const { entry, fate } = catalogEntry
  const { world, paint } = context
  const { origin } = entry.found
  const kind = fateBrush(fate.kind, paint)(fate.kind) + ' '.repeat(FATE_WIDTH - fate.kind.length)
  const owner = [showOwner(origin), typeOf(entry) ?? 'type unknown'].map(toPrintable).join(', ')
  const decider = showDecider(fate, world)
  const problems = problemsOf(entry).map((problem) => showProblem(problem, viewOf(context)))
  const details = [
    ...(entry.found.document.isStale === true
      ? [paint.yellow('stale: its file cannot be read any more, and this is what it said before')]
      : []),
    ...reasonLines(fate),
    ...(decider === undefined
      ? []
      : [fate.kind === 'duplicate' ? `the same server as ${decider}` : `by ${decider}`]),
    ...trustHint(catalogEntry).map((hint) => `hint: ${hint}`),
    ...problems.flatMap((text) => text.split('\n')),
    ...entry.warnings.map(({ message }) => `${paint.yellow('warning:')} ${toPrintable(message)}`),
  ]
  return [
    `  ${kind}${showSpot(origin, world)}   (${owner})`,
    ...details.map((line) => (line === '' ? '' : INDENT + line)),
  ]
}

/** The problems of a broken entry say more than this summary. For a hidden entry, the name of the winner says more. */
const SAID_OTHERWISE: ReadonlySet<FateKind> = new Set(['invalid', 'unsupported', 'shadowed', 'duplicate'])

function reasonLines(fate: Fate): string[] {
  if (!('reason' in fate) || SAID_OTHERWISE.has(fate.kind)) return []
  const changed = fate.kind === 'untrusted' ? (fate.changed ?? []) : []
  return [fate.reason, ...changed.map(maskChange).map(showChange)].map(toPrintable)
}

function showChange({ field, was, is }: Change): string {
  if (was === undefined) return `\`${field}\` is new${isHash(is) ? '' : `: ${is}`}`
  if (is === undefined) return `\`${field}\` is gone${isHash(was) ? '' : `: ${was}`}`
  return isHash(was) || was === is ? `\`${field}\` has another value` : `\`${field}\` was ${was}, is ${is}`
}

/** Values of variables and headers are kept as hashes, which mean nothing to a reader. */
function isHash(value: string | undefined): boolean {
  return value?.startsWith('sha256:') === true
}
