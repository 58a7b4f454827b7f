/**
 * last-known: how each server was when it was last connected, from the cache alone.
 *
 * never  starts or asks anything: this is what `list` shows
 */
import type { AdmittedServer } from '../model/catalog.ts'
import type { OurDirs } from '../pipeline/discover/project.ts'
import { fingerprintOf } from '../pipeline/resolve/fingerprint.ts'
import type { World } from '../world/world.ts'
import { createOfferingStore, type LastKnown } from './offering-store.ts'

/** By name, of those of which something is known. */
export function findLastKnown(
  world: World,
  dirs: OurDirs,
  servers: readonly AdmittedServer[],
): ReadonlyMap<string, LastKnown> {
  const byName = new Map<string, LastKnown[]>()
  for (const known of createOfferingStore(world, dirs).readIndex().values()) {
    byName.set(known.name, [...(byName.get(known.name) ?? []), known])
  }
  return new Map(
    servers.flatMap((server): [string, LastKnown][] => {
      const candidates = byName.get(server.name)
      if (candidates === undefined) return []
      const fingerprint = fingerprintOf(server)
      const [newest] = candidates.filter((one) => one.fingerprint === fingerprint).sort((a, b) => b.at - a.at)
      return newest === undefined ? [] : [[server.name, newest]]
    }),
  )
}
