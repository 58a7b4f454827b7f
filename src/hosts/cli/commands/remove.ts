/**
 * remove: removes a server from one of our files, and shows it first.
 */
import { toPrintable } from '../../../base/printable.ts'
import type { CatalogEntry } from '../../../model/catalog.ts'
import { ProblemError } from '../../../problem/problem.ts'
import { requireOwn, type OwnEntry } from '../../../runtime/manage/own-entries.ts'
import { needsYes, takesOver } from '../../../runtime/manage/own-problems.ts'
import { removeServer, showOwn } from '../../../runtime/manage/own-server.ts'
import { toProblemJson } from '../../shared/problem-json.ts'
import { showPath, showSpot } from '../../shared/show-path.ts'
import type { CommandContext } from '../command.ts'
import { DENIED, DONE, INTERRUPTED } from '../exit-codes.ts'
import { printJson, printLines, reportBeside } from '../print.ts'
import { loadKnowing } from '../require-known.ts'
import { findWritableScope } from '../writable-scope.ts'

/** Throws `cli/unknown-server`, `manage/…`, `edit/…`, `write/…`. */
export async function run(context: CommandContext): Promise<number> {
  const { world, terminal, args, flags, json } = context
  const name = args[0]!
  const own = requireOwn(await loadKnowing(context, name), { name, scope: findWritableScope(flags) })
  const answer = flags['yes'] === true ? 'yes' : await ask(context, own)
  if (answer !== 'yes') return answer === undefined ? INTERRUPTED : DENIED
  await removeServer(world, own)
  const { catalog } = await context.load()
  const next = catalog.entries.find(({ entry, fate }) => entry.found.name === name && fate.kind === 'chosen')
  const notes = next === undefined ? [] : [takesOver(name, next.entry.found.origin)]
  if (json) printJson(terminal, { removed: { name, scope: own.scope, file: own.file }, ...nextOf(next) })
  else {
    printLines(terminal, [
      `removed \`${toPrintable(name)}\` from ${showPath(own.file, world)} (${own.scope} scope)`,
    ])
    reportBeside(context, notes)
  }
  return DONE
}

function nextOf(next: CatalogEntry | undefined): object {
  if (next === undefined) return {}
  return { problems: [toProblemJson(takesOver(next.entry.found.name, next.entry.found.origin))] }
}

async function ask(
  { terminal, world, json }: CommandContext,
  own: OwnEntry,
): Promise<'yes' | 'no' | undefined> {
  const { origin } = own.found.entry.found
  if (!terminal.canAsk || json)
    throw new ProblemError(needsYes(`\`${toPrintable(own.name)}\` would be removed from ${own.file}`))
  printLines(terminal, [
    '',
    `${toPrintable(own.name)}  ${showSpot(origin, world)}   (${own.scope} scope)`,
    ...showOwn(own).map((line) => `  ${toPrintable(line)}`),
    '',
  ])
  return terminal.choose('Remove it?', [
    { value: 'no', label: 'no' },
    { value: 'yes', label: 'yes', hint: 'the entry is gone then' },
  ])
}
