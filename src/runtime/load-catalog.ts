/**
 * load-catalog: files in, a catalog out. The first half of the data path, stage by stage.
 *
 * in     a world and the host's options
 * out    a value: every entry with its fate, the servers that may run, every place and problem
 * never  starts a server; asks the user; rejects because of what a file says
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
import { admit, findConnectorRefusal, type AdmitContext } from '../pipeline/admit/admit.ts'
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
  /** Names of servers that the host implements itself. */
  readonly native?: readonly string[] | undefined
  /** The origins where this very process serves MCP. Entries that lead there are left out. */
  readonly ownOrigins?: ReadonlySet<string> | undefined
  /** The host asked the user whether to trust the folder of the project, and the user agreed. Default: false. */
  readonly trustFolder?: boolean | undefined
  /** Whether to fetch connectors, or to use their last copies. */
  readonly connectors?: 'cached' | 'fetch' | undefined
  /** Kept by callers that load more than once: the last readable text of each file. */
  readonly readings?: Readings | undefined
}

export interface LoadedCatalog {
  readonly catalog: Catalog
  readonly project: Project
  readonly dirs: OurDirs
  readonly trustStore: TrustStore
  /**
   * The facts that the user would approve, for every server of the repository that can be approved. Each is computed
   * when called.
   */
  readonly facts: ReadonlyMap<NormalizedEntry, () => TrustFacts>
  /** The line of the settings that turns everything off. No other file was read. */
  readonly off?: Spot
  /** The style of the tool names that the model sees. */
  readonly toolNames: NameStyle
  /** The MCP registry that a setting names. */
  readonly registry?: string
  /** The model of the shell, when the settings name one. */
  readonly model?: ModelSetting
  /** How a gateway is shared, when the settings define that. */
  readonly gateway?: GatewaySetting
  /** What is wrong with the `gateway` setting. */
  readonly gatewayFault?: Problem
  /** What the repository's settings deny, once the user approves something of the repository. */
  readonly projectDeny: readonly ServerRule[]
  /** As `projectDeny`, about calls. */
  readonly projectRules: readonly PermissionRule[]
  /** The rules in force about calls. */
  readonly permissions: PermissionSettings
  /** Lines where the user enabled a server of `.mcp.json` in Claude Code. The question to the user mentions them. */
  readonly enabledElsewhere: Discovery['choices']
  /** What restricts or allows something in another agent's settings but not here: for `doctor`. */
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
  const house: AdmitContext = {
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
  const judge = (rules: AdmitContext): Choice =>
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

/**
 * What the settings of other agents deny is denied here. Their rules come after ours, so that messages name ours first.
 */
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
 * The origins of this process, and of a gateway in the background, whichever process loads. The gateway is looked up
 * only when an entry may lead to it.
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

/** The repository's requests count once the user approved something of it. */
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

/** One bad entry never stops its neighbours, and its problem says so. */
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

/** The host gets the keys only of servers that would have run without the host's own implementation. */
function nativeOf(world: World, names: ReadonlySet<string>, { servers }: Choice): Catalog['native'] {
  return servers
    .filter(({ name }) => names.has(name))
    .map((server) => {
      const key = findNativeKey(server, world.env)
      return { name: server.name, ...(key === undefined ? {} : { key }) }
    })
}

/** The result when nothing was read, or nothing could be. */
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
