/**
 * agent-policies: turns the deny rules in the settings of Claude Code and agent-code into our own rules.
 *
 * in     settings files of these agents, as found
 * out    rules that deny servers and tools; problems of the files; and other restrictions in them, which `doctor` lists
 * never  takes over a rule that allows or asks, or a rule that it understands only in part
 */
import { parseGlob } from '../../base/glob.ts'
import { findMember, toText, type ConfigNode, type Member } from '../../model/document.ts'
import { SOURCE_TITLES } from '../../model/origin.ts'
import type { PermissionRule } from '../../model/permission.ts'
import type { Level, ServerRule } from '../../model/policy.ts'
import type { Problem } from '../../model/problem.ts'
import type { FoundAgentSettings } from '../../model/settings.ts'
import { createProblem, createWarning } from '../../problem/problem.ts'
import { mayName } from './permissions.ts'
import { SERVER_RULE_FORMS, toServerMatch } from './server-match.ts'
import { spotAt, whereAt, whereKey, type At } from './setting-problems.ts'

export interface AgentPolicies {
  readonly deny: readonly ServerRule[]
  readonly rules: readonly PermissionRule[]
  /** From files of the repository. They apply once its user has approved something of this project. */
  readonly projectDeny: readonly ServerRule[]
  readonly projectRules: readonly PermissionRule[]
  /** Why an organisation's list of servers cannot be understood. Then no server is admitted. */
  readonly broken?: Problem
  readonly problems: readonly Problem[]
  /** Settings that restrict or allow something in the agent, and not here. */
  readonly notApplied: readonly Problem[]
}

/** Our own settings file of a level, for hints. */
export type SettingsFileOf = (level: Level) => string

export function readAgentPolicies(
  found: readonly FoundAgentSettings[],
  settingsFileOf: SettingsFileOf,
): AgentPolicies {
  const draft: Draft = { servers: [], tools: [], problems: [], notApplied: [], settingsFileOf }
  for (const { source, level, document, problem } of found) {
    // Discovery has already reported why the file cannot be read.
    if (problem !== undefined) breakManaged(draft, level, problem)
    else if (source === 'claude-code') readClaudeCode(draft, { level, document, source })
    else readAgentCode(draft, { level, document, source })
  }
  const ofProject = ({ level }: { readonly level: string }): boolean => level === 'project'
  const ofOthers = ({ level }: { readonly level: string }): boolean => level !== 'project'
  return {
    deny: draft.servers.filter(ofOthers),
    rules: draft.tools.filter(ofOthers),
    projectDeny: draft.servers.filter(ofProject),
    projectRules: draft.tools.filter(ofProject),
    problems: draft.problems,
    notApplied: draft.notApplied,
    ...(draft.broken === undefined ? {} : { broken: draft.broken }),
  }
}

interface Draft {
  readonly servers: ServerRule[]
  readonly tools: PermissionRule[]
  broken?: Problem
  readonly problems: Problem[]
  readonly notApplied: Problem[]
  readonly settingsFileOf: SettingsFileOf
}

type SourcedAt = At & Required<Pick<At, 'source'>>

function readClaudeCode(draft: Draft, at: SourcedAt): void {
  const { root } = at.document
  readDeniedServers(draft, at, findMember(root, 'deniedMcpServers'))
  const allowed = findMember(root, 'allowedMcpServers')
  if (allowed !== undefined) {
    const setting = '`allowedMcpServers`'
    draft.notApplied.push(notApplied(draft, at, { member: allowed, what: setting, write: setting }))
  }
  const pluginsOnly = findMember(root, 'strictPluginOnlyCustomization')
  if (pluginsOnly !== undefined && namesMcp(pluginsOnly.value)) {
    const what = '`strictPluginOnlyCustomization`'
    const write = '`"pluginServersOnly": true`'
    draft.notApplied.push(notApplied(draft, at, { member: pluginsOnly, what, write }))
  }
  readClaudePermissions(draft, at, findMember(root, 'permissions')?.value)
}

/**
 * The organisation's rules must all apply, or no server runs. Of any other file, the rules that can be understood
 * apply.
 */
function readDeniedServers(draft: Draft, at: SourcedAt, member: Member | undefined): void {
  if (member === undefined) return
  const refused: Problem[] = []
  const { value } = member
  if (value.kind !== 'array')
    refused.push(notUnderstood(draft, at, value, `\`${member.key}\` must be a list`))
  for (const item of value.kind === 'array' ? value.items : []) {
    const match = toServerMatch(item)
    if (match === undefined) refused.push(notUnderstood(draft, at, item, SERVER_RULE_FORMS))
    else draft.servers.push({ match, level: at.level, by: spotAt(at, item), source: at.source })
  }
  const isManaged = at.level === 'managed'
  if (isManaged && refused[0] !== undefined) breakManaged(draft, at.level, refused[0])
  draft.problems.push(...refused.map((one) => (isManaged ? { ...one, severity: 'error' as const } : one)))
}

function namesMcp(node: ConfigNode): boolean {
  if (node.kind === 'array') return node.items.some((item) => toText(item) === 'mcp')
  return node.kind === 'scalar' && node.value === true
}

