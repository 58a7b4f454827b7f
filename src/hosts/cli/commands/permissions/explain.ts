/**
 * explain: shows whether a tool may be called, and every rule that was considered.
 */
import { toPrintable } from '../../../../base/printable.ts'
import { unreachable } from '../../../../base/unreachable.ts'
import type { Evidence, PermissionRule } from '../../../../model/permission.ts'
import type { Problem } from '../../../../model/problem.ts'
import { findBuiltin } from '../../../../runtime/builtin-tools.ts'
import {
  explainBuiltin,
  explainPermission,
  type ExplainedBuiltin,
  type ExplainedPermission,
} from '../../../../runtime/explain-permission.ts'
import type { Paint } from '../../../shared/paint.ts'
import { toProblemJson } from '../../../shared/problem-json.ts'
import { showSpot, type Here } from '../../../shared/show-path.ts'
import type { CommandContext } from '../../command.ts'
import { DONE } from '../../exit-codes.ts'
import { printJson, printLines, reportBeside } from '../../print.ts'
import { actionBrush, showRule, toRuleJson } from './show-rule.ts'

/** Throws `permit/unknown-tool`. */
export async function run(context: CommandContext): Promise<number> {
  const loaded = await context.load()
  const [name] = context.args as [string]
  const builtin = findBuiltin(name)
  if (builtin === undefined) {
    const explained = await explainPermission(context.world, loaded, name)
    return present(context, explained.problems, { json: toJson(explained), text: toText(context, explained) })
  }
  const explained = await explainBuiltin(context.world, loaded, builtin)
  const [json, text] = [toBuiltinJson(explained), toBuiltinText(context, explained)]
  return present(context, explained.problems, { json, text })
}

function present(
  context: CommandContext,
  problems: readonly Problem[],
  { json, text }: { readonly json: object; readonly text: readonly string[] },
): number {
  if (context.json) printJson(context.terminal, json)
  else {
    printLines(context.terminal, text)
    reportBeside(context, problems)
  }
  return DONE
}

function toBuiltinJson({ tool, verdict, rules, closed, problems }: ExplainedBuiltin): object {
  return {
    name: tool.name,
    server: '',
    tool: tool.name,
    known: true,
    builtin: true,
    verdict: { action: verdict.action, by: toEvidenceJson(verdict.by) },
    rules: rules.map(toRuleJson),
    closed: closed.map(({ server, by }) => ({ server, by: toEvidenceJson(by) })),
    problems: problems.map(toProblemJson),
  }
}

function toBuiltinText(context: CommandContext, explained: ExplainedBuiltin): string[] {
  const { paint, world } = context
  const { tool, verdict, rules, closed } = explained
  const action = actionBrush(verdict.action, paint)(verdict.action)
  const why =
    verdict.action === 'allow'
      ? 'it changes nothing, and no rule denies it'
      : showEvidence(context, verdict.by)
  const row = toRow(paint)
  return [
    `${paint.bold(tool.name)}  ${paint.dim('built in')}`,
    `  ${action}: ${why}`,
    '',
    ...rules.map((rule) => row(rule.action, showRuleAndReason(rule, world))),
    ...closed.map(({ server, by }) =>
      row('deny', `what \`${toPrintable(server)}\` has: ${showEvidence(context, by)}`),
    ),
    ...(rules.length + closed.length === 0 ? [row('rules', 'none denies it')] : []),
  ]
}

function toRow(paint: Paint): (label: string, text: string) => string {
  return (label, text) => `  ${paint.cyan(label.padEnd('grant'.length))}  ${text}`
}

function showRuleAndReason(rule: PermissionRule, world: Here): string {
  return showRule(rule, world) + (rule.reason === undefined ? '' : `: "${toPrintable(rule.reason)}"`)
}

function toJson({ tool, isKnown, verdict, considered, change, problems }: ExplainedPermission): object {
  const { grant, pin } = considered
  return {
    name: tool.name,
    server: tool.server,
    tool: tool.tool,
    known: isKnown,
    verdict: { action: verdict.action, by: toEvidenceJson(verdict.by) },
    rules: considered.rules.map(toRuleJson),
    ...(grant === undefined ? {} : { grant: { until: grant.until } }),
    ...(pin === undefined ? {} : { pin: { at: pin.at, changed: change !== undefined } }),
    problems: problems.map(toProblemJson),
  }
}

function toEvidenceJson(by: Evidence): object {
  if (by.kind === 'rule') return { kind: by.kind, ...toRuleJson(by.rule) }
  if (by.kind === 'mode') return { kind: by.kind, mode: by.mode, ...by.by }
  return { kind: by.kind }
}

function toText(context: CommandContext, explained: ExplainedPermission): string[] {
  const { paint, world } = context
  const { tool, isKnown, verdict, considered, change } = explained
  const { rules, grant, pin } = considered
  const action = actionBrush(verdict.action, paint)(verdict.action)
  const row = toRow(paint)
  return [
    `${paint.bold(toPrintable(tool.name))}  ${paint.dim(`\`${toPrintable(tool.tool)}\` of \`${toPrintable(tool.server)}\``)}`,
    `  ${action}: ${showEvidence(context, verdict.by)}`,
    '',
    ...rules.map((rule) => row(rule.action, showRuleAndReason(rule, world))),
    ...(rules.length === 0 ? [row('rules', 'none names it')] : []),
    row(
      'grant',
      grant === undefined ? 'none' : `allowed ${grant.until === 'always' ? 'always' : 'for this session'}`,
    ),
    row('pin', showPin({ pin, change, isKnown })),
  ]
}

function showPin({
  pin,
  change,
  isKnown,
}: Pick<ExplainedPermission, 'change' | 'isKnown'> & {
  readonly pin: ExplainedPermission['considered']['pin']
}): string {
  if (pin === undefined) return 'not approved yet'
  const approved = `approved on ${pin.at.slice(0, 10)}`
  if (!isKnown) return `${approved}; how it is now is not known`
  return `${approved}, ${change === undefined ? 'and the same since' : 'and changed since'}`
}

function showEvidence({ world }: CommandContext, by: Evidence): string {
  switch (by.kind) {
    case 'rule':
      return `by ${showRule(by.rule, world)}`
    case 'grant':
      return by.grant.until === 'always' ? 'you always allow it' : 'you allowed it for this session'
    case 'mode':
      return `by the mode \`${by.mode}\`${by.by === undefined ? '' : `, ${showSpot(by.by, world)}`}`
    case 'pin':
      return 'it changed since you approved it (`plugboard pins diff` shows how)'
    case 'person':
      return 'you said so'
    case 'filter':
      return 'it is not among the tools that this agent may use'
    case 'unreadable':
      return `what was said cannot be read: ${toPrintable(by.problem.message)}`
    case 'default':
      return 'no rule names it'
    default:
      return unreachable(by)
  }
}
