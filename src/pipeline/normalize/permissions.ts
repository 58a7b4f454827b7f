/**
 * permissions: reads what a settings file says about calls.
 *
 * in     the value of `permissions`: `{ rules: [{ tool, action, reason? }], mode? }`
 * out    rules with their lines; and faults. A file with a fault gives no permission at all
 * never  ignores an unknown part: a rule that is only half understood could allow too much. Never accepts anything from
 *        a repository that loosens a permission
 */
import { parseGlob } from '../../base/glob.ts'
import { describeKind, toText, type ConfigNode, type Member } from '../../model/document.ts'
import type { Spot } from '../../model/origin.ts'
import type { Action, PermissionRule } from '../../model/permission.ts'
import type { Problem } from '../../model/problem.ts'
import { createWarning } from '../../problem/problem.ts'
import { malformed, notHere, spotAt, whereAt, whereKey, type At } from './setting-problems.ts'

export interface ReadPermissions {
  readonly rules: readonly PermissionRule[]
  /** The line that sets plan mode. */
  readonly plan?: Spot
  readonly faults: readonly Problem[]
  readonly warnings: readonly Problem[]
}

export function readPermissions(at: At, { value }: Member): ReadPermissions {
  const draft: Draft = { rules: [], faults: [], warnings: [] }
  if (value.kind === 'object') for (const member of value.members) readMember(draft, at, member)
  else draft.faults.push(malformed(at, value, '`permissions` must be an object'))
  return draft
}

interface Draft {
  readonly rules: PermissionRule[]
  plan?: Spot
  readonly faults: Problem[]
  readonly warnings: Problem[]
}

function readMember(draft: Draft, at: At, member: Member): void {
  if (member.key === 'rules') readRules(draft, at, member)
  else if (member.key === 'mode') readMode(draft, at, member)
  else draft.faults.push(unknownKey(at, member))
}

function readRules(draft: Draft, at: At, { value }: Member): void {
  if (value.kind !== 'array') {
    draft.faults.push(malformed(at, value, '`rules` must be a list'))
    return
  }
  for (const item of value.items) {
    const rule = toRule(at, item)
    if (rule.kind === 'fault') draft.faults.push(rule.problem)
    else if (at.level === 'project' && rule.rule.action === 'allow') draft.warnings.push(looser(at, item))
    else {
      draft.rules.push(rule.rule)
      if (!mayName(rule.rule.tool)) draft.warnings.push(namesNothing(at, item, rule.rule.tool))
    }
  }
}

type ReadRule =
  | { readonly kind: 'rule'; readonly rule: PermissionRule }
  | { readonly kind: 'fault'; readonly problem: Problem }

const ACTIONS: readonly Action[] = ['allow', 'ask', 'deny']

function toRule(at: At, node: ConfigNode): ReadRule {
  const fault = (message: string, where: ConfigNode = node): ReadRule => ({
    kind: 'fault',
    problem: malformed(at, where, message, [EXAMPLE]),
  })
  if (node.kind !== 'object') return fault(`a rule must be an object, but this is ${describeKind(node)}`)
  const given = new Map(node.members.map(({ key, value }) => [key, value]))
  const odd = [...given.keys()].find((key) => !['tool', 'action', 'reason'].includes(key))
  if (odd !== undefined) return fault(`a rule has no \`${odd}\`, and cannot be applied without knowing it`)
  if (given.size < node.members.length) return fault('this rule says something twice')
  const [tool, reason] = [toText(given.get('tool')), toText(given.get('reason'))]
  const action = ACTIONS.find((one) => one === toText(given.get('action')))
  if (tool === undefined) return fault('a rule needs a `tool`')
  if (parseGlob(tool) === undefined)
    return fault('`tool` takes names of tools, with `*`, `?` and `{a,b}`', given.get('tool'))
  if (action === undefined) return fault('`action` must be `allow`, `ask` or `deny`', given.get('action'))
  if (given.has('reason') && reason === undefined)
    return fault('`reason` must be a string', given.get('reason'))
  const rule = { tool, action, ...(reason === undefined ? {} : { reason }), level: at.level }
  return { kind: 'rule', rule: { ...rule, by: spotAt(at, node) } }
}

const EXAMPLE = 'a rule is `{ "tool": "mcp__github__*", "action": "allow" }`, or `"ask"`, or `"deny"`'

function readMode(draft: Draft, at: At, member: Member): void {
  const mode = toText(member.value)
  if (at.level === 'project') draft.warnings.push(notHere(at, member, 'a repository can only add rules'))
  else if (mode === 'plan') draft.plan = spotAt(at, member.value)
  else if (mode === 'bypass')
    draft.warnings.push(notHere(at, member, '`bypass` must be asked for each time, and not by a file'))
  else if (mode !== 'default')
    draft.faults.push(malformed(at, member.value, '`mode` must be `default` or `plan`'))
}

/**
 * Whether a glob can match the name of a tool. In every style, a name has a `__` or begins with `mcp_`; built-in tools
 * have fixed names.
 */
export function mayName(glob: string): boolean {
  return /__|\*|\?|^mcp_|^\{|^(?:list|read|get)mcp(?:resource|prompt)s?$/i.test(glob)
}

/** The probable meaning of a name that no tool can have: a server, or a tool as messages show it. */
export function toMeantName(glob: string): string {
  return `mcp__${glob.replace('.', '__')}`
}

function namesNothing(at: At, node: ConfigNode, glob: string): Problem {
  return createWarning({
    code: 'normalize/rule-names-nothing',
    message: `no tool is called \`${glob}\`: names are \`mcp__<server>__<tool>\``,
    where: whereAt(at, node),
    hints: [`to name what is called \`${glob}\` elsewhere, write \`${toMeantName(glob)}\``],
  })
}

function looser(at: At, node: ConfigNode): Problem {
  return createWarning({
    code: 'normalize/setting-ignored',
    message: 'this rule is ignored: settings in a repository can only tighten',
    where: whereAt(at, node),
  })
}

function unknownKey(at: At, member: Member): Problem {
  const isList = member.value.kind === 'array'
  return {
    ...malformed(at, member.value, `\`permissions\` has no \`${member.key}\``, isList ? [EXAMPLE] : []),
    where: whereKey(at, member),
  }
}
