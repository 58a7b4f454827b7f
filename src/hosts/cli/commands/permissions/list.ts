/**
 * list: shows the mode, every rule that applies, and what is always allowed.
 */
import type { LoadedCatalog } from '../../../../runtime/load-catalog.ts'
import { openPermissions } from '../../../../runtime/permissions.ts'
import type { Permissions } from '../../../../model/permission.ts'
import type { Problem } from '../../../../model/problem.ts'
import { countOf } from '../../../shared/amounts.ts'
import { toProblemJson } from '../../../shared/problem-json.ts'
import { showSpot } from '../../../shared/show-path.ts'
import { toTable, type Cell, type Column } from '../../../shared/table.ts'
import type { CommandContext } from '../../command.ts'
import { DONE } from '../../exit-codes.ts'
import { printJson, printLines, reportBeside } from '../../print.ts'
import { actionBrush, showLevel, toRuleJson } from './show-rule.ts'

const RULES: readonly Column[] = [
  { title: 'TOOL', shrinks: 2 },
  { title: 'ACTION' },
  { title: 'BY' },
  { title: 'FILE', keeps: 'end', shrinks: 1, isDetail: true },
  { title: 'REASON', isDetail: true },
]

const GRANTS: readonly Column[] = [{ title: 'SERVER' }, { title: 'TOOL' }, { title: 'UNTIL' }]

export async function run(context: CommandContext): Promise<number> {
  const loaded = await context.load()
  const permissions = await openPermissions(context.world, loaded)
  const now = permissions.current()
  const problems = [...loaded.catalog.problems.filter(isAboutSettings), ...permissions.problems()]
  if (context.json) printJson(context.terminal, toJson(now, problems))
  else {
    printLines(context.terminal, toText(context, now, loaded))
    reportBeside(context, problems)
  }
  return DONE
}

/** Only our own files: other commands report the problems of other files. */
function isAboutSettings({ where }: Problem): boolean {
  return where?.source === 'plugboard' && /settings\.(?:json|toml)$/.test(where.file)
}

function toJson({ mode, rules, grants }: Permissions, problems: readonly Problem[]): object {
  return {
    mode,
    rules: rules.map(toRuleJson),
    grants: grants.map(({ server, tool, until }) => ({ server, tool, until })),
    problems: problems.map(toProblemJson),
  }
}

function toText(context: CommandContext, now: Permissions, { projectRules }: LoadedCatalog): string[] {
  const { world, paint, terminal } = context
  const view = { paint, columns: terminal.columns }
  const rules = now.rules.map(({ tool, action, level, by, reason }): Cell[] => [
    tool,
    { text: action, brush: actionBrush(action, paint) },
    showLevel(level),
    by === undefined ? '' : showSpot(by, world),
    reason ?? '',
  ])
  const grants = now.grants.map(({ server, tool, until }) => [server, tool, until])
  const waiting = now.rules.some(({ level }) => level === 'project') ? 0 : projectRules.length
  return [
    modeLine(context, now),
    '',
    ...(rules.length > 0
      ? toTable(RULES, rules, view)
      : [now.broken === undefined ? 'no rules: every tool is asked about' : 'no rules']),
    ...(waiting === 0
      ? []
      : [
          `${countOf(waiting, 'rule')} of this project: in force when you approve a server of it (\`plugboard trust\`)`,
        ]),
    '',
    ...(grants.length === 0 ? ['nothing is always allowed'] : toTable(GRANTS, grants, view)),
  ]
}

function modeLine({ world }: CommandContext, { mode, plan, broken }: Permissions): string {
  if (broken !== undefined) return 'everything is denied, since the rules cannot be understood'
  const by = plan === undefined ? '' : `, set by ${showSpot(plan, world)}`
  return `mode ${mode}${mode === 'plan' ? `: every tool is denied${by}` : ''}`
}
