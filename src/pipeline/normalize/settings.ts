/**
 * settings: reads settings files into one value.
 *
 * in     the files as found, highest level first
 * out    one Settings value; a policy that cannot be understood is marked, so that it admits nothing
 * never  lets a file in a repository loosen anything: only its rules that deny or ask count
 */
import { findMember, toText, type ConfigNode, type Member } from '../../model/document.ts'
import { SOURCES_HIGH_TO_LOW, type SourceId, type Spot } from '../../model/origin.ts'
import type { GatewaySetting } from '../../model/gateway-setting.ts'
import type { AllowList, Level, ServerRule } from '../../model/policy.ts'
import type { PermissionRule } from '../../model/permission.ts'
import type { Problem } from '../../model/problem.ts'
import {
  NAME_STYLES,
  type Connector,
  type FoundSettings,
  type ModelSetting,
  type NameStyle,
  type Settings,
} from '../../model/settings.ts'
import type { Template } from '../../model/template.ts'
import { createWarning } from '../../problem/problem.ts'
import { findNearest } from '../../base/edit-distance.ts'
import { PLAIN, toTemplate } from './expand.ts'
import { scalarText } from './fields.ts'
import { readGateway } from './gateway-setting.ts'
import { readModel } from './model-setting.ts'
import { readPermissions } from './permissions.ts'
import { SERVER_RULE_FORMS, toServerMatch } from './server-match.ts'
import {
  emptyAllowList,
  malformed,
  misspelt,
  notHere,
  spotAt,
  unknownSetting,
  whereKey,
  type At,
} from './setting-problems.ts'

export function normalizeSettings(found: readonly FoundSettings[]): Settings {
  const draft = createSettingsDraft()
  for (const settings of found) {
    if (settings.problem !== undefined) breakPolicy(draft, settings.level, settings.problem)
    else readSettings(draft, { level: settings.level, document: settings.document })
  }
  const { enabled, projectConfig, pluginServersOnly, broken, toolNames, registry, model } = draft
  const { gateway, gatewayFault } = draft
  return {
    sourcesOff: new Map([...draft.sources].filter(([, { isOn }]) => !isOn).map(([id, { by }]) => [id, by])),
    connectors: draft.connectors,
    plugins: draft.plugins,
    switches: draft.switches,
    projectDeny: draft.projectDeny,
    permissions: {
      rules: draft.rules,
      ...(draft.plan === undefined ? {} : { plan: draft.plan }),
      ...withBroken(draft.brokenRules ?? broken),
    },
    projectRules: draft.projectRules,
    problems: draft.problems,
    ...(toolNames === undefined ? {} : { toolNames }),
    ...(registry === undefined ? {} : { registry }),
    ...(model === undefined ? {} : { model }),
    ...(gateway === undefined ? {} : { gateway }),
    ...(gatewayFault === undefined ? {} : { gatewayFault }),
    policy: {
      deny: draft.deny,
      allowLists: draft.allowLists,
      ...(pluginServersOnly === undefined ? {} : { pluginServersOnly }),
      ...withBroken(broken),
    },
    ...(enabled?.isOn === false ? { off: enabled.by } : {}),
    ...(projectConfig?.isOn === false ? { projectConfigOff: projectConfig.by } : {}),
  }
}

function withBroken(broken: Problem | undefined): { readonly broken?: Problem } {
  return broken === undefined ? {} : { broken }
}

interface Toggle {
  readonly isOn: boolean
  readonly by: Spot
}

interface SettingsDraft {
  enabled?: Toggle
  projectConfig?: Toggle
  pluginServersOnly?: Spot
  broken?: Problem
  /** A fault in the rules about calls: servers still run, but no call is permitted. */
  brokenRules?: Problem
  plan?: Spot
  readonly rules: PermissionRule[]
  readonly projectRules: PermissionRule[]
  toolNames?: NameStyle
  registry?: string
  model?: ModelSetting
  gateway?: GatewaySetting
  gatewayFault?: Problem
  readonly sources: Map<SourceId, Toggle>
  readonly plugins: Map<string, Toggle>
  readonly switches: Map<string, { readonly to: 'on' | 'off'; readonly by: Spot }>
  readonly connectors: Connector[]
  readonly deny: ServerRule[]
  readonly projectDeny: ServerRule[]
  readonly allowLists: AllowList[]
  readonly problems: Problem[]
}

function createSettingsDraft(): SettingsDraft {
  return {
    rules: [],
    projectRules: [],
    sources: new Map(),
    plugins: new Map(),
    switches: new Map(),
    connectors: [],
    deny: [],
    projectDeny: [],
    allowLists: [],
    problems: [],
  }
}

type SettingReader = (draft: SettingsDraft, at: At, member: Member) => void

