/**
 * trust-fingerprint: identifies a server in a few characters, so that an approval of one server does not hold for
 * another.
 *
 * in     a server of a loaded catalog
 * out    a hash of command, program, arguments, URL, names and values of variables and headers
 * never  is computed before it is needed: looking for a program takes longer than a whole line of `plugboard list`
 */
import type { ServerDefinition } from '../model/definition.ts'
import type { FoundEntry } from '../model/entry.ts'
import { fingerprintOfTrust } from '../pipeline/admit/trust.ts'
import type { World } from '../world/world.ts'
import { factsOfServer } from './known-trust.ts'
import type { LoadedCatalog } from './load-catalog.ts'

/** By name; undefined for a server that may not run. */
export type FingerprintOf = (server: string) => string | undefined

export function createFingerprints(world: World, { catalog }: Pick<LoadedCatalog, 'catalog'>): FingerprintOf {
  const known = new Map<string, string>()
  return (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    const server = catalog.servers.find((one) => one.name === name)
    if (server === undefined) return undefined
    const { found, approvedEnvFile: _, confinement: __, ...definition } = server
    const fingerprint = fingerprintOfServer(world, definition, found)
    known.set(name, fingerprint)
    return fingerprint
  }
}

export function fingerprintOfServer(
  world: World,
  definition: ServerDefinition,
  found: Pick<FoundEntry, 'baseDir' | 'dialect' | 'origin'>,
): string {
  return fingerprintOfTrust(factsOfServer(world, definition, found), found.origin.scope)
}
