/**
 * add-json: adds a server whose entry is given as JSON, as READMEs show it.
 */
import { isObject } from '../../../base/is-object.ts'
import { ProblemError } from '../../../problem/problem.ts'
import type { JsonObject } from '../../../runtime/definition-json.ts'
import { secretWithoutClient } from '../../../runtime/manage/add-problems.ts'
import { readEntryJson } from '../../../runtime/manage/entry-json.ts'
import { addEntry } from '../add-entry.ts'
import { askForSecret } from '../client-secret.ts'
import type { CommandContext } from '../command.ts'
import { INTERRUPTED } from '../exit-codes.ts'
import { findWritableScope } from '../writable-scope.ts'

/** Throws `manage/…` when the server cannot be added. */
export async function run(context: CommandContext): Promise<number> {
  const { args, flags, terminal } = context
  const [name, given] = args as readonly [string, string]
  const text = given === '-' ? await terminal.input() : given
  const scope = findWritableScope(flags) ?? 'user'
  const entry = await readEntryJson(name, text)
  if (flags['client-secret'] === true) requireClient(entry)
  const secret = await askForSecret(context)
  if (secret === 'interrupted') return INTERRUPTED
  return addEntry(context, { name, scope, entry: withSecret(entry, secret?.text) })
}

function requireClient({ oauth }: JsonObject): void {
  if (!isObject(oauth) || oauth['clientId'] === undefined) throw new ProblemError(secretWithoutClient)
}

function withSecret(entry: JsonObject, clientSecret: string | undefined): JsonObject {
  if (clientSecret === undefined) return entry
  return { ...entry, oauth: { ...(entry['oauth'] as JsonObject), clientSecret } }
}
