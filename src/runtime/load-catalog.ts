/**
 * load-catalog: files in, a catalog out. The first half of the path of the data, in its order.
 *
 * in     a world and what the host asked for
 * out    a value: every entry with its fate, the servers that may run, every place and problem
 * never  starts a server, asks a person, or rejects because of what some file says
 */
import type { GatewaySetting } from '../model/gateway-setting.ts'
import type { Problem } from '../model/problem.ts'
import type { Catalog } from '../model/catalog.ts'
import { originOf } from '../model/signature.ts'
import type { NormalizedEntry } from '../model/entry.ts'
import type { Spot } from '../model/origin.ts'
import type { PermissionRule, PermissionSettings } from '../model/permission.ts'
import type { Level, Policy, ServerRule } from '../model/policy.ts'
import type { Project } from '../model/project.ts'
import type { Readings } from '../model/readings.ts'
import type { ModelSetting, NameStyle, Settings } from '../model/settings.ts'
import type { TrustFacts, TrustStore } from '../model/trust.ts'
import { admit, findConnectorRefusal, type House } from '../pipeline/admit/admit.ts'
import { choose, type Choice } from '../pipeline/choose/choose.ts'
import { createLog, discover, type Discovery } from '../pipeline/discover/discover.ts'
import { findOurDirs, findProject, type OurDirs } from '../pipeline/discover/project.ts'
import { discoverSettings } from '../pipeline/discover/settings.ts'
import { readAgentPolicies, type AgentPolicies } from '../pipeline/normalize/agent-policies.ts'
import { normalize } from '../pipeline/normalize/normalize.ts'
import { normalizeSettings } from '../pipeline/normalize/settings.ts'
import { findNativeKey } from '../pipeline/resolve/native-key.ts'
import type { World } from '../world/world.ts'
import { originsOfRunning } from './gateway-record.ts'
import { findFolderTrust } from './folder-trust.ts'
import { findTrust } from './known-trust.ts'
import { findUnusableFolders } from './our-folders.ts'
import { readTrust, trustFile } from './trust-store.ts'

export interface LoadOptions {
  /** False: read no file, give an empty catalog. */
  readonly enabled?: boolean | undefined
  /** Use only `mcpConfig` and `servers`. */
  readonly strict?: boolean | undefined
  /** Files or JSON texts. */
  readonly mcpConfig?: string | readonly string[] | undefined
  /** Entries as they would stand under `mcpServers`. */
  readonly servers?: Readonly<Record<string, unknown>> | undefined
  /** Names of servers the host implements itself. */
  readonly native?: readonly string[] | undefined
  /** Where this very process serves MCP, as origins: entries that lead there are left out. */
  readonly ownOrigins?: ReadonlySet<string> | undefined
  /** The host has asked whether the folder of the project is to be trusted, and its user said yes. Default: false. */
  readonly trustFolder?: boolean | undefined
  /** Whether connectors may be fetched, or their last copies serve. */
  readonly connectors?: 'cached' | 'fetch' | undefined
  /** Kept by whoever loads more than once: what each file said when it could last be read. */
  readonly readings?: Readings | undefined
}

export interface LoadedCatalog {
  readonly catalog: Catalog
  readonly project: Project
  readonly dirs: OurDirs
  readonly trustStore: TrustStore
  /** What the user would approve, for every server of the repository that can be approved: looked up when it is asked. */
  readonly facts: ReadonlyMap<NormalizedEntry, () => TrustFacts>
  /** The line of the settings that turns everything off; no other file was read. */
  readonly off?: Spot
  /** How the model sees tools called. */
  readonly toolNames: NameStyle
  /** The MCP registry that a setting names. */
  readonly registry?: string
  /** The one that the shell talks to, when the settings name one. */
  readonly model?: ModelSetting
  /** How a gateway is shared, when the settings say so. */
  readonly gateway?: GatewaySetting
  /** What is wrong with it. */
  readonly gatewayFault?: Problem
  /** What the repository's settings deny, as soon as something of it is approved. */
  readonly projectDeny: readonly ServerRule[]
  /** As `projectDeny`, about calls. */
  readonly projectRules: readonly PermissionRule[]
  /** What is in force about calls. */
  readonly permissions: PermissionSettings
  /** Lines where the user enabled a server of `.mcp.json` in Claude Code: a note in the question. */
  readonly enabledElsewhere: Discovery['choices']
  /** What restricts or allows something in another agent's settings and not here: for `doctor`. */
  readonly notApplied: readonly Problem[]
}

