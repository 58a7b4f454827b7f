/**
 * discover: finds every place on this machine that declares servers.
 *
 * in     the world, the project, our settings, and what was given with the command
 * out    every entry as found, every visited place, every file that could not be read
 * never  executes anything; reads a file that an entry names; uses the network unless the user asks for it
 */
import type { ConnectorRefusal, Place } from '../../model/catalog.ts'
import type { FoundEntry } from '../../model/entry.ts'
import type { SourceId, Spot } from '../../model/origin.ts'
import type { Problem } from '../../model/problem.ts'
import type { Connector, FoundAgentSettings } from '../../model/settings.ts'
import { ALL_SOURCES } from './all-sources.ts'
import { lookAtConnectors } from './connectors.ts'
import { lookAtDynamic, type DynamicServers } from './dynamic.ts'
import { createSite, type ForeignChoice, type SiteContext, type SiteLog } from './site.ts'

export interface DiscoverOptions extends DynamicServers {
  readonly connectors: 'cached' | 'fetch'
  /** Why Plugboard must not fetch a connector, according to the files of this machine. */
  readonly connectorRefusal: (
    connector: Connector,
    found: Pick<Discovery, 'managed' | 'policies'>,
  ) => ConnectorRefusal | undefined
}

export interface Discovery {
  readonly entries: readonly FoundEntry[]
  readonly places: readonly Place[]
  readonly problems: readonly Problem[]
  readonly choices: readonly ForeignChoice[]
  /** Settings of other agents whose deny rules also apply here. */
  readonly policies: readonly FoundAgentSettings[]
  /** The managed list in force, if there is one. It then replaces all other sources. */
  readonly managed?: Spot & { readonly source: SourceId }
}

export async function discover(context: SiteContext, options: DiscoverOptions): Promise<Discovery> {
  const { log, settings } = context
  const entries = [...(await lookAtDynamic(context, options))]
  for (const source of ALL_SOURCES) {
    // The faults of a source that is turned off do not matter, so they are dropped. But each entry that it declares
    // still needs a fate.
    const isOff = settings.sourcesOff.has(source.id)
    const quiet: SiteLog = { ...log, problems: [], choices: [] }
    const site = createSite(isOff ? { ...context, log: quiet } : context, source.id)
    for (const entry of await source.look(site)) entries.push(entry)
  }
  const managed = findManaged(log)
  const policies = log.policies.filter(
    ({ source, level }) => level === 'managed' || !settings.sourcesOff.has(source),
  )
  const said = { policies, ...(managed === undefined ? {} : { managed }) }
  const refusalOf = (connector: Connector): ConnectorRefusal | undefined =>
    options.connectorRefusal(connector, said)
  for (const entry of await lookAtConnectors(context, options.connectors, refusalOf)) entries.push(entry)
  const places = [...log.places.values()]
  return {
    entries: settings.switches.size === 0 ? entries : entries.map((entry) => applySwitch(context, entry)),
    places,
    problems: log.problems,
    choices: log.choices,
    ...said,
  }
}

function findManaged({ places }: SiteLog): Discovery['managed'] {
  const managed = [...places.values()].find(
    ({ scope, exists, file }) => scope === 'managed' && exists && file.endsWith('managed-mcp.json'),
  )
  return managed === undefined ? undefined : { file: managed.file, source: managed.source }
}

/** A switch in our settings applies to every file except the organisation's. */
function applySwitch({ settings }: SiteContext, entry: FoundEntry): FoundEntry {
  const said = settings.switches.get(entry.name)
  if (said === undefined || entry.origin.scope === 'managed') return entry
  return {
    ...entry,
    switch: { ...said, reason: `it is in \`${said.to === 'off' ? 'disabledServers' : 'enabledServers'}\`` },
  }
}

export function createLog(readings?: SiteLog['readings']): SiteLog {
  return { readings, files: new Map(), places: new Map(), problems: [], choices: [], policies: [] }
}
