/**
 * table: formats rows as lines that fit the terminal.
 *
 * in     cells whose texts may come from files; which columns matter least
 * out    printable lines; when the terminal is narrow, less important columns are left out; when it is still too
 *        narrow, each row takes two lines; piped, nothing is cut
 */
import { isPlain, toPrintable } from '../../base/printable.ts'
import type { Brush, Paint } from './paint.ts'
import { cutEnd, cutStart, widthOf } from './width.ts'

export interface Column {
  readonly title: string
  /** The order in which columns become narrower, 1 first. Absent: never. */
  readonly shrinks?: number
  /** The order in which columns are left out when the terminal is narrow, 1 first. Absent: never. */
  readonly drops?: number
  /** The end of a long text that distinguishes it. Default: the start. */
  readonly keeps?: 'start' | 'end'
  /** In a narrow terminal the column stands on the second line of its row. */
  readonly isDetail?: boolean
}

export type Cell = string | { readonly text: string; readonly brush: Brush }

export interface TableView {
  readonly paint: Paint
  /** Undefined when output is piped. */
  readonly columns?: number | undefined
}

/**
 * Below this width, columns would be too thin to read. The same holds when the column that shrinks first would get no
 * more than `THIN`.
 */
const NARROW = 60
const THIN = 12

const GAP = '  '

/** The widest text with which other rows are aligned, where nothing is cut. */
const WIDEST = 100

/** A column never becomes narrower than this. */
const LEAST_WIDTH = 8

export function toTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  view: TableView,
): string[] {
  const cells = rows.map((row) => row.map(toPrintableCell))
  const heading = columns.map(({ title }) => toPrintableCell({ text: title, brush: view.paint.dim }))
  const all = [heading, ...cells]
  const room = view.columns
  if (room === undefined) return toLines(columns, all, Infinity)
  const shown = findFitting(columns, naturalWidths(columns, all, room), room)
  if (shown === undefined) return toPairs(columns, cells, room)
  if (shown.size === columns.length) return toLines(columns, all, room)
  const pick = <T>(items: readonly T[]): T[] => items.filter((_, i) => shown.has(i))
  return toLines(pick(columns), all.map(pick), room)
}

/** The indexes of the columns that fit; undefined when the required columns do not fit. */
function findFitting(
  columns: readonly Column[],
  widths: readonly number[],
  room: number,
): ReadonlySet<number> | undefined {
  if (room < NARROW) return undefined
  const shown = new Set(columns.keys())
  for (const next of inOrderOf(columns, 'drops')) {
    if (hasRoom(columns, widths, { shown, room })) return shown
    shown.delete(next)
  }
  return hasRoom(columns, widths, { shown, room }) ? shown : undefined
}

function hasRoom(
  columns: readonly Column[],
  widths: readonly number[],
  { shown, room }: { readonly shown: ReadonlySet<number>; readonly room: number },
): boolean {
  const excess = sumOf([...shown].map((i) => widths[i]!)) - room
  const first = columns.findIndex(({ shrinks, isDetail }) => shrinks === 1 && isDetail === true)
  return excess <= 0 || first === -1 || widths[first]! - excess >= THIN
}

/** The indexes of the columns that have such a number, 1 first. */
function inOrderOf(columns: readonly Column[], number: 'shrinks' | 'drops'): readonly number[] {
  const numbered = [...columns.keys()].filter((i) => columns[i]![number] !== undefined)
  return numbered.sort((a, b) => columns[a]![number]! - columns[b]![number]!)
}

function sumOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length)
}

interface PrintableCell {
  readonly text: string
  readonly width: number
  readonly brush?: Brush
}

type Row = readonly PrintableCell[]

function toPrintableCell(cell: Cell): PrintableCell {
  const raw = typeof cell === 'string' ? cell : cell.text
  const isAscii = isPlain(raw)
  const text = isAscii ? raw : toPrintable(raw)
  const width = isAscii ? raw.length : widthOf(text)
  return typeof cell === 'string' ? { text, width } : { text, width, brush: cell.brush }
}

function toLines(columns: readonly Column[], rows: readonly Row[], room: number): string[] {
  const widths = shrink(columns, naturalWidths(columns, rows, room), room)
  const slots = columns.map(({ keeps }, i) => ({ keeps, width: widths[i]!, mayCut: room !== Infinity }))
  return rows.map((row) =>
    row
      .map((cell, i) => showCell(cell, slots[i]!))
      .join(GAP)
      .trimEnd(),
  )
}

function naturalWidths(columns: readonly Column[], rows: readonly Row[], room: number): number[] {
  const widths = columns.map(() => 0)
  for (const row of rows) {
    for (let i = 0; i < row.length; i++) {
      const { width } = row[i]!
      // Where nothing is cut, one name of a thousand characters must not widen all other lines.
      if (width > widths[i]! && (room !== Infinity || width <= WIDEST)) widths[i] = width
    }
  }
  return widths
}

/** The least important columns become narrower first. When all are at their minimum, lines stay too long. */
function shrink(columns: readonly Column[], natural: readonly number[], room: number): number[] {
  const widths = [...natural]
  let excess = sumOf(widths) - room
  for (const i of inOrderOf(columns, 'shrinks')) {
    const given = Math.max(0, Math.min(excess, widths[i]! - LEAST_WIDTH))
    widths[i]! -= given
    excess -= given
  }
  return widths
}

/** The width of one column. */
interface Slot {
  readonly keeps: Column['keeps']
  readonly width: number
  readonly mayCut: boolean
}

function showCell({ text, brush, width: own }: PrintableCell, { keeps, width, mayCut }: Slot): string {
  const isWhole = !mayCut || own <= width
  const cut = isWhole ? text : keeps === 'end' ? cutStart(text, width) : cutEnd(text, width)
  const space = width - (isWhole ? own : widthOf(cut))
  return (brush?.(cut) ?? cut) + (space > 0 ? ' '.repeat(space) : '')
}

/** Two lines for each row: the main columns, and below them, indented, the details. */
function toPairs(columns: readonly Column[], rows: readonly Row[], room: number): string[] {
  const isMain = columns.map(({ isDetail }) => isDetail !== true)
  const main = <T>(items: readonly T[]): T[] => items.filter((_, i) => isMain[i])
  const details = <T>(items: readonly T[]): T[] => items.filter((_, i) => !isMain[i])
  const firstLines = toLines(main(columns), rows.map(main), room)
  return rows.flatMap((row, i) => {
    // Formatted alone: aligned with the other rows, it would be cut more than necessary.
    const [second] = toLines(details(columns), [details(row)], room - GAP.length)
    return [firstLines[i]!, ...(second === '' ? [] : [GAP + second])]
  })
}