export async function loadCatalog(world: World, options: LoadOptions = {}): Promise<LoadedCatalog> {
  const project = findProject(world)
  const dirs = findOurDirs(world, project)
  const log = createLog(options.readings)
  if (options.enabled === false) return emptyCatalog(world)

  const ours = normalizeSettings(await discoverSettings(world, { project, dirs, log }))
  if (ours.off !== undefined) return { ...emptyCatalog(world), off: ours.off }

  const { servers = {}, connectors = 'cached' } = options
  const mcpConfig = typeof options.mcpConfig === 'string' ? [options.mcpConfig] : (options.mcpConfig ?? [])
  const isStrict = options.strict === true
  const settingsFileOf = (level: Level): string =>
    world.paths.join(
      {
        managed: dirs.managed,
        user: dirs.config,
        local: dirs.local,
        project: world.paths.join(project.root, '.plugboard'),
      }[level],
      'settings.json',
    )
  const found = await discover(
    { world, project, dirs, settings: ours, log },
    {
      mcpConfig,
      servers,
      connectors,
      connectorRefusal: (connector, { managed, policies }) => {
        const { policy } = withAgentPolicies(ours, readAgentPolicies(policies, settingsFileOf))
        return findConnectorRefusal(connector, {
          settings: ours,
          policy,
          isStrict,
          env: world.env,
          ...(managed === undefined ? {} : { managed }),
        })
      },
    },
  )
  const ofAgents = readAgentPolicies(found.policies, settingsFileOf)
  const settings = withAgentPolicies(ours, ofAgents)
  const entries = withNeighbours(found.entries.map((entry) => normalize(entry, world)))

  const stored = readTrust(world, trustFile(world, dirs), options.readings)
  const decided = stored.store.projects.get(project.realRoot) ?? new Map()
  const folder = findFolderTrust(world, project, {
    store: stored.store,
    isTrustedByHost: options.trustFolder === true,
  })
  const trust = findTrust(world, entries, { decided, choices: found.choices })
  const house: House = {
    settings,
    policy: policyOf(settings, trust.isProjectApproved),
    isStrict,
    native: new Set(options.native),
    ownOrigins: gatewaysAmong(world, entries, options.ownOrigins),
    env: world.env,
    world,
    folder,
    ...(found.managed === undefined ? {} : { managed: found.managed }),
  }
  const judge = (rules: House): Choice =>
    choose(
      entries.map((entry) => admit(entry, rules, trust.of(entry))),
      world.env,
    )
  const chosen = judge(house)

  const problems = [
    ...findUnusableFolders(world, dirs),
    ...found.problems,
    ...settings.problems,
    ...ofAgents.problems,
    ...(stored.problem === undefined ? [] : [stored.problem]),
  ]
  const native =
    house.native.size === 0 ? [] : nativeOf(world, house.native, judge({ ...house, native: new Set() }))
  return {
    catalog: { ...chosen, problems, places: found.places, native, folder },
    project,
    dirs,
    trustStore: stored.store,
    facts: trust.facts,
    toolNames: settings.toolNames ?? 'double',
    ...(settings.registry === undefined ? {} : { registry: settings.registry }),
    ...(settings.model === undefined ? {} : { model: settings.model }),
    ...(settings.gateway === undefined ? {} : { gateway: settings.gateway }),
    ...(settings.gatewayFault === undefined ? {} : { gatewayFault: settings.gatewayFault }),
    projectDeny: settings.projectDeny,
    projectRules: settings.projectRules,
    permissions: permissionsOf(settings, trust.isProjectApproved),
    enabledElsewhere: found.choices.filter(({ decision }) => decision === 'enabled'),
    notApplied: ofAgents.notApplied,
  }
}

