/**
 * reload: compares the running servers with those that should run, and plans the changes. Servers are compared by
 * fingerprint: an unchanged server keeps its connection.
 */
import type { AdmittedServer, Catalog } from '../model/catalog.ts'
import type { ConnectionState } from '../model/connection.ts'
import { fingerprintOf } from '../pipeline/resolve/fingerprint.ts'

export interface ReloadSummary {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
  /** Unchanged servers that are tried again because they were not connected. */
  readonly reconnected: readonly string[]
}

export interface Running {
  readonly server: AdmittedServer
  readonly connection: { readonly state: ConnectionState }
}

export const NOTHING: ReloadSummary = { added: [], removed: [], changed: [], reconnected: [] }

/** A server whose file cannot be read now, perhaps because it is half saved, stays: the last good reading counts. */
export function planReload(
  running: readonly Running[],
  { servers: wanted, problems }: Pick<Catalog, 'servers' | 'problems'>,
): ReloadSummary {
  const broken = problems.filter(({ severity }) => severity === 'error').map(({ where }) => where?.file)
  const isLost = ({ server }: Running): boolean =>
    !broken.includes(undefined) && !broken.includes(server.found.origin.file)
  const before = new Map(running.map((one) => [one.server.name, one]))
  const names = new Set(wanted.map(({ name }) => name))
  const kept = wanted.filter(({ name }) => before.has(name))
  const same = new Set(kept.filter((server) => isSame(before.get(server.name)!.server, server)))
  const toNames = (servers: Iterable<AdmittedServer>): string[] => [...servers].map(({ name }) => name)
  return {
    added: toNames(wanted.filter(({ name }) => !before.has(name))),
    removed: running
      .filter((one) => !names.has(one.server.name) && isLost(one))
      .map((one) => one.server.name),
    changed: toNames(kept.filter((server) => !same.has(server))),
    reconnected: toNames(same).filter((name) => isDown(before.get(name)!)),
  }
}

/** Whether a new connection would be made in the same way, and treated alike. */
function isSame(a: AdmittedServer, b: AdmittedServer): boolean {
  const treatmentOf = ({
    timeoutMs,
    maxDurationMs,
    includeTools,
    excludeTools,
    required,
    confinement,
  }: AdmittedServer): string =>
    JSON.stringify([timeoutMs, maxDurationMs, includeTools, excludeTools, required, confinement])
  return fingerprintOf(a) === fingerprintOf(b) && treatmentOf(a) === treatmentOf(b)
}

function isDown({ connection: { state } }: Running): boolean {
  return state === 'waiting' || state === 'failed' || state === 'needs-auth' || state === 'closed'
}
