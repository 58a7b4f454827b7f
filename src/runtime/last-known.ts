/**
 * last-known: the state of each server at its last connection, from the cache alone.
 *
 * never  starts or asks anything: `list` shows this
 */
import type { AdmittedServer } from '../model/catalog.ts'
import type { Problem } from '../model/problem.ts'
import type { OurDirs } from '../pipeline/discover/project.ts'
import { fingerprintOf } from '../pipeline/resolve/fingerprint.ts'
import type { World } from '../world/world.ts'
import { createOfferingStore, newestOf, type LastKnown } from './offering-store.ts'

export interface Memory {
  /** By name, only servers that are known. */
  readonly known: ReadonlyMap<string, LastKnown>
  readonly problems: readonly Problem[]
}

export function findLastKnown(world: World, dirs: OurDirs, servers: readonly AdmittedServer[]): Memory {
  const store = createOfferingStore(world, dirs)
  const byName = new Map<string, LastKnown[]>()
  for (const known of store.readIndex().values()) {
    byName.set(known.name, [...(byName.get(known.name) ?? []), known])
  }
  const known = new Map(
    servers.flatMap((server): [string, LastKnown][] => {
      const candidates = byName.get(server.name)
      if (candidates === undefined) return []
      const newest = newestOf(candidates, { name: server.name, fingerprint: fingerprintOf(server) })
      return newest === undefined ? [] : [[server.name, newest]]
    }),
  )
  return { known, problems: store.problems() }
}
