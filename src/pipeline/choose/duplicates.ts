/**
 * duplicates: connects the same server under two names only once.
 *
 * in     the admitted holders of their names
 * out    for each that gives way: its fate, with the server that it duplicates
 * never  lets an entry that will not run displace one that would
 */
import type { Admission, Fate } from '../../model/catalog.ts'
import type { Scope } from '../../model/origin.ts'
import { fullSignatureOf, signatureOf } from '../../model/signature.ts'
import type { Env } from '../../world/world.ts'
import { byPlace } from './precedence.ts'

type Admitted = Extract<Admission, { kind: 'admitted' }>

export function findDuplicates(holders: readonly Admitted[], env: Env): ReadonlyMap<Admission, Fate> {
  const fates = new Map<Admission, Fate>()
  const groups = new Map<string, Admitted[]>()
  for (const holder of holders) {
    const signature = signatureOf(holder.server, env)
    if (signature === undefined) continue
    const group = groups.get(signature)
    if (group === undefined) groups.set(signature, [holder])
    else group.push(holder)
  }
  for (const group of groups.values()) {
    if (group.length > 1) settle(group.toSorted(byPlaceThenLine), fates, env)
  }
  return fates
}

/** The holders of one signature, highest first. */
function settle([first, ...rest]: readonly Admitted[], fates: Map<Admission, Fate>, env: Env): void {
  const kept = new Map([[fullSignatureOf(first!.server, env), first!]])
  for (const holder of rest) {
    const full = fullSignatureOf(holder.server, env)
    const twin = kept.get(full)
    const isImported = twin !== undefined && sourceOf(twin) !== sourceOf(holder)
    const winner = givesWay(holder, first!) ? first : isImported ? twin : undefined
    if (winner !== undefined) fates.set(holder, duplicateOf(winner))
    else if (twin === undefined) kept.set(full, holder)
  }
}

/** The later entry gives way. */
function byPlaceThenLine(a: Admission, b: Admission): number {
  return byPlace(a, b) || a.entry.found.node.start - b.entry.found.node.start
}

/** A plugin's server yields to a manual one and to an earlier plugin's; a connector's yields to a manual one. */
function givesWay(holder: Admitted, rival: Admitted): boolean {
  if (scopeOf(holder) === 'plugin') return true
  return scopeOf(holder) === 'connector' && scopeOf(rival) !== 'plugin' && scopeOf(rival) !== 'connector'
}

function duplicateOf({ entry }: Admitted): Fate {
  const { name, origin } = entry.found
  return { kind: 'duplicate', by: { ...origin, name }, reason: `the same server as \`${name}\`` }
}

function scopeOf({ entry }: Admission): Scope {
  return entry.found.origin.scope
}

function sourceOf({ entry }: Admission): string {
  return entry.found.origin.source
}
