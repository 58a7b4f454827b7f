/**
 * show: shows what the servers of this project would run. Decides nothing, and runs nothing.
 */
import { brokenServers, requireQuestions, waitingQuestions } from '../../../../runtime/trust.ts'
import { showConfinement, toFolderJson } from '../../../shared/confinement.ts'
import { toEntryJson } from '../../../shared/entry-json.ts'
import { toShownFile } from '../../../shared/show-path.ts'
import { showWaiting } from '../../../shared/show-waiting.ts'
import { toTrustJson } from '../../../shared/trust-json.ts'
import { rulesNote, WARNING } from '../../../shared/trust-question.ts'
import type { CommandContext } from '../../command.ts'
import { DONE } from '../../exit-codes.ts'
import { printJson, printLines, viewOf } from '../../print.ts'

export async function run(context: CommandContext): Promise<number> {
  const { world, terminal, flags, json } = context
  const names = [...new Set(context.args)]
  const loaded = await context.load()
  const isNamed = names.length > 0
  const questions = isNamed
    ? names.flatMap((name) => requireQuestions(loaded, name))
    : waitingQuestions(loaded)
  const broken = isNamed ? [] : brokenServers(loaded)
  if (json) {
    printJson(terminal, {
      project: toShownFile(loaded.project.realRoot),
      folder: toFolderJson(loaded.catalog),
      servers: questions.map(toTrustJson),
      broken: broken.map(({ entry }) => toEntryJson(entry)),
    })
    return DONE
  }
  const form = flags['verbose'] === true ? 'whole' : 'short'
  if (questions.length > 0) {
    const space = terminal.columns === undefined ? '' : '\n'
    terminal.err(`${[WARNING, ...rulesNote(loaded, world, form)].join('\n')}\n${space}`)
  }
  const view = { ...viewOf(context), form, words: 'command', platform: world.platform } as const
  printLines(terminal, [
    ...showWaiting({ questions, broken: broken.map(({ problem }) => problem) }, view),
    ...showConfinement(loaded.catalog, world),
  ])
  return DONE
}