/** `mcp__github`, `mcp__github__*`. Any other name belongs to Claude Code's own tools. */
function readClaudePermissions(draft: Draft, at: SourcedAt, permissions: ConfigNode | undefined): void {
  for (const item of readList(draft, at, findMember(permissions, 'deny'))) {
    const tool = toText(item)
    if (tool === undefined) refuseRule(draft, at, item, 'a rule is the name of a tool')
    else if (tool === '*' || tool.startsWith('mcp__')) denyTool(draft, at, item, tool)
  }
  for (const key of ['ask', 'allow']) {
    const member = findMember(permissions, key)
    const items = member?.value.kind === 'array' ? member.value.items : []
    const count = items.filter((item) => toText(item)?.startsWith('mcp__') === true).length
    if (member !== undefined && count > 0) draft.notApplied.push(rulesNotApplied(at, member, { key, count }))
  }
}

function readAgentCode(draft: Draft, at: SourcedAt): void {
  const permissions = findMember(at.document.root, 'permissions')?.value
  const rules = findMember(permissions, 'rules')
  const others = new Map<string, number>()
  for (const item of readList(draft, at, rules)) {
    const [tool, action] = [
      toText(findMember(item, 'tool')?.value),
      toText(findMember(item, 'action')?.value),
    ]
    const isConditional = findMember(item, 'pattern') !== undefined
    if (tool === undefined || action === undefined)
      refuseRule(draft, at, item, 'a rule has a `tool` and an `action`')
    // `Bash` and similar names are agent-code's own tools.
    else if (!mayName(tool)) continue
    else if (action !== 'deny') others.set(action, (others.get(action) ?? 0) + 1)
    else if (isConditional)
      refuseRule(draft, at, item, 'Plugboard does not know what its `pattern` stands for')
    else denyTool(draft, at, item, tool)
  }
  for (const [key, count] of others) draft.notApplied.push(rulesNotApplied(at, rules!, { key, count }))

  for (const item of readList(draft, at, findMember(permissions, 'disallowed_tools'))) {
    const tool = toText(item)
    if (tool === undefined) refuseRule(draft, at, item, 'a rule is the name of a tool')
    else if (mayName(tool)) denyTool(draft, at, item, tool)
  }
  const allowed = findMember(permissions, 'allowed_tools')
  if (allowed?.value.kind === 'array' && allowed.value.items.length > 0) {
    const [what, write] = ['`permissions.allowed_tools`', '`permissions.rules` that deny the others']
    draft.notApplied.push(notApplied(draft, at, { member: allowed, what, write }))
  }
  const mode = findMember(permissions, 'default_mode')
  const isStrict = ['deny', 'plan'].includes(toText(mode?.value) ?? '')
  if (mode !== undefined && isStrict) {
    const [what, write] = ['`permissions.default_mode`', '`"permissions": { "mode": "plan" }`']
    draft.notApplied.push(notApplied(draft, at, { member: mode, what, write }))
  }
}

function denyTool(draft: Draft, at: SourcedAt, node: ConfigNode, tool: string): void {
  if (at.source === 'claude-code' && /^mcp__(?:plugin|claude_ai)_/.test(tool))
    refuseRule(draft, at, node, 'only Claude Code gives servers of plugins and connectors such names')
  else if (parseGlob(tool) === undefined || tool.includes('('))
    refuseRule(draft, at, node, 'a rule here takes names of tools, with `*`, `?` and `{a,b}`')
  else draft.tools.push({ tool, action: 'deny', level: at.level, by: spotAt(at, node) })
}

function readList(draft: Draft, at: SourcedAt, member: Member | undefined): readonly ConfigNode[] {
  if (member === undefined) return []
  if (member.value.kind === 'array') return member.value.items
  refuseRule(draft, at, member.value, `\`${member.key}\` must be a list`)
  return []
}

function refuseRule(draft: Draft, at: SourcedAt, node: ConfigNode, why: string): void {
  draft.problems.push(notUnderstood(draft, at, node, why))
}

function notUnderstood({ settingsFileOf }: Draft, at: SourcedAt, node: ConfigNode, why: string): Problem {
  return createWarning({
    code: 'normalize/agent-rule',
    message: `this rule of ${SOURCE_TITLES[at.source]} is not applied: ${why}`,
    where: whereAt(at, node),
    hints: [`to deny the same here, write it in \`${settingsFileOf(at.level)}\``],
  })
}

function breakManaged(draft: Draft, level: Level, problem: Problem): void {
  if (level === 'managed') draft.broken ??= problem
}

interface Unused {
  readonly member: Member
  readonly what: string
  /** The setting of ours that has the same effect. */
  readonly write: string
}

function notApplied(draft: Draft, at: SourcedAt, { member, what, write }: Unused): Problem {
  return named(at, member, {
    severity: 'warning',
    message: `${what} of ${SOURCE_TITLES[at.source]} restricts nothing here: of other agents' policies, Plugboard applies deny rules alone`,
    hint: `to restrict the same here, write ${write} in \`${draft.settingsFileOf(at.level)}\``,
  })
}

function rulesNotApplied(
  at: SourcedAt,
  member: Member,
  { key, count }: { readonly key: string; readonly count: number },
): Problem {
  const rules = count === 1 ? `1 \`${key}\` rule` : `${count} \`${key}\` rules`
  return named(at, member, {
    severity: 'info',
    message: `${rules} of ${SOURCE_TITLES[at.source]} for MCP tools count in ${SOURCE_TITLES[at.source]} alone`,
    hint: 'to see the rules that count here, run `plugboard permissions`',
  })
}

function named(
  at: SourcedAt,
  member: Member,
  {
    severity,
    message,
    hint,
  }: { readonly severity: Problem['severity']; readonly message: string; readonly hint: string },
): Problem {
  return createProblem({
    severity,
    code: 'doctor/agent-policy',
    message,
    where: whereKey(at, member),
    hints: [hint],
  })
}
