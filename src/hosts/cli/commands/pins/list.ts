/**
 * list: shows the approved tools, and whether each is still the same.
 */
import { reviewPins, type ReviewedPin } from '../../../../runtime/pin-review.ts'
import type { Brush, Paint } from '../../../shared/paint.ts'
import { toProblemJson } from '../../../shared/problem-json.ts'
import { toTable, type Column } from '../../../shared/table.ts'
import type { CommandContext } from '../../command.ts'
import { DONE } from '../../exit-codes.ts'
import { printJson, printLines, reportBeside } from '../../print.ts'

const COLUMNS: readonly Column[] = [
  { title: 'SERVER' },
  { title: 'TOOL' },
  { title: 'APPROVED' },
  { title: 'SINCE THEN' },
]

export async function run(context: CommandContext): Promise<number> {
  const { world, terminal, paint, json } = context
  const { pins, problem } = reviewPins(world, await context.load())
  const problems = problem === undefined ? [] : [problem]
  if (json) printJson(terminal, { pins: pins.map(toPinJson), problems: problems.map(toProblemJson) })
  else {
    const rows = pins.map((one) => [
      one.pin.server,
      one.pin.tool,
      one.pin.at.slice(0, 10),
      { text: showState(one), brush: brushOf(one, paint) },
    ])
    printLines(
      terminal,
      rows.length === 0
        ? ['no tool was approved yet']
        : toTable(COLUMNS, rows, { paint, columns: terminal.columns }),
    )
    const isChanged = pins.some(({ state }) => state === 'changed')
    if (isChanged) terminal.out('\nhint: to see what changed, run `plugboard pins diff`\n')
    reportBeside(context, problems)
  }
  return DONE
}

export function toPinJson(one: ReviewedPin): object {
  const { server, tool, at } = one.pin
  const now = one.state === 'renamed' ? { renamedTo: one.now.name } : {}
  return { server, tool, name: one.name, at, state: one.state, ...now }
}

function showState(one: ReviewedPin): string {
  switch (one.state) {
    case 'same':
      return 'the same'
    case 'changed':
      return 'changed'
    case 'renamed':
      return `renamed to ${one.now.name}`
    case 'gone':
      return 'gone'
    case 'unknown':
      return 'its server was not seen'
  }
}

function brushOf({ state }: ReviewedPin, paint: Paint): Brush {
  const brushes = {
    same: paint.green,
    changed: paint.red,
    renamed: paint.yellow,
    gone: paint.dim,
    unknown: paint.dim,
  }
  return brushes[state]
}
