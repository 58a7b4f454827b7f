/**
 * catalog-changes: two catalogs, one loaded after the other → the differences.
 *
 * in     the catalog before, the catalog now
 * out    a list: entries that were added, removed or changed; changed fates; files that became unreadable or readable
 * never  names a change without effect, such as a file that was only formatted
 */
import { toStableJson } from '../base/stable-json.ts'
import type { CatalogEntry, Fate } from '../model/catalog.ts'
import { originalText, type NormalizedEntry } from '../model/entry.ts'
import type { Spot } from '../model/origin.ts'
import type { Problem } from '../model/problem.ts'
import { toDefinitionJson } from './definition-json.ts'
import type { LoadedCatalog } from './load-catalog.ts'

export type CatalogChange =
  | { readonly kind: 'added' | 'removed' | 'changed'; readonly entry: CatalogEntry }
  /** The same entry with another fate. */
  | { readonly kind: 'fate'; readonly entry: CatalogEntry; readonly was: Fate }
  /** A file is read in its current state again, after a time in which it could not be read. */
  | { readonly kind: 'fresh'; readonly where: Spot }
  | { readonly kind: 'problem'; readonly problem: Problem }
  /** The rules about calls changed. */
  | { readonly kind: 'permissions' }

export function compareCatalogs(before: LoadedCatalog, now: LoadedCatalog): readonly CatalogChange[] {
  return [
    ...compareEntries(before.catalog.entries, now.catalog.entries),
    ...findFresh(before, now),
    ...findProblems(before, now),
    ...(isSamePermissions(before, now) ? [] : [{ kind: 'permissions' } as const]),
  ]
}

function compareEntries(
  before: readonly CatalogEntry[],
  now: readonly CatalogEntry[],
): readonly CatalogChange[] {
  const [known, there] = [byPlace(before), byPlace(now)]
  return [
    ...now.flatMap((entry): CatalogChange[] => {
      const old = known.get(placeOf(entry))
      if (old === undefined) return [{ kind: 'added', entry }]
      if (contentOf(old.entry) !== contentOf(entry.entry)) return [{ kind: 'changed', entry }]
      return isSameFate(old.fate, entry.fate) ? [] : [{ kind: 'fate', entry, was: old.fate }]
    }),
    ...before
      .filter((entry) => !there.has(placeOf(entry)))
      .map((entry): CatalogChange => ({ kind: 'removed', entry })),
  ]
}

function byPlace(entries: readonly CatalogEntry[]): ReadonlyMap<string, CatalogEntry> {
  return new Map(entries.map((entry) => [placeOf(entry), entry]))
}

function placeOf({ entry: { found } }: CatalogEntry): string {
  const { source, scope, file } = found.origin
  return JSON.stringify([found.name, source, scope, file])
}

/** The content, without its white space. For an entry that is not understood, the text. */
function contentOf(entry: NormalizedEntry): string {
  if (entry.kind !== 'definition') return originalText(entry.found)
  return toStableJson(toDefinitionJson(entry.definition, 'templates'))
}

/** The decision may stand in another line of the same file now. That is the same fate. */
function isSameFate(a: Fate, b: Fate): boolean {
  const deciderOf = (fate: Fate): string | undefined => ('by' in fate ? fate.by?.file : undefined)
  return a.kind === b.kind && deciderOf(a) === deciderOf(b)
}

function findFresh(before: LoadedCatalog, now: LoadedCatalog): readonly CatalogChange[] {
  const stale = staleFiles(now)
  return [...staleFiles(before)]
    .filter((file) => !stale.has(file))
    .map((file) => ({ kind: 'fresh', where: { file } }))
}

function staleFiles({ catalog }: LoadedCatalog): ReadonlySet<string> {
  const isStale = ({ code }: Problem): boolean => code === 'discover/stale' || code === 'trust/stale'
  return new Set(catalog.problems.filter(isStale).flatMap(({ where }) => where?.file ?? []))
}

function findProblems(before: LoadedCatalog, now: LoadedCatalog): readonly CatalogChange[] {
  const keyOf = ({ code, message, where }: Problem): string => JSON.stringify([code, message, where?.file])
  const known = new Set(before.catalog.problems.map(keyOf))
  return now.catalog.problems
    .filter((problem) => !known.has(keyOf(problem)))
    .map((problem) => ({ kind: 'problem', problem }))
}

function isSamePermissions(before: LoadedCatalog, now: LoadedCatalog): boolean {
  const rulesOf = ({ permissions }: LoadedCatalog): string =>
    JSON.stringify([
      permissions.rules.map(({ tool, action, level, reason }) => [tool, action, level, reason]),
      permissions.plan !== undefined,
      permissions.broken?.code,
    ])
  return rulesOf(before) === rulesOf(now)
}
