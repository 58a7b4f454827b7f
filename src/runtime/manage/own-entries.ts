/**
 * own-entries: the entries of a name that stand in files of ours, which we may change.
 *
 * never  guesses: where two places have the name, the user says which
 */
import type { CatalogEntry } from '../../model/catalog.ts'
import type { ConfigNode } from '../../model/document.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { LoadedCatalog } from '../load-catalog.ts'
import { inSeveral, notOurs, notInScope } from './own-problems.ts'
import { WRITABLE_SCOPES, type WritableScope } from './scope-file.ts'

export interface OwnEntry {
  readonly name: string
  readonly scope: WritableScope
  readonly file: string
  /** The keys that lead to it. */
  readonly path: readonly string[]
  readonly found: CatalogEntry
}

export function findOwn({ catalog }: LoadedCatalog, name: string): readonly OwnEntry[] {
  return catalog.entries.flatMap((found) => {
    const { origin, document, node, name: called } = found.entry.found
    const scope = WRITABLE_SCOPES.find((one) => one === origin.scope)
    const path = called === name ? pathTo(document.root, node) : undefined
    if (origin.source !== 'plugboard' || scope === undefined || path === undefined) return []
    return [{ name, scope, file: origin.file, path, found }]
  })
}

/** The one that is meant. Throws `manage/not-ours`, `manage/not-in-scope`, `manage/in-several`. */
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

/** By which keys a value is reached; undefined when it is in a list. */
function pathTo(from: ConfigNode, wanted: ConfigNode): readonly string[] | undefined {
  if (from === wanted) return []
  if (from.kind !== 'object') return undefined
  for (const { key, value } of from.members) {
    const rest = pathTo(value, wanted)
    if (rest !== undefined) return [key, ...rest]
  }
  return undefined
}
