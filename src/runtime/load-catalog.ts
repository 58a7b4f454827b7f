/**
 * load-catalog: files in, a catalog out. The first half of the path of the data, in its order.
 *
 * in     a world and what the host asked for
 * out    a value: every entry with its fate, the servers that may run, every place and problem
 * never  starts a server, asks a person, or rejects because of what some file says
 */
import type { Catalog } from '../model/catalog.ts'
import type { NormalizedEntry } from '../model/entry.ts'
import type { Spot } from '../model/origin.ts'
import type { Policy } from '../model/policy.ts'
import type { Project } from '../model/project.ts'
import type { Settings } from '../model/settings.ts'
import type { ProjectTrust, TrustFacts, TrustStore } from '../model/trust.ts'
import { admit, type TrustOfEntry } from '../pipeline/admit/admit.ts'
import { findExecutable } from '../pipeline/admit/executable.ts'
import { compareFacts, toTrustFacts } from '../pipeline/admit/trust.ts'
import { choose } from '../pipeline/choose/choose.ts'
import { createLog, discover, type Discovery } from '../pipeline/discover/discover.ts'
import { findOurDirs, findProject, type OurDirs } from '../pipeline/discover/project.ts'
import { discoverSettings } from '../pipeline/discover/settings.ts'
import { normalize } from '../pipeline/normalize/normalize.ts'
import { normalizeSettings } from '../pipeline/normalize/settings.ts'
import { findNativeKey } from '../pipeline/resolve/native-key.ts'
import type { World } from '../world/world.ts'
import { readTrust, trustFile } from './trust-store.ts'

export interface LoadOptions {
  /** False: read no file, give an empty catalog. */
  readonly enabled?: boolean | undefined
  /** Use only `mcpConfig` and `servers`. */
  readonly strict?: boolean | undefined
  /** Files or JSON texts. */
  readonly mcpConfig?: readonly string[] | undefined
  /** Entries as they would stand under `mcpServers`. */
  readonly servers?: Readonly<Record<string, unknown>> | undefined
  /** Names of servers the host implements itself. */
  readonly native?: readonly string[] | undefined
  /** Whether connectors may be fetched, or their last copies serve. */
  readonly connectors?: 'cached' | 'fetch' | undefined
}

export interface LoadedCatalog {
  readonly catalog: Catalog
  readonly project: Project
  readonly dirs: OurDirs
  readonly trustStore: TrustStore
  /** What the user would approve, for every server of the repository that can be approved. */
  readonly facts: ReadonlyMap<NormalizedEntry, TrustFacts>
  /** The line of the settings that turns everything off; no other file was read. */
  readonly off?: Spot
  /** Lines where the user enabled a server of `.mcp.json` in Claude Code: a note in the question. */
  readonly enabledElsewhere: Discovery['choices']
}

export async function loadCatalog(world: World, options: LoadOptions = {}): Promise<LoadedCatalog> {
  const project = findProject(world)
  const dirs = findOurDirs(world, project)
  const log = createLog()
  if (options.enabled === false) return emptyCatalog(project, dirs)

  const settings = normalizeSettings(await discoverSettings(world, { project, dirs, log }))
  if (settings.off !== undefined) return { ...emptyCatalog(project, dirs), off: settings.off }

  const { mcpConfig = [], servers = {}, connectors = 'cached' } = options
  const found = await discover({ world, project, dirs, settings, log }, { mcpConfig, servers, connectors })
  const entries = found.entries.map((entry) => normalize(entry, world))

  const stored = readTrust(world, trustFile(world, dirs))
  const decided = stored.store.projects.get(project.realRoot) ?? new Map()
  const isApproved = [...decided.values()].flat().some(({ decision }) => decision === 'approved')
  const facts = factsOf(world, entries)
  const house = {
    settings,
    policy: policyOf(settings, isApproved),
    isStrict: options.strict === true,
    native: new Set(options.native),
    env: world.env,
    ...(found.managed === undefined ? {} : { managed: found.managed }),
  }
  const known = { facts, factsByName: byName(facts), decided, choices: found.choices }
  const admissions = entries.map((entry) => admit(entry, house, trustOf(entry, known)))
  const chosen = choose(admissions, world.env)

  const problems = [
    ...found.problems,
    ...settings.problems,
    ...(stored.problem === undefined ? [] : [stored.problem]),
  ]
  const native = nativeOf(world, chosen.entries)
  return {
    catalog: { ...chosen, problems, places: found.places, native },
    project,
    dirs,
    trustStore: stored.store,
    facts,
    enabledElsewhere: found.choices.filter(({ decision }) => decision === 'enabled'),
  }
}

