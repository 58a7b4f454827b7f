/**
 * add-server: writes an entry into the file of a scope, and its approval.
 *
 * in     a name, an entry of our fields, a scope
 * out    the file that has the entry now
 * never  overwrites an existing server; puts a literal secret into a repository unless the user agreed
 */
import { isObjectValue, valueAt, type Value } from '../../edit/change.ts'
import type { ServerDefinition } from '../../model/definition.ts'
import type { Problem } from '../../model/problem.ts'
import { compareFacts } from '../../pipeline/admit/trust.ts'
import { maskSecrets } from '../../problem/mask.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { World } from '../../world/world.ts'
import { toDefinitionJson, type JsonObject } from '../definition-json.ts'
import { editFile } from '../edit-file.ts'
import { wholeFactsOfServer } from '../known-trust.ts'
import type { LoadedCatalog } from '../load-catalog.ts'
import { decide, trustQuestions } from '../trust.ts'
import { alreadyThere, secretInProject } from './add-problems.ts'
import { checkEntry } from './check-entry.ts'
import { findLiteralSecrets } from './literal-secrets.ts'
import { scopeFileOf, type WritableScope } from './scope-file.ts'

export interface ServerToAdd {
  readonly name: string
  readonly entry: JsonObject
  readonly scope: WritableScope
}

/** A server that may be added, and where. */
export interface PlannedAdd extends ServerToAdd {
  readonly file: string
  readonly within: string | undefined
  readonly mode: number
  readonly definition: ServerDefinition
  readonly warnings: readonly Problem[]
  /** Fields with a literal secret that would become visible in a repository. The host asks the user about them. */
  readonly exposed: readonly string[]
}

/** Checks without writing. Throws `manage/bad-name`, `manage/invalid`, `manage/exists`. */
export async function planAdd(world: World, loaded: LoadedCatalog, wanted: ServerToAdd): Promise<PlannedAdd> {
  const { name, entry, scope } = wanted
  const { definition, warnings } = await checkEntry(world, name, entry)
  const { file, within, mode } = scopeFileOf(world, loaded, scope)
  const there = findOurs(loaded, wanted)
  if (there !== undefined)
    throw new ProblemError(
      alreadyThere({ name, file: there.file }, { shown: there.shown, platform: world.platform }),
    )
  const exposed = scope === 'project' ? findLiteralSecrets(definition, world.env) : []
  return { ...wanted, file, within, mode, definition, warnings, exposed }
}

/** Throws `manage/exists`, `manage/secret-in-project`, what `editFile` throws. */
export async function writeAdd(
  world: World,
  { name, entry, file, within, mode, exposed }: PlannedAdd,
  secrets: 'refuse' | 'as-they-are',
): Promise<void> {
  if (secrets === 'refuse' && exposed.length > 0) throw new ProblemError(secretInProject(exposed))
  const path = ['mcpServers', name]
  let there: Value | undefined
  await editFile(world, { file, within, mode }, (value) => {
    // Checked under the lock: another process may have added it since it was planned.
    there = valueAt(value, path)
    return there === undefined ? [{ kind: 'set', path, value: entry }] : []
  })
  if (there === undefined) return
  const shown = await showValue(world, name, there)
  throw new ProblemError(alreadyThere({ name, file }, { shown, platform: world.platform }))
}

/**
 * The user typed this entry into the project, so no question to the user is needed. Approves the written entry, but
 * only if it is still what the user typed. `loaded`: the files as they are now. Returns whether it approved the entry.
 */
export async function approveAdded(
  world: World,
  loaded: LoadedCatalog,
  { name, file, definition }: Pick<PlannedAdd, 'name' | 'file' | 'definition'>,
): Promise<boolean> {
  const questions = trustQuestions(loaded, name).filter(({ entry, facts }) => {
    const { origin } = entry.entry.found
    const typed = wholeFactsOfServer(world, definition, entry.entry.found)
    return origin.file === file && compareFacts(facts, typed).length === 0
  })
  if (questions.length > 0) await decide(world, loaded, 'approved', questions)
  return questions.length > 0
}

/** Writes the transport that the address speaks, for all programs that read the file. */
export async function writeTransport(
  world: World,
  { name, file, within, mode }: Pick<PlannedAdd, 'name' | 'file' | 'within' | 'mode'>,
  type: 'http' | 'sse',
): Promise<void> {
  const path = ['mcpServers', name]
  await editFile(world, { file, within, mode }, (value) => {
    const there = valueAt(value, path)
    // Another process removed or changed the entry meanwhile.
    if (!isObjectValue(there) || Object.hasOwn(there, 'type')) return []
    return [{ kind: 'set', path: [...path, 'type'], value: type }]
  })
}

/** A server of this name in our own files of the scope. */
function findOurs(
  { catalog }: LoadedCatalog,
  { name, scope }: ServerToAdd,
): { readonly file: string; readonly shown: readonly string[] } | undefined {
  const found = catalog.entries.find(({ entry }) => {
    const { origin, unsupported } = entry.found
    return (
      entry.found.name === name &&
      origin.source === 'plugboard' &&
      origin.scope === scope &&
      unsupported === undefined
    )
  })
  if (found === undefined) return undefined
  const { entry } = found
  const { document, node, origin } = entry.found
  const shown =
    entry.kind === 'definition'
      ? toLines(toDefinitionJson(entry.definition, 'masked'))
      : document.text
          .slice(node.start, node.end)
          .split(/\r?\n/)
          .map((line) => maskSecrets(line))
  return { file: origin.file, shown }
}

async function showValue(world: World, name: string, value: Value): Promise<readonly string[]> {
  if (isObjectValue(value)) {
    try {
      const { definition } = await checkEntry(world, name, value)
      return toLines(toDefinitionJson(definition, 'masked'))
    } catch (error) {
      // An existing entry counts, whatever it is. One that cannot be understood is shown without its values.
      if (!(error instanceof ProblemError)) throw error
    }
  }
  return toLines(value).map((line) => maskSecrets(line))
}

function toLines(value: Value): readonly string[] {
  return JSON.stringify(value, undefined, 2).split('\n')
}
