/**
 * get: shows everything about one server, with secrets masked.
 */
import { toCommandLine } from '../../../base/command-line.ts'
import { toPrintable } from '../../../base/printable.ts'
import type { Catalog, CatalogEntry } from '../../../model/catalog.ts'
import { ProblemError } from '../../../problem/problem.ts'
import { countOf } from '../../shared/amounts.ts'
import { toDefinitionJson, type JsonValue } from '../../../runtime/definition-json.ts'
import { problemsOf, toEntryJson } from '../../shared/entry-json.ts'
import { fateBrush, showDecider, trustHint } from '../../shared/show-fate.ts'
import { showName } from '../../shared/show-name.ts'
import { showOwner, showSpot, type Here } from '../../shared/show-path.ts'
import { showProblem } from '../../shared/show-problem.ts'
import type { CommandContext } from '../command.ts'
import { DONE } from '../exit-codes.ts'
import { printJson, printLines, viewOf } from '../print.ts'
import { unknownServer } from '../unknown-server.ts'

/** Throws `cli/unknown-server`. */
export async function run(context: CommandContext): Promise<number> {
  const { catalog } = await context.load()
  const name = context.args[0]!
  const declarations = catalog.entries.filter(({ entry }) => entry.found.name === name)
  const found = findHolder(declarations)
  if (found === undefined) throw new ProblemError(unknownServer(name, catalog, context.world))
  const shadows = declarations.filter((one) => isShadowedBy(one, found))
  if (context.json) printJson(context.terminal, toJson(found, shadows))
  else printLines(context.terminal, toText(context, found, { shadows, count: declarations.length }))
  return DONE
}

/** The entry that has the name: the highest that is not put aside, such as the chosen one; otherwise the highest. */
function findHolder(declarations: Catalog['entries']): CatalogEntry | undefined {
  const aside = new Set(['shadowed', 'excluded', 'untrusted', 'declined', 'unsupported'])
  return declarations.find(({ fate }) => !aside.has(fate.kind)) ?? declarations[0]
}

function isShadowedBy({ fate }: CatalogEntry, { entry }: CatalogEntry): boolean {
  if (fate.kind !== 'shadowed') return false
  const { file, line, column } = entry.found.origin
  return fate.by.file === file && fate.by.line === line && fate.by.column === column
}

function toJson(found: CatalogEntry, shadows: readonly CatalogEntry[]): object {
  const { entry } = found
  return {
    ...toEntryJson(found),
    definition: entry.kind === 'definition' ? toDefinitionJson(entry.definition, 'masked') : null,
    shadows: shadows.map(toEntryJson),
  }
}

/** A name and the lines beside it. */
type Fact = readonly [term: string, lines: readonly string[]]

function toText(
  context: CommandContext,
  found: CatalogEntry,
  others: { readonly shadows: readonly CatalogEntry[]; readonly count: number },
): string[] {
  const { paint, world } = context
  const { entry } = found
  const definition = entry.kind === 'definition' ? toDefinitionJson(entry.definition, 'masked') : {}
  const facts: readonly Fact[] = [
    ['fate', fateLines(context, found)],
    ['declared', [showPlace(found, world)]],
    ...Object.entries(definition).map(([field, value]): Fact => [field, valueLines(value)]),
    ['shadows', others.shadows.map((one) => showPlace(one, world))],
  ]
  const width = Math.max(...facts.map(([term]) => term.length)) + 2
  const problems = [...problemsOf(entry), ...entry.warnings]
  return [
    paint.bold(showName(entry.found.name)),
    ...facts.flatMap(([term, lines]) =>
      lines.map((line, i) => `  ${paint.dim((i === 0 ? term : '').padEnd(width))}${line}`),
    ),
    ...problems.flatMap((problem) => ['', showProblem(problem, viewOf(context))]),
    ...countOthers(context, found, others.count - others.shadows.length - 1),
  ]
}

function fateLines({ paint, world }: CommandContext, found: CatalogEntry): string[] {
  const { fate } = found
  const kind = fateBrush(fate.kind, paint)(fate.kind)
  const decider = showDecider(fate, world)
  // The problems of a broken entry are shown below.
  const isTold = fate.kind === 'chosen' || fate.kind === 'invalid' || fate.kind === 'unsupported'
  const reason = isTold ? undefined : fate.reason
  return [
    reason === undefined ? kind : `${kind}: ${toPrintable(reason)}`,
    ...(decider === undefined ? [] : [`by ${decider}`]),
    ...trustHint(found).map((hint) => `hint: ${hint}`),
  ]
}

function showPlace({ entry }: CatalogEntry, here: Here): string {
  const { origin } = entry.found
  return `${showSpot(origin, here)}   (${showOwner(origin)})`
}

/** A map takes one line for each member; any other value takes one line. */
function valueLines(value: JsonValue): string[] {
  if (typeof value === 'string') return [toPrintable(value)]
  if (Array.isArray(value)) return [`[${value.map((item) => toPrintable(JSON.stringify(item))).join(', ')}]`]
  if (typeof value !== 'object' || value === null) return [String(value)]
  return Object.entries(value).map(([key, item]) => `${toPrintable(key)}: ${valueLines(item).join(' ')}`)
}

function countOthers({ world }: CommandContext, { entry }: CatalogEntry, count: number): string[] {
  if (count === 0) return []
  const command = toCommandLine('plugboard explain', [entry.found.name], world.platform)
  return [
    '',
    toPrintable(
      `${countOf(count, 'more declaration')} of this name (\`${command}\` shows what became of it)`,
    ),
  ]
}