/** What the repository asks for counts once its user approved something of it. */
function policyOf(settings: Settings, isProjectApproved: boolean): Policy {
  const { policy, projectDeny } = settings
  return isProjectApproved ? { ...policy, deny: [...policy.deny, ...projectDeny] } : policy
}

function factsOf(
  world: World,
  entries: readonly NormalizedEntry[],
): ReadonlyMap<NormalizedEntry, TrustFacts> {
  const facts = new Map<NormalizedEntry, TrustFacts>()
  for (const entry of entries) {
    if (entry.found.origin.scope !== 'project' || entry.kind !== 'definition') continue
    const { transport } = entry.definition
    const executable =
      transport.type === 'stdio' ? findExecutable(world, transport, entry.found.baseDir) : undefined
    facts.set(entry, toTrustFacts(entry.definition, executable))
  }
  return facts
}

interface KnownTrust {
  readonly facts: LoadedCatalog['facts']
  readonly factsByName: ReadonlyMap<string, readonly TrustFacts[]>
  readonly decided: ProjectTrust
  readonly choices: Discovery['choices']
}

function trustOf(entry: NormalizedEntry, known: KnownTrust): TrustOfEntry {
  const { facts, factsByName, decided, choices } = known
  const { name, origin } = entry.found
  const all = decided.get(name) ?? []
  const today = factsByName.get(name) ?? []
  const stale = all.filter((one) => !today.some((own) => compareFacts(one.facts, own).length === 0))
  const own = facts.get(entry)
  // Claude Code asks about `.mcp.json` alone.
  const isShared = origin.source === 'mcp-json'
  const declined = isShared
    ? choices.find((one) => one.decision === 'disabled' && one.server === name)
    : undefined
  return {
    decisions: { all, stale },
    ...(own === undefined ? {} : { facts: own }),
    ...(declined === undefined ? {} : { declinedElsewhere: declined.by }),
  }
}

function byName(facts: LoadedCatalog['facts']): ReadonlyMap<string, readonly TrustFacts[]> {
  const named = new Map<string, TrustFacts[]>()
  for (const [{ found }, own] of facts) named.set(found.name, [...(named.get(found.name) ?? []), own])
  return named
}

/** The keys go to the host only from entries that would otherwise have run. */
function nativeOf(world: World, entries: Catalog['entries']): Catalog['native'] {
  return entries
    .filter(({ entry, fate }) => {
      const isNative = fate.kind === 'excluded' && fate.by.rule === 'native'
      return isNative && entry.kind === 'definition' && entry.found.origin.scope !== 'project'
    })
    .map(({ entry }) => {
      const key = entry.kind === 'definition' ? findNativeKey(entry.definition, world.env) : undefined
      return { name: entry.found.name, ...(key === undefined ? {} : { key }) }
    })
}

function emptyCatalog(project: Project, dirs: OurDirs): LoadedCatalog {
  return {
    catalog: { entries: [], servers: [], problems: [], places: [], native: [] },
    project,
    dirs,
    trustStore: { projects: new Map() },
    facts: new Map(),
    enabledElsewhere: [],
  }
}
