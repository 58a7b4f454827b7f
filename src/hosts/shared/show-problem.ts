/**
 * show-problem: formats a Problem for people: what happened, where, what to do.
 *
 * in     a Problem whose texts may come from files
 * out    printable text without a final line break; the carets stand below the characters that they mark
 */
import { toPrintable } from '../../base/printable.ts'
import type { Excerpt, Problem, Where } from '../../model/problem.ts'
import type { Brush, Paint } from './paint.ts'
import { shortenHome, showOwner, showSpot, type Here } from './show-path.ts'
import { cutEnd, cutStart, widthOf } from './width.ts'

export interface View {
  readonly here: Here
  readonly paint: Paint
  /** Width of the terminal; undefined when output is piped. */
  readonly columns?: number | undefined
}

export function showProblem(problem: Problem, view: View): string {
  const { paint, here } = view
  const color = { error: paint.red, warning: paint.yellow, info: paint.cyan }[problem.severity]
  const toLine = (text: string): string => toPrintable(shortenHome(text, here))
  return [
    `${paint.bold(color(`${problem.severity}:`))} ${paint.bold(toLine(problem.message))}`,
    ...(problem.where === undefined || problem.where.isNamed === true
      ? []
      : showWhere(problem.where, problem.message, { ...view, color })),
    ...problem.notes.map((note) => `  ${toLine(note)}`),
    // Users paste hints, perhaps between quotes or into a file, where `~` has no meaning. So paths stay whole.
    ...(problem.hints.length === 0 ? [] : ['']),
    ...problem.hints.map((hint) => `${paint.bold(paint.green('hint:'))} ${toPrintable(hint)}`),
  ].join('\n')
}

export function showProblems(problems: readonly Problem[], view: View): string {
  return problems.map((problem) => showProblem(problem, view)).join('\n\n')
}

type MarkedView = View & { readonly color: Brush }

function showWhere(where: Where, message: string, view: MarkedView): string[] {
  const { paint, here } = view
  const owner = showOwner(where)
  const { server } = where
  const isNamed = server === undefined || server.trim() === '' || message.includes(`\`${server}\``)
  const owners = [
    ...(owner === '' ? [] : [owner]),
    ...(isNamed ? [] : [`server \`${toPrintable(server)}\``]),
  ].join(', ')
  const place = `  ${paint.cyan('-->')} ${showSpot(where, here)}`
  return [
    owners === '' ? place : `${place}   (${owners})`,
    ...(isBlank(where.excerpt) ? [] : showExcerpt(where.excerpt!, where.line, view)),
  ]
}

/** A file that ends too early has its error at an empty place. */
function isBlank(excerpt: Excerpt | undefined): boolean {
  return excerpt === undefined || excerpt.text.trim() === ''
}

function showExcerpt(excerpt: Excerpt, line: number | undefined, view: MarkedView): string[] {
  const number = String(line ?? '')
  const { paint, color } = view
  const bar = paint.cyan('|')
  const gutter = ' '.repeat(Math.max(1, number.length) + 1)
  const room = view.columns === undefined ? Infinity : view.columns - gutter.length - 2
  const { text, indent, carets } = fitExcerpt(excerpt, Math.max(room, 20))
  return [
    `${gutter}${bar}`,
    `${paint.cyan(number)}${gutter.slice(number.length)}${bar} ${text}`,
    `${gutter}${bar} ${' '.repeat(indent)}${color('^'.repeat(carets))}`,
  ]
}

/** A wrapped line would separate the carets from the text above them, so the line is cut on both sides. */
function fitExcerpt(
  { text, column, length }: Excerpt,
  room: number,
): { readonly text: string; readonly indent: number; readonly carets: number } {
  const before = toShownLine(text.slice(0, column - 1))
  const marked = toShownLine(text.slice(column - 1, column - 1 + length))
  const after = toShownLine(text.slice(column - 1 + length)).trimEnd()
  const isTooWide = widthOf(before + marked + after) > room
  const lead = isTooWide ? cutStart(before, Math.floor(room / 3)) : before
  const indent = widthOf(lead)
  const carets = Math.max(1, Math.min(widthOf(marked), room - indent))
  return { text: cutEnd(lead + marked + after, room), indent, carets }
}

/** The terminal decides the width of a tab, so tabs are replaced. */
function toShownLine(text: string): string {
  return toPrintable(text.replaceAll('\t', '    '))
}
