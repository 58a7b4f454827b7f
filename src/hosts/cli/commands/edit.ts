/**
 * edit: opens one of our files in the user's editor, and saves the result if it can be parsed.
 */
import { toPrintable } from '../../../base/printable.ts'
import { ProblemError } from '../../../problem/problem.ts'
import {
  approveEdited,
  giveUp,
  makeCopy,
  takeOver,
  type EditCopy,
  type Edited,
} from '../../../runtime/manage/edit-scope.ts'
import { editorFailed, noEditor } from '../../../runtime/manage/own-problems.ts'
import { scopeFileOf } from '../../../runtime/manage/scope-file.ts'
import { showPath } from '../../shared/show-path.ts'
import type { CommandContext } from '../command.ts'
import { DONE } from '../exit-codes.ts'
import { printJson, printLines, reportBeside } from '../print.ts'
import { findWritableScope } from '../writable-scope.ts'

/** Throws `manage/editor`, and what `takeOver` throws. In that case the copy stays. */
export async function run(context: CommandContext): Promise<number> {
  const { world, flags } = context
  const loaded = await context.load()
  const target = scopeFileOf(world, loaded, findWritableScope(flags) ?? 'user')
  const copy = await makeCopy(world, loaded, target)
  const { definitions, ...edited } = await editUntilGood(context, copy)
  const approved =
    target.scope === 'project'
      ? await approveEdited(world, await context.load(), { file: target.file, definitions })
      : []
  tell(context, copy, { edited, approved })
  return DONE
}

/** Repeats until the file is valid or the user gives up. */
async function editUntilGood(context: CommandContext, copy: EditCopy): ReturnType<typeof takeOver> {
  for (;;) {
    await openEditor(context, copy)
    try {
      return await takeOver(context.world, copy)
    } catch (error) {
      if (!(error instanceof ProblemError) || !context.terminal.canAsk || context.json) throw error
      reportBeside(context, [error.problem])
      const answer = await context.terminal.choose('What now?', [
        { value: 'again', label: 'edit again' },
        { value: 'stop', label: 'stop', hint: 'your text is kept' },
      ])
      if (answer !== 'again') throw error
    }
  }
}

async function openEditor({ world, terminal }: CommandContext, copy: EditCopy): Promise<void> {
  const { env, platform } = world
  const command = [env['VISUAL'], env['EDITOR']].find((one) => one !== undefined && one.trim() !== '')
  // The default editor would wait for keys, and without a terminal the user cannot press any.
  if (command === undefined && !terminal.canAsk) giveUp(world, copy, noEditor(copy.file))
  const editor = command ?? (platform === 'win32' ? 'notepad' : 'vi')
  const why = await terminal.edit(editor, copy.copy).then(describeEnd, () => 'could not be started')
  if (why !== undefined) giveUp(world, copy, editorFailed(editor, why))
}

/** Undefined when the editor succeeded. */
function describeEnd(code: number | undefined): string | undefined {
  if (code === undefined) return 'was ended'
  // The exit code of every shell for this case.
  if (code === 127) return 'was not found'
  return code === 0 ? undefined : `ended with code ${code}`
}

function tell(
  { terminal, world, json }: CommandContext,
  { file, scope }: EditCopy,
  { edited, approved }: { readonly edited: Edited; readonly approved: readonly string[] },
): void {
  const { added, changed, removed } = edited
  if (json) {
    const own = scope === 'project' ? { approved } : {}
    printJson(terminal, { edited: { file, scope, added, changed, removed, ...own } })
    return
  }
  const list = (word: string, names: readonly string[]): readonly string[] =>
    names.length === 0 ? [] : [`${word} ${names.map((name) => `\`${toPrintable(name)}\``).join(', ')}`]
  const lines = [
    ...list('added', added),
    ...list('changed', changed),
    ...list('removed', removed),
    ...list('approved for you, in this project:', approved),
  ]
  printLines(terminal, [
    ...(lines.length === 0 ? ['no server is another than before'] : lines),
    `in ${showPath(file, world)} (${scope} scope)`,
  ])
}
