/**
 * own-server: removes or renames an entry of ours, and shows it to the user who is asked before.
 */
import { valueAt } from '../../edit/change.ts'
import { maskSecrets } from '../../problem/mask.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { World } from '../../world/world.ts'
import { toDefinitionJson } from '../definition-json.ts'
import { editFile } from '../edit-file.ts'
import type { OwnEntry } from './own-entries.ts'
import { goneMeanwhile } from './own-problems.ts'

/** Throws `manage/gone`, and what `editFile` throws. */
export async function removeServer(world: World, { name, file, within, path }: OwnEntry): Promise<void> {
  const outcome = await editFile(world, { file, within }, [{ kind: 'remove', path }])
  if (outcome === 'unchanged') throw new ProblemError(goneMeanwhile(name, file))
}

/** The lines of an entry, secrets masked. */
export function showOwn({ found: { entry } }: OwnEntry): readonly string[] {
  const { document, node } = entry.found
  if (entry.kind === 'definition')
    return JSON.stringify(toDefinitionJson(entry.definition, 'masked'), undefined, 2).split('\n')
  return document.text
    .slice(node.start, node.end)
    .split(/\r?\n/)
    .map((line) => maskSecrets(line))
}

/** Throws `manage/gone`, `edit/exists`, and what `editFile` throws. */
export async function renameServer(
  world: World,
  { name, file, within, path }: OwnEntry,
  to: string,
): Promise<void> {
  await editFile(world, { file, within }, (value) => {
    if (valueAt(value, path) === undefined) throw new ProblemError(goneMeanwhile(name, file))
    return [{ kind: 'rename', path, to }]
  })
}
