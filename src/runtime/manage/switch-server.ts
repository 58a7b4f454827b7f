/**
 * switch-server: turns a name off, or on again, whichever file declares it.
 *
 * in     the name, and the scope of the settings
 * out    the files that changed
 * never  changes a file of another agent
 *
 * Off is a line in our settings, because it is about the name and not about one of its entries. A line in a
 * repository's file would turn the server off for all its users. On removes that line. A server that is off by its own
 * entry in a file of ours is changed there. A server that is off by another agent's file is turned on by a line in our
 * settings.
 *
 * Local means this project and no other: a local change keeps every line for all projects. A local line wins, so a
 * change for all projects removes the local lines that contradict it.
 */
import { isListValue, isObjectValue, valueAt, type Change, type Value } from '../../edit/change.ts'
import type { CatalogEntry } from '../../model/catalog.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { World } from '../../world/world.ts'
import { editFile } from '../edit-file.ts'
import type { LoadedCatalog } from '../load-catalog.ts'
import { settingsFilesOf, settingsFileToWrite, settingsMode } from '../settings-file.ts'
import { findOwn } from './own-entries.ts'
import { managedServer, stillOff } from './own-problems.ts'

/** A repository's settings cannot turn servers on or off. */
export type SwitchScope = 'user' | 'local'

export interface SwitchRequest {
  readonly name: string
  readonly to: 'on' | 'off'
  readonly scope: SwitchScope
}

/** Throws `manage/managed`, `manage/still-off`, and what `editFile` throws. Returns the files that changed. */
export async function switchServer(
  world: World,
  request: SwitchRequest,
  load: () => Promise<LoadedCatalog>,
): Promise<readonly string[]> {
  const loaded = await load()
  const holder = loaded.catalog.entries.find(({ entry }) => entry.found.name === request.name)
  if (holder?.entry.found.origin.scope === 'managed')
    throw new ProblemError(managedServer(request.name, holder.entry.found.origin))
  return request.to === 'off' ? turnOff(world, request, loaded) : turnOn(world, request, load)
}

async function turnOff(
  world: World,
  { name, scope }: SwitchRequest,
  loaded: LoadedCatalog,
): Promise<readonly string[]> {
  const file = settingsFileToWrite(world, loaded, scope)
  const taken = await takeOut(world, loaded, { list: 'enabledServers', name, scope })
  if (isOff(loaded, name) && taken.length === 0 && !isOnlyHere(world, loaded, { name, scope })) return []
  return [...taken, ...(await putIn(world, { file, list: 'disabledServers', name, scope }))]
}

/** The server is off by a line for this project, but the request is for all projects. */
function isOnlyHere(
  world: World,
  loaded: LoadedCatalog,
  { name, scope }: Pick<SwitchRequest, 'name' | 'scope'>,
): boolean {
  const fate = disabledOf(loaded, name)?.fate
  const here = Object.values(settingsFilesOf(world, loaded, 'local'))
  return scope === 'user' && fate?.kind === 'disabled' && here.includes(fate.by.file)
}

async function turnOn(
  world: World,
  { name, scope }: SwitchRequest,
  load: () => Promise<LoadedCatalog>,
): Promise<readonly string[]> {
  const changed = [...(await takeOut(world, await load(), { list: 'disabledServers', name, scope }))]
  const loaded = await load()
  const ours = findOwn(loaded, name).filter((own) => scope === 'user' || own.scope === 'local')
  for (const own of ours.filter(({ found }) => found.fate.kind === 'disabled')) {
    const path = [...own.path, 'enabled']
    const outcome = await editFile(world, own, (value) =>
      valueAt(value, path) === false ? [{ kind: 'remove', path }] : [],
    )
    if (outcome === 'changed') changed.push(own.file)
  }
  if (!isOff(await load(), name)) return changed
  const file = settingsFileToWrite(world, loaded, scope)
  changed.push(...(await putIn(world, { file, list: 'enabledServers', name, scope })))
  const left = disabledOf(await load(), name)
  if (left?.fate.kind === 'disabled') throw new ProblemError(stillOff(name, left.fate.by, left.fate.reason))
  return changed
}

function isOff(loaded: LoadedCatalog, name: string): boolean {
  return disabledOf(loaded, name) !== undefined
}

function disabledOf({ catalog }: LoadedCatalog, name: string): CatalogEntry | undefined {
  return catalog.entries.find(({ entry, fate }) => entry.found.name === name && fate.kind === 'disabled')
}

type List = 'disabledServers' | 'enabledServers'

/** Removes the name from this list in the settings of the scope, and in the settings that win over it. */
async function takeOut(
  world: World,
  loaded: LoadedCatalog,
  { list, name, scope }: { readonly list: List; readonly name: string; readonly scope: SwitchScope },
): Promise<readonly string[]> {
  const changed: string[] = []
  for (const one of scope === 'local' ? (['local'] as const) : (['local', 'user'] as const)) {
    for (const file of Object.values(settingsFilesOf(world, loaded, one))) {
      if (world.files.kind(file) === 'missing') continue
      const outcome = await editFile(world, { file, within: undefined }, (value) =>
        removals(value[list], list, name),
      )
      if (outcome === 'changed') changed.push(file)
    }
  }
  return changed
}

function removals(items: Value | undefined, list: List, name: string): readonly Change[] {
  const places = isListValue(items) ? items.flatMap((item, i) => (item === name ? [i] : [])) : []
  // From the last one on, so that the other indexes stay valid.
  return places.toReversed().map((i) => ({ kind: 'remove', path: [list, i] }))
}

async function putIn(
  world: World,
  {
    file,
    list,
    name,
    scope,
  }: { readonly file: string; readonly list: List; readonly name: string; readonly scope: SwitchScope },
): Promise<readonly string[]> {
  const outcome = await editFile(world, { file, within: undefined, mode: settingsMode(scope) }, (value) => {
    const items = isObjectValue(value) ? valueAt(value, [list]) : undefined
    const known = isListValue(items) ? items : []
    return known.includes(name) ? [] : [{ kind: 'set', path: [list, known.length], value: name }]
  })
  return outcome === 'changed' ? [file] : []
}

/** Moves the settings of a name to another name. Returns the files that changed. */
export async function renameSwitches(
  world: World,
  loaded: LoadedCatalog,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly string[]> {
  const changed: string[] = []
  for (const scope of ['local', 'user'] as const) {
    for (const file of Object.values(settingsFilesOf(world, loaded, scope))) {
      if (world.files.kind(file) === 'missing') continue
      const outcome = await editFile(world, { file, within: undefined }, (value) =>
        (['disabledServers', 'enabledServers'] as const).flatMap((list): readonly Change[] => {
          const items = value[list]
          if (!isListValue(items)) return []
          return items.flatMap((item, i) =>
            item === from ? [{ kind: 'set', path: [list, i], value: to } as const] : [],
          )
        }),
      )
      if (outcome === 'changed') changed.push(file)
    }
  }
  return changed
}
