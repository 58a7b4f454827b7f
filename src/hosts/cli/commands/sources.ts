/**
 * sources: shows every place where Plugboard looked, and what it found there.
 */
import type { Place } from '../../../model/catalog.ts'
import { SOURCE_TITLES } from '../../../model/origin.ts'
import { showAge } from '../../shared/amounts.ts'
import { showPath, toShownFile } from '../../shared/show-path.ts'
import { toTable, type Cell, type Column } from '../../shared/table.ts'
import type { CommandContext } from '../command.ts'
import { DONE } from '../exit-codes.ts'
import { printJson, printLines, reportBeside, viewOf } from '../print.ts'
import { whoTurnedOff } from '../turned-off.ts'

export async function run(context: CommandContext): Promise<number> {
  const loaded = await context.load()
  const { catalog } = loaded
  if (context.json) {
    printJson(context.terminal, { sources: catalog.places.map(toJson) })
    return DONE
  }
  const rows = catalog.places.map((place) => toRow(context, place))
  printLines(
    context.terminal,
    rows.length === 0
      ? [`no place was looked at: ${whoTurnedOff(context, loaded)}`]
      : toTable(COLUMNS, rows, viewOf(context)),
  )
  reportBeside(context, catalog.problems)
  return DONE
}

function toJson({ source, scope, file, exists, entries, fetchedAt }: Place): object {
  const copy = fetchedAt === undefined ? {} : { fetchedAt: new Date(fetchedAt).toISOString() }
  return { source, scope, file: toShownFile(file), exists, entries, ...copy }
}

const COLUMNS: readonly Column[] = [
  { title: 'SOURCE', shrinks: 3 },
  { title: 'SCOPE', shrinks: 2 },
  { title: 'SERVERS' },
  { title: 'FILE', shrinks: 1, keeps: 'end', isDetail: true },
]

function toRow({ world, paint }: CommandContext, place: Place): Cell[] {
  const { fetchedAt } = place
  const age = fetchedAt === undefined ? '' : `, ${showAge(world.clock.now() - fetchedAt)} old`
  const row = [
    SOURCE_TITLES[place.source],
    place.scope + age,
    place.exists ? String(place.entries) : 'no file',
    showPath(place.file, world),
  ]
  return place.exists ? row : row.map((text) => ({ text, brush: paint.dim }))
}
