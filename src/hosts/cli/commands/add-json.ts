/**
 * add-json: a server whose entry is given as JSON, as READMEs show it.
 */
import { addEntry } from '../add-entry.ts'
import { readEntryJson } from '../../../runtime/manage/entry-json.ts'
import type { CommandContext } from '../command.ts'
import { findWritableScope } from '../writable-scope.ts'

/** Throws `manage/…` for what cannot be added. */
export async function run(context: CommandContext): Promise<number> {
  const { args, flags, terminal } = context
  const [name, given] = args as readonly [string, string]
  const text = given === '-' ? await terminal.input() : given
  const scope = findWritableScope(flags) ?? 'user'
  return addEntry(context, { name, scope, entry: await readEntryJson(name, text) })
}
