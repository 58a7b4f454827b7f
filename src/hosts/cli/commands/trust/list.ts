/**
 * list: shows every trust decision, of all projects.
 */
import type { TrustDecision } from '../../../../model/trust.ts'
import { maskCommandLine, maskShown } from '../../../../problem/mask-fact.ts'
import { showFolder } from '../../../shared/show-path.ts'
import { showProblems } from '../../../shared/show-problem.ts'
import { toTable, type Column } from '../../../shared/table.ts'
import type { CommandContext } from '../../command.ts'
import { DONE } from '../../exit-codes.ts'
import { printJson } from '../../print.ts'

const COLUMNS: readonly Column[] = [
  { title: 'PROJECT', shrinks: 2, keeps: 'end' },
  { title: 'SERVER' },
  { title: 'DECISION' },
  { title: 'ON' },
  { title: 'TARGET', shrinks: 1, isDetail: true },
]

interface Approval {
  readonly project: string
  readonly server: string
  readonly decision: TrustDecision['decision']
  readonly at: string
  readonly command?: string
  readonly url?: string
}

export async function run({ world, terminal, paint, json, load }: CommandContext): Promise<number> {
  const { trustStore, catalog } = await load()
  const approvals = [...trustStore.projects].flatMap(([project, servers]) =>
    [...servers].flatMap(([server, decisions]) => decisions.map((one) => toApproval(project, server, one))),
  )
  const folders = [...trustStore.folders].map(([folder, decided]) => ({ folder, ...decided }))
  if (json) {
    printJson(terminal, { approvals, folders })
    return DONE
  }
  const damaged = catalog.problems.filter(({ code }) => code === 'trust/damaged')
  if (damaged.length > 0)
    terminal.err(`${showProblems(damaged, { here: world, paint, columns: terminal.columns })}\n`)
  if (approvals.length + folders.length === 0)
    terminal.out('nothing was decided yet; `plugboard trust` shows what waits in this project\n')
  else {
    const rows = [
      ...folders.map(({ folder, decision, at }) => [
        showFolder(folder, world),
        '(the folder)',
        decision,
        at.slice(0, 10),
        '',
      ]),
      ...approvals.map((one) => [
        showFolder(one.project, world),
        one.server,
        one.decision,
        one.at.slice(0, 10),
        one.command ?? one.url ?? '',
      ]),
    ]
    terminal.out(`${toTable(COLUMNS, rows, { paint, columns: terminal.columns }).join('\n')}\n`)
  }
  return DONE
}

function toApproval(project: string, server: string, { decision, at, facts }: TrustDecision): Approval {
  const command = maskCommandLine(facts)
  return {
    project,
    server,
    decision,
    at,
    ...(command === undefined ? {} : { command }),
    ...(facts['url'] === undefined ? {} : { url: maskShown(facts['url']) }),
  }
}
