/**
 * own-entries: the entries of a name in files of ours, which Plugboard may change.
 *
 * never  guesses: when two files have the name, the user says which one
 */
import type { CatalogEntry } from '../../model/catalog.ts'
import type { ConfigNode, Member } from '../../model/document.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { LoadedCatalog } from '../load-catalog.ts'
import { inSeveral, notOurs, notInScope } from './own-problems.ts'
import { WRITABLE_SCOPES, type WritableScope } from './scope-file.ts'

export interface OwnEntry {
  readonly name: string
  readonly scope: WritableScope
  readonly file: string
  /** As `FileToEdit.within`. */
  readonly within: string | undefined
  /** The path of keys to the entry. */
  readonly path: readonly string[]
  readonly found: CatalogEntry
}

export function findOwn({ catalog, project }: LoadedCatalog, name: string): readonly OwnEntry[] {
  return catalog.entries.flatMap((found) => {
    const { origin, document, node, name: called } = found.entry.found
    const scope = WRITABLE_SCOPES.find((one) => one === origin.scope)
    if (called !== name || origin.source !== 'plugboard' || scope === undefined) return []
    const path = pathTo(document.root, node)
    const within = scope === 'project' ? project.realRoot : undefined
    return path === undefined ? [] : [{ name, scope, file: origin.file, within, path, found }]
  })
}

/** The one entry that the request means. Throws `manage/not-ours`, `manage/not-in-scope`, `manage/in-several`. */
export function requireOwn(
  loaded: LoadedCatalog,
  { name, scope }: { readonly name: string; readonly scope?: WritableScope | undefined },
): OwnEntry {
  const all = findOwn(loaded, name)
  const meant = scope === undefined ? all : all.filter((one) => one.scope === scope)
  const [only, ...others] = meant
  if (others.length > 0) throw new ProblemError(inSeveral(name, meant))
  if (only !== undefined) return only
  const elsewhere = loaded.catalog.entries.filter(({ entry }) => entry.found.name === name)
  throw new ProblemError(
    all.length > 0 && scope !== undefined ? notInScope(name, scope, all) : notOurs(name, elsewhere),
  )
}

/**
 * The path of keys to an entry: in files of ours a server stands at the top, or in a map there. It looks no deeper,
 * because a repository may contain a file in which that takes long.
 */
function pathTo(root: ConfigNode, wanted: ConfigNode): readonly string[] | undefined {
  for (const { key, value } of membersOf(root)) {
    if (value === wanted) return [key]
    const inner = membersOf(value).find((member) => member.value === wanted)
    if (inner !== undefined) return [key, inner.key]
  }
  return undefined
}

function membersOf(node: ConfigNode): readonly Member[] {
  return node.kind === 'object' ? node.members : []
}
