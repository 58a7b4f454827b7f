/**
 * list: shows the named tokens of the gateway. The tokens themselves are stored nowhere.
 */
import { readTokens, type NamedToken } from '../../../../runtime/named-tokens.ts'
import { toProblemJson } from '../../../shared/problem-json.ts'
import { showFolder } from '../../../shared/show-path.ts'
import { toTable, type Column } from '../../../shared/table.ts'
import type { CommandContext } from '../../command.ts'
import { DONE } from '../../exit-codes.ts'
import { printJson, printLines, reportBeside, viewOf } from '../../print.ts'

const COLUMNS: readonly Column[] = [
  { title: 'TOKEN', shrinks: 2 },
  { title: 'FOR', shrinks: 1, keeps: 'end' },
  { title: 'MADE' },
]

export async function run(context: CommandContext): Promise<number> {
  const { world, terminal, json } = context
  const { dirs } = await context.load()
  const { value: tokens, problem } = readTokens(world, dirs)
  const problems = problem === undefined ? [] : [problem]
  if (json) printJson(terminal, { tokens: tokens.map(toTokenJson), problems: problems.map(toProblemJson) })
  else {
    const rows = tokens.map(({ name, project, at }) => [
      name,
      project === undefined ? 'everywhere' : showFolder(project, world),
      at.slice(0, 10),
    ])
    printLines(
      terminal,
      rows.length === 0
        ? ['no token was made, besides the one of the gateway itself']
        : toTable(COLUMNS, rows, viewOf(context)),
    )
    reportBeside(context, problems)
  }
  return DONE
}

export function toTokenJson({ name, project, at }: NamedToken): object {
  return { name, ...(project === undefined ? {} : { project }), at }
}
