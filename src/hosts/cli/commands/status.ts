/**
 * status: shows whether a gateway runs in the background, and the state of its servers.
 */
import { toPrintable } from '../../../base/printable.ts'
import { askStatus, describe, type GatewayServer } from '../../../runtime/running-gateway.ts'
import { showFolder } from '../../shared/show-path.ts'
import { toTable, type Cell, type Column } from '../../shared/table.ts'
import type { CommandContext } from '../command.ts'
import { DONE } from '../exit-codes.ts'
import { printJson, printLines, viewOf } from '../print.ts'

/** Throws `serve/silent`. */
export async function run(context: CommandContext): Promise<number> {
  const { world, version, terminal } = context
  const status = await askStatus(world, version)
  if (context.json) {
    printJson(terminal, status)
    return DONE
  }
  const { gateway, servers } = status
  if (!gateway.running) {
    printLines(terminal, ['no gateway runs in the background'])
    if (gateway.died !== undefined)
      terminal.err(
        `one that started at ${gateway.died.startedAt} (pid ${gateway.died.pid}) ended without a word\n`,
      )
    terminal.err('hint: to start one, run `plugboard serve --daemon`\n')
    return DONE
  }
  printLines(terminal, [
    `a gateway runs in the background${describe(gateway)}, since ${gateway.startedAt}`,
    ...(servers.length === 0
      ? []
      : [
          '',
          ...toTable(
            COLUMNS,
            servers.map((one) => toRow(context, one)),
            viewOf(context),
          ),
        ]),
  ])
  return DONE
}

const COLUMNS: readonly Column[] = [
  { title: 'SERVER', shrinks: 4 },
  { title: 'STATE', shrinks: 3 },
  { title: 'TOOLS', shrinks: 3 },
  { title: 'FOR', shrinks: 2, keeps: 'end' },
  { title: 'PROBLEM', shrinks: 1, isDetail: true },
]

function toRow({ world, paint }: CommandContext, server: GatewayServer): Cell[] {
  const { name, state, tools, project, problem = '', nextTry } = server
  const brush =
    state === 'ready' ? paint.green : state === 'failed' || state === 'waiting' ? paint.red : paint.yellow
  const next = nextTry === undefined ? '' : ` (next try ${/^\d/.test(nextTry) ? `at ${nextTry}` : nextTry})`
  return [
    name,
    { text: state, brush },
    String(tools),
    showFolder(project, world),
    toPrintable(`${problem}${next}`),
  ]
}