const READERS: Readonly<Record<string, SettingReader>> = {
  enabled: (draft, at, member) => {
    const toggle = readToggle(draft, at, member)
    if (toggle !== undefined) draft.enabled ??= toggle
  },
  projectConfig: (draft, at, member) => {
    const toggle = readToggle(draft, at, member)
    if (toggle !== undefined) draft.projectConfig ??= toggle
  },
  sources: (draft, at, member) => {
    for (const inner of readObject(draft, at, member)) {
      const id = SOURCES_HIGH_TO_LOW.find((known) => known === inner.key)
      const toggle = readToggle(draft, at, inner)
      if (id === undefined) draft.problems.push(unknownSource(at, inner))
      else if (toggle !== undefined && !draft.sources.has(id)) draft.sources.set(id, toggle)
    }
  },
  plugins: (draft, at, member) => {
    for (const inner of readObject(draft, at, member)) {
      const toggle = readToggle(draft, at, inner)
      if (toggle !== undefined && !draft.plugins.has(inner.key)) draft.plugins.set(inner.key, toggle)
    }
  },
  connectors: (draft, at, member) => {
    for (const item of readList(draft, at, member)) readConnector(draft, at, item)
  },
  toolNames: (draft, at, { value }) => {
    const style = NAME_STYLES.find((known) => known === toText(value))
    if (style === undefined)
      draft.problems.push(malformed(at, value, `\`toolNames\` must be ${STYLES_IN_WORDS}`))
    else draft.toolNames ??= style
  },
  registry: (draft, at, { value }) => {
    const url = toText(value)
    if (url !== undefined && /^https?:\/\//i.test(url)) draft.registry ??= url
    else
      draft.problems.push(
        malformed(at, value, '`registry` must be an address that begins with `https://` or `http://`'),
      )
  },
  model: (draft, at, { value }) => {
    const model = readModel(at, value)
    if ('code' in model) draft.problems.push(model)
    else draft.model ??= model
  },
  gateway: (draft, at, member) => {
    const { setting, faults } = readGateway(at, member)
    draft.gateway = { ...setting, ...draft.gateway }
    refuseGateway(draft, faults)
  },
  disabledServers: readSwitches('off'),
  enabledServers: readSwitches('on'),
  deniedMcpServers: (draft, at, member) => {
    const rules = readRules(draft, at, member)
    if (at.level === 'project') draft.projectDeny.push(...rules)
    else draft.deny.push(...rules)
  },
  allowedMcpServers: readAllowList,
  pluginServersOnly: (draft, at, member) => {
    const toggle = readToggle(draft, at, member)
    if (toggle === undefined && at.level === 'managed') breakPolicy(draft, at.level, draft.problems.pop()!)
    if (at.level !== 'managed')
      draft.problems.push(notHere(at, member, 'only managed settings can ask for it'))
    else if (toggle?.isOn === true) draft.pluginServersOnly ??= toggle.by
  },
  security: (draft, at, member) => {
    if (member.value.kind !== 'object') {
      breakPolicy(draft, at.level, malformed(at, member.value, '`security` must be a table'))
      return
    }
    for (const inner of readObject(draft, at, member)) {
      if (inner.key === 'mcp_server_denylist') READERS['deniedMcpServers']!(draft, at, inner)
      else if (inner.key === 'mcp_server_allowlist') readInRepository(draft, at, inner, readAllowList)
      else draft.problems.push(unknownSetting(at, inner, Object.keys(READERS)))
    }
  },
  permissions: (draft, at, member) => {
    const { rules, plan, faults, warnings } = readPermissions(at, member)
    if (at.level === 'project') draft.projectRules.push(...rules)
    else {
      draft.rules.push(...rules)
      if (plan !== undefined) draft.plan ??= plan
      if (faults[0] !== undefined) draft.brokenRules ??= faults[0]
    }
    draft.problems.push(...faults, ...warnings)
  },
  // The source plugboard reads the servers.
  mcp_servers: () => undefined,
  mcpServers: () => undefined,
  $schema: () => undefined,
}

const STYLES_IN_WORDS = '`"double"`, `"bare"` or `"single"`'

/**
 * The keys that a file in a repository may set. Any other key could loosen a rule, or affect something outside of the
 * project.
 */
const IN_REPOSITORY = new Set([
  'deniedMcpServers',
  'security',
  'permissions',
  'mcp_servers',
  'mcpServers',
  '$schema',
])

function readSettings(draft: SettingsDraft, at: At): void {
  if (at.document.root.kind !== 'object') return
  for (const member of at.document.root.members) {
    const reader = Object.hasOwn(READERS, member.key) ? READERS[member.key] : undefined
    if (reader === undefined) readUnknown(draft, at, member)
    else if (IN_REPOSITORY.has(member.key)) reader(draft, at, member)
    else readInRepository(draft, at, member, reader)
  }
}

function readUnknown(draft: SettingsDraft, at: At, member: Member): void {
  const known = Object.keys(READERS)
  // A misspelt `gatway` would be ignored, with its scopes.
  if (at.level !== 'project' && findNearest(member.key, known) === 'gateway')
    refuseGateway(draft, [misspelt(at, member, { path: member.key, known })])
  else draft.problems.push(unknownSetting(at, member, known))
}

/** These faults stop only `plugboard serve`; every other command goes on. */
function refuseGateway(draft: SettingsDraft, faults: readonly Problem[]): void {
  if (faults[0] !== undefined) draft.gatewayFault ??= faults[0]
  draft.problems.push(...faults)
}

function readInRepository(draft: SettingsDraft, at: At, member: Member, reader: SettingReader): void {
  if (at.level !== 'project') reader(draft, at, member)
  else draft.problems.push(notHere(at, member, 'settings in a repository can only tighten'))
}

function readSwitches(to: 'on' | 'off'): SettingReader {
  return (draft, at, member) => {
    for (const item of readList(draft, at, member)) {
      const name = toText(item)
      if (name === undefined)
        draft.problems.push(malformed(at, item, `\`${member.key}\` takes names of servers`))
      else if (!draft.switches.has(name)) draft.switches.set(name, { to, by: spotAt(at, item) })
    }
  }
}

function readConnector(draft: SettingsDraft, at: At, node: ConfigNode): void {
  const url = toText(findMember(node, 'url')?.value)
  if (url === undefined || !/^https?:\/\//.test(url)) {
    draft.problems.push(
      malformed(at, node, 'a connector needs a `url` that begins with `https://` or `http://`'),
    )
    return
  }
  const headers = new Map<string, Template>()
  const given = findMember(node, 'headers')?.value
  for (const { key, value } of given?.kind === 'object' ? given.members : []) {
    const text = scalarText(value)
    if (text === undefined)
      draft.problems.push(malformed(at, value, `the header \`${key}\` must be a string`))
    else headers.set(key, toTemplate(text, PLAIN))
  }
  draft.connectors.push({ url, headers, by: spotAt(at, node) })
}

function readAllowList(draft: SettingsDraft, at: At, member: Member): void {
  const rules = readRules(draft, at, member)
  if (member.value.kind !== 'array') return
  if (member.value.items.length === 0) draft.problems.push(emptyAllowList(at, member))
  else draft.allowLists.push({ by: spotAt(at, member.value), level: at.level, rules })
}

function readRules(draft: SettingsDraft, at: At, member: Member): readonly ServerRule[] {
  if (member.value.kind !== 'array') {
    breakPolicy(draft, at.level, malformed(at, member.value, `\`${member.key}\` must be a list`))
    return []
  }
  return member.value.items.flatMap((item) => {
    const match = toServerMatch(item)
    if (match !== undefined) return [{ match, level: at.level, by: spotAt(at, item) }]
    breakPolicy(draft, at.level, malformed(at, item, SERVER_RULE_FORMS))
    return []
  })
}

/**
 * A policy that cannot be understood admits nothing. A repository's is only ignored, or it could turn all servers off.
 */
function breakPolicy(draft: SettingsDraft, level: Level, problem: Problem): void {
  if (level !== 'project') draft.broken ??= problem
  // Discovery has already reported why the file cannot be read.
  if (!problem.code.startsWith('discover/')) draft.problems.push(problem)
}

function readToggle(draft: SettingsDraft, at: At, member: Member): Toggle | undefined {
  const { value } = member
  if (value.kind === 'scalar' && typeof value.value === 'boolean')
    return { isOn: value.value, by: spotAt(at, value) }
  draft.problems.push(malformed(at, value, `\`${member.key}\` must be \`true\` or \`false\``))
  return undefined
}

function readObject(draft: SettingsDraft, at: At, member: Member): readonly Member[] {
  if (member.value.kind === 'object') return member.value.members
  draft.problems.push(malformed(at, member.value, `\`${member.key}\` must be an object`))
  return []
}

function readList(draft: SettingsDraft, at: At, member: Member): readonly ConfigNode[] {
  if (member.value.kind === 'array') return member.value.items
  draft.problems.push(malformed(at, member.value, `\`${member.key}\` must be a list`))
  return []
}

function unknownSource(at: At, member: Member): Problem {
  const nearest = findNearest(member.key, SOURCES_HIGH_TO_LOW)
  return createWarning({
    code: 'normalize/setting-unknown',
    message: `there is no source \`${member.key}\``,
    where: whereKey(at, member),
    hints:
      nearest === undefined
        ? [`sources: ${SOURCES_HIGH_TO_LOW.join(', ')}`]
        : [`did you mean \`${nearest}\`?`],
  })
}
