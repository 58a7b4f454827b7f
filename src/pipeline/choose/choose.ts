/**
 * choose: chooses one server for each name, and one connection for each server.
 *
 * in     the admission of every entry, in any order
 * out    every entry with exactly one fate, and the chosen servers
 * never  reads a file or the clock; depends on the order of its input; drops an entry
 */
import type { Admission, AdmittedServer, CatalogEntry } from '../../model/catalog.ts'
import type { Env } from '../../world/world.ts'
import { findDuplicates } from './duplicates.ts'
import { byPrecedence } from './precedence.ts'

export interface Choice {
  /** By name, then precedence, highest first. */
  readonly entries: readonly CatalogEntry[]
  /** By name. */
  readonly servers: readonly AdmittedServer[]
}

export function choose(admissions: readonly Admission[], env: Env): Choice {
  const sorted = admissions.toSorted(
    (a, b) => compareText(a.entry.found.name, b.entry.found.name) || byPrecedence(a, b),
  )
  const holders = findHolders(sorted)
  const duplicates = findDuplicates(
    [...holders.values()].filter((one) => one.kind === 'admitted'),
    env,
  )
  const entries = sorted.map((admission): CatalogEntry => {
    const { entry } = admission
    if (admission.kind === 'aside') return { entry, fate: admission.fate }
    const holder = holders.get(entry.found.name)!
    if (holder !== admission) return { entry, fate: shadowedBy(holder) }
    if (admission.kind === 'barred') return { entry, fate: admission.fate }
    return { entry, fate: duplicates.get(admission) ?? { kind: 'chosen' } }
  })
  const servers = sorted.flatMap((admission, i) =>
    admission.kind === 'admitted' && entries[i]!.fate.kind === 'chosen' ? [admission.server] : [],
  )
  return { entries, servers }
}

/** The holder of each name: the highest entry that did not step aside. */
function findHolders(sorted: readonly Admission[]): ReadonlyMap<string, Admission> {
  const holders = new Map<string, Admission>()
  for (const admission of sorted) {
    const { name } = admission.entry.found
    if (admission.kind !== 'aside' && !holders.has(name)) holders.set(name, admission)
  }
  return holders
}

function shadowedBy({ entry }: Admission): CatalogEntry['fate'] {
  const { origin } = entry.found
  return { kind: 'shadowed', by: origin, reason: 'another declaration of this name stands higher' }
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
