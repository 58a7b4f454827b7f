/**
 * switch: `enable` and `disable` a server with a line in our settings, whichever file declares it.
 */
import { toPrintable } from '../../../base/printable.ts'
import type { CatalogEntry } from '../../../model/catalog.ts'
import { ProblemError } from '../../../problem/problem.ts'
import { badScope } from '../../../runtime/manage/add-problems.ts'
import { switchServer, type SwitchScope } from '../../../runtime/manage/switch-server.ts'
import { toEntryJson } from '../../shared/entry-json.ts'
import { showDecider, trustHint } from '../../shared/show-fate.ts'
import { showPath } from '../../shared/show-path.ts'
import type { CommandContext } from '../command.ts'
import { DONE } from '../exit-codes.ts'
import { printJson, printLines } from '../print.ts'
import { loadKnowing } from '../require-known.ts'

/** Throws `cli/unknown-server`, `cli/bad-scope`, `manage/managed`, `manage/still-off`, `edit/…`, `write/…`. */
export async function turn(context: CommandContext, to: 'on' | 'off'): Promise<number> {
  const { world, terminal, args, json } = context
  const name = args[0]!
  const scope = readScope(context)
  await loadKnowing(context, name)
  const files = await switchServer(world, { name, to, scope }, () => context.load())
  const { catalog } = await context.load()
  const holder = catalog.entries.find(({ entry }) => entry.found.name === name)
  if (json) {
    const entry = holder === undefined ? {} : { entry: toEntryJson(holder) }
    printJson(terminal, { server: name, enabled: to === 'on', changed: files.length > 0, files, ...entry })
    return DONE
  }
  const done = to === 'on' ? 'enabled' : 'disabled'
  const shown = `\`${toPrintable(name)}\``
  printLines(terminal, [
    files.length === 0
      ? `${shown} is ${to === 'on' ? 'not disabled' : 'disabled already'}`
      : `${done} ${shown} (${files.map((file) => showPath(file, world)).join(', ')})`,
    ...(to === 'on' && holder !== undefined ? whyNotYet(context, holder) : []),
  ])
  return DONE
}

/** The reasons why an enabled server still does not run. */
function whyNotYet({ world }: CommandContext, holder: CatalogEntry): readonly string[] {
  const { fate } = holder
  if (fate.kind === 'chosen') return []
  const decider = showDecider(fate, world)
  return [
    `it does not run yet: it is ${fate.kind}${decider === undefined ? '' : `, by ${decider}`}`,
    ...trustHint(holder),
  ]
}

function readScope({ flags }: CommandContext): SwitchScope {
  const given = flags['scope'] ?? 'user'
  if (given === 'user' || given === 'local') return given
  throw new ProblemError(badScope(String(given), ['user', 'local']))
}
