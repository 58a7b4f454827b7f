/**
 * edit-scope: the user edits a copy of one of our files, and the copy replaces the file when it can be understood.
 *
 * in     a function that opens an editor
 * out    which servers were added, changed and removed
 * never  replaces a good file by one that does not parse, or a good server by one that cannot be used; loses a text
 *        that the user typed: the copy stays until it replaces the file
 */
import { isObjectValue, isSameValue, valueAt, type ObjectValue } from '../../edit/change.ts'
import { loadEdit } from '../../edit/edit.ts'
import type { ServerDefinition } from '../../model/definition.ts'
import { createDocument, findMember, spotOf } from '../../model/document.ts'
import type { Spot } from '../../model/origin.ts'
import type { Problem } from '../../model/problem.ts'
import { parseText } from '../../pipeline/discover/formats/parse-text.ts'
import { createProblem, ProblemError } from '../../problem/problem.ts'
import type { World } from '../../world/world.ts'
import { rewriteFile } from '../edit-file.ts'
import type { LoadedCatalog } from '../load-catalog.ts'
import { approveAdded } from './add-server.ts'
import { checkEntry } from './check-entry.ts'
import { changedMeanwhile, copyKept } from './own-problems.ts'
import type { ScopeFile } from './scope-file.ts'

/** The copy that the user edits. */
export interface EditCopy extends ScopeFile {
  readonly copy: string
  /** The text of the file when the copy was made. Undefined: there was no file. */
  readonly before: string | undefined
}

export interface Edited {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

const EMPTY = '{\n  "mcpServers": {}\n}\n'

/** Throws `write/…`. */
export async function makeCopy(
  world: World,
  { dirs }: Pick<LoadedCatalog, 'dirs'>,
  target: ScopeFile,
): Promise<EditCopy> {
  const read = world.files.read(target.file)
  const before = read.kind === 'text' ? read.text : undefined
  const copy = freeName(world, world.paths.join(dirs.state, 'edits'), target.scope)
  await rewriteFile(world, { file: copy, within: undefined }, () => before ?? EMPTY)
  return { ...target, copy, before }
}

/** The user may still want older copies. */
function freeName(world: World, folder: string, scope: string): string {
  for (let i = 1; ; i++) {
    const file = world.paths.join(folder, `${scope}-${i}.json`)
    if (world.files.kind(file) === 'missing') return file
  }
}

/**
 * Throws and keeps the copy: `edit/unparseable`, `manage/invalid`, `manage/bad-name`, `manage/changed-meanwhile`,
 * `write/…`.
 */
export async function takeOver(
  world: World,
  edit: EditCopy,
): Promise<Edited & { readonly definitions: ReadonlyMap<string, ServerDefinition> }> {
  try {
    const text = readCopy(world, edit.copy)
    const after = await serversIn(edit.copy, text)
    const edited = compare(await serversBefore(edit), after)
    const definitions = new Map<string, ServerDefinition>()
    for (const name of [...edited.added, ...edited.changed])
      definitions.set(name, await check(world, { file: edit.copy, text }, { name, entry: after[name] }))
    await rewriteFile(world, edit, (now) => {
      if (now !== edit.before) throw new ProblemError(changedMeanwhile(edit.file))
      return text === (edit.before ?? EMPTY) ? undefined : text
    })
    world.files.remove(edit.copy)
    return { ...edited, definitions }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    throw new ProblemError(copyKept(error.problem, edit.copy), { cause: error })
  }
}

/** Throws the problem again, with the place of the text if the user typed any. An unchanged copy is deleted. */
export function giveUp(world: World, { copy, before }: EditCopy, problem: Problem): never {
  const read = world.files.read(copy)
  const isTouched = read.kind === 'text' && read.text !== (before ?? EMPTY)
  if (!isTouched) world.files.remove(copy)
  throw new ProblemError(isTouched ? copyKept(problem, copy) : problem)
}

/** What the user typed into a project needs no question to that user. `loaded`: the files as they are now. */
export async function approveEdited(
  world: World,
  loaded: LoadedCatalog,
  {
    file,
    definitions,
  }: { readonly file: string; readonly definitions: ReadonlyMap<string, ServerDefinition> },
): Promise<readonly string[]> {
  const approved: string[] = []
  for (const [name, definition] of definitions)
    if (await approveAdded(world, loaded, { name, file, definition })) approved.push(name)
  return approved
}

function readCopy(world: World, copy: string): string {
  const read = world.files.read(copy)
  if (read.kind === 'text') return read.text
  throw new ProblemError(
    createProblem({
      code: 'manage/no-copy',
      message: 'the text that was edited cannot be read',
      where: { file: copy },
    }),
  )
}

/** A file that cannot be parsed counts as empty: the user may be about to repair it. */
async function serversBefore({ file, before }: EditCopy): Promise<ObjectValue> {
  try {
    return await serversIn(file, before)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return {}
  }
}

/** The entries as the editor's parser reads them. Throws with the place where the text becomes invalid. */
async function serversIn(file: string, text: string | undefined): Promise<ObjectValue> {
  const edit = await loadEdit('jsonc')
  let servers: ObjectValue = {}
  edit({ file, text }, (value) => {
    const found = valueAt(value, ['mcpServers']) ?? {}
    if (isObjectValue(found)) servers = found
    // Otherwise this edit makes the editor refuse and name the place: the value must be an object.
    return isObjectValue(found) ? [] : [{ kind: 'set', path: ['mcpServers', 'x'], value: true }]
  })
  return servers
}

function compare(before: ObjectValue, after: ObjectValue): Edited {
  const has = (value: ObjectValue, name: string): boolean => Object.hasOwn(value, name)
  return {
    added: Object.keys(after).filter((name) => !has(before, name)),
    changed: Object.keys(after).filter(
      (name) => has(before, name) && !isSameValue(before[name], after[name]),
    ),
    removed: Object.keys(before).filter((name) => !has(after, name)),
  }
}

async function check(
  world: World,
  { file, text }: { readonly file: string; readonly text: string },
  { name, entry }: { readonly name: string; readonly entry: ObjectValue[string] | undefined },
): Promise<ServerDefinition> {
  try {
    return (await checkEntry(world, name, isObjectValue(entry) ? entry : {})).definition
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const where = { ...(await spotIn(file, text, name)), server: name }
    throw new ProblemError({ ...error.problem, where }, { cause: error })
  }
}

async function spotIn(file: string, text: string, name: string): Promise<Spot> {
  const parsed = await parseText(text, 'json')
  if (parsed.kind === 'fault') return { file }
  const servers = findMember(parsed.root, 'mcpServers')?.value
  const member = findMember(servers, name)
  return member === undefined
    ? { file }
    : spotOf(createDocument(file, text, parsed.root), { start: member.keyStart })
}
