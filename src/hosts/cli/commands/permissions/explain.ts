/**
 * explain: may a tool be called, and everything that was considered for it.
 */
import { toPrintable } from '../../../../base/printable.ts'
import { unreachable } from '../../../../base/unreachable.ts'
import type { Evidence } from '../../../../model/permission.ts'
import { explainPermission, type ExplainedPermission } from '../../../../runtime/explain-permission.ts'
import { toProblemJson } from '../../../shared/problem-json.ts'
import { showSpot } from '../../../shared/show-path.ts'
import type { CommandContext } from '../../command.ts'
import { DONE } from '../../exit-codes.ts'
import { printJson, printLines, reportBeside } from '../../print.ts'
import { actionBrush, showRule, toRuleJson } from './show-rule.ts'

/** Throws `permit/unknown-tool`. */
export async function run(context: CommandContext): Promise<number> {
  const loaded = await context.load()
  const explained = await explainPermission(context.world, loaded, context.args[0]!)
  if (context.json) printJson(context.terminal, toJson(explained))
  else {
    printLines(context.terminal, toText(context, explained))
    reportBeside(context, explained.problems)
  }
  return DONE
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
  const width = 'grant'.length
  const row = (label: string, text: string): string => `  ${paint.cyan(label.padEnd(width))}  ${text}`
  return [
    `${paint.bold(toPrintable(tool.name))}  ${paint.dim(`\`${toPrintable(tool.tool)}\` of \`${toPrintable(tool.server)}\``)}`,
    `  ${action}: ${showEvidence(context, verdict.by)}`,
    '',
    ...rules.map((rule) =>
      row(
        rule.action,
        showRule(rule, world) + (rule.reason === undefined ? '' : `: "${toPrintable(rule.reason)}"`),
      ),
    ),
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
