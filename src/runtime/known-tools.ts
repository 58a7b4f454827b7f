/**
 * known-tools: what servers offered at the last connection, from the cache alone.
 *
 * never  starts or asks anything
 */
import type { AdmittedServer } from '../model/catalog.ts'
import type { ListedTool } from '../model/offering.ts'
import type { ToolToCall } from '../model/permission.ts'
import { NAME_STYLES, type NameStyle } from '../model/settings.ts'
import { applyFilters } from '../pipeline/list/filter.ts'
import { nameOf } from '../pipeline/name/name.ts'
import { fingerprintOf } from '../pipeline/resolve/fingerprint.ts'
import type { World } from '../world/world.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import { createOfferingStore } from './offering-store.ts'

export interface KnownTools {
  readonly server: AdmittedServer
  readonly tools: readonly ListedTool[]
}

/** The tools of every server that may run and that the cache knows. */
export function findKnownTools(
  world: World,
  { catalog, dirs }: Pick<LoadedCatalog, 'catalog' | 'dirs'>,
): readonly KnownTools[] {
  const store = createOfferingStore(world, dirs)
  const index = [...store.readIndex()]
  return catalog.servers.flatMap((server) => {
    const namesakes = index.filter(([, known]) => known.name === server.name && known.listed !== undefined)
    if (namesakes.length === 0) return []
    const fingerprint = fingerprintOf(server)
    const [newest] = namesakes
      .filter(([, known]) => known.fingerprint === fingerprint)
      .sort(([, a], [, b]) => b.listed!.at - a.listed!.at)
    const stored = newest === undefined ? undefined : store.readOffering(newest[0])
    return stored === undefined ? [] : [{ server, tools: applyFilters(stored.offering, server).tools }]
  })
}

/** As a board would list it. */
export function toToolToCall(server: string, definition: ListedTool, style: NameStyle): ToolToCall {
  const tool = definition.name
  return { server, tool, name: nameOf(server, tool, style), definition }
}

/** What the user may type for a tool: its name in any style, as a model sees it or raw, or `server.tool`. */
export function typedNamesOf({ server, tool }: Pick<ToolToCall, 'server' | 'tool'>): readonly string[] {
  const shown = NAME_STYLES.map((style) => nameOf(server, tool, style))
  return [...shown, ...rawStartsOf(server).map((start) => `${start}${tool}`)]
}

/** The part of a name before the tool, when the name needed no change. */
export function rawStartsOf(server: string): readonly string[] {
  return [`mcp__${server}__`, `${server}__`, `mcp_${server}_`, `${server}.`]
}