/** What the settings of other agents deny is denied here; theirs come after ours, so that ours are named first. */
function withAgentPolicies(settings: Settings, ofAgents: AgentPolicies): Settings {
  const { policy, permissions } = settings
  const broken = policy.broken ?? ofAgents.broken
  return {
    ...settings,
    policy: {
      ...policy,
      deny: [...policy.deny, ...ofAgents.deny],
      ...(broken === undefined ? {} : { broken }),
    },
    permissions: { ...permissions, rules: [...permissions.rules, ...ofAgents.rules] },
    projectDeny: [...settings.projectDeny, ...ofAgents.projectDeny],
    projectRules: [...settings.projectRules, ...ofAgents.projectRules],
  }
}

/**
 * Where this process serves, and where a gateway in the background does, whoever looks. That one is looked for only
 * where an entry may lead to it.
 */
function gatewaysAmong(
  world: World,
  entries: readonly NormalizedEntry[],
  own: ReadonlySet<string> = new Set(),
): ReadonlySet<string> {
  const mayLeadThere = entries.some(
    (entry) => entry.kind === 'definition' && originOf(entry.definition, world.env) !== undefined,
  )
  return mayLeadThere ? new Set([...own, ...originsOfRunning(world)]) : own
}

/** What the repository asks for counts once its user approved something of it. */
function policyOf(settings: Settings, isProjectApproved: boolean): Policy {
  const { policy, projectDeny } = settings
  return isProjectApproved ? { ...policy, deny: [...policy.deny, ...projectDeny] } : policy
}

function permissionsOf(
  { permissions, projectRules }: Settings,
  isProjectApproved: boolean,
): PermissionSettings {
  return isProjectApproved ? { ...permissions, rules: [...permissions.rules, ...projectRules] } : permissions
}

/** One bad entry never takes its neighbours down, and its problem says so. */
function withNeighbours(entries: readonly NormalizedEntry[]): readonly NormalizedEntry[] {
  if (!entries.some(({ kind }) => kind === 'invalid')) return entries
  const good = new Map<string, number>()
  for (const { found, kind } of entries) {
    if (kind === 'definition') good.set(found.origin.file, (good.get(found.origin.file) ?? 0) + 1)
  }
  return entries.map((entry) => {
    const others = good.get(entry.found.origin.file) ?? 0
    if (entry.kind !== 'invalid' || others === 0) return entry
    const note =
      others === 1
        ? 'the other server in this file was loaded'
        : `the other ${others} servers in this file were loaded`
    return { ...entry, problems: entry.problems.map((one) => ({ ...one, notes: [...one.notes, note] })) }
  })
}

/** The keys go to the host only from servers that would have run if it did not implement them. */
function nativeOf(world: World, names: ReadonlySet<string>, { servers }: Choice): Catalog['native'] {
  return servers
    .filter(({ name }) => names.has(name))
    .map((server) => {
      const key = findNativeKey(server, world.env)
      return { name: server.name, ...(key === undefined ? {} : { key }) }
    })
}

/** Nothing was read, or nothing could be. */
export function emptyCatalog(world: World): LoadedCatalog {
  const project = findProject(world)
  return {
    catalog: {
      entries: [],
      servers: [],
      problems: [],
      places: [],
      native: [],
      folder: { path: project.realRoot, names: [project.root], decision: 'unknown' },
    },
    project,
    dirs: findOurDirs(world, project),
    trustStore: { projects: new Map(), folders: new Map() },
    facts: new Map(),
    toolNames: 'double',
    projectDeny: [],
    projectRules: [],
    permissions: { rules: [] },
    enabledElsewhere: [],
    notApplied: [],
  }
}
