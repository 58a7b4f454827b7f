/**
 * rename: renames one of our servers, also in our settings.
 */
import { toPrintable } from '../../../base/printable.ts'
import type { Problem } from '../../../model/problem.ts'
import { renameOwn } from '../../../runtime/manage/rename-server.ts'
import { toProblemJson } from '../../shared/problem-json.ts'
import { showPath } from '../../shared/show-path.ts'
import type { CommandContext } from '../command.ts'
import { DONE } from '../exit-codes.ts'
import { printJson, printLines, reportBeside } from '../print.ts'
import { loadKnowing } from '../require-known.ts'
import { findWritableScope } from '../writable-scope.ts'

/** Throws `cli/unknown-server`, `manage/…`, `edit/…`, `write/…`. */
export async function run(context: CommandContext): Promise<number> {
  const { world, terminal, args, flags, json } = context
  const [name, to] = args as readonly [string, string]
  await loadKnowing(context, name)
  const request = { name, to, scope: findWritableScope(flags) }
  const { own, isApproved, warnings } = await renameOwn(world, request, () => context.load())
  if (json) {
    const approved = own.scope === 'project' ? { approved: isApproved } : {}
    printJson(terminal, {
      renamed: { name, to, scope: own.scope, file: own.file, ...approved },
      warnings: warnings.map((one: Problem) => toProblemJson(one)),
    })
    return DONE
  }
  printLines(terminal, [
    `\`${toPrintable(name)}\` is \`${toPrintable(to)}\` now, in ${showPath(own.file, world)} (${own.scope} scope)`,
    ...(isApproved ? ['approved it for you under its new name; everybody else is asked'] : []),
  ])
  reportBeside(context, warnings)
  return DONE
}
