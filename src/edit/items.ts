/**
 * items: what stands between brackets, with commas: added to and taken from, in any of the formats.
 *
 * never  takes out a comment; counts a comma in one
 */
import { indentAt, lineStart, nextLine, splice, type Span } from './page.ts'

export interface Brackets {
  readonly text: string
  /** With the brackets. */
  readonly span: Span
  readonly items: readonly Span[]
  /** Sticky; blanks, line breaks and comments, as many as there are. */
  readonly between: RegExp
}

export interface NewItem {
  /** For a place in the same line as the others. */
  readonly inline: string
  /** For a line of its own. */
  readonly block: (indent: string) => string
  readonly eol: string
  /** Brackets with nothing between them are opened, with items indented by this; undefined: they stay in one line. */
  readonly unit: string | undefined
}

/** At the end, behind the comments there. */
export function addItem(brackets: Brackets, item: NewItem): string {
  const { text, span, items } = brackets
  const last = items.at(-1)
  if (last === undefined) return addFirst(brackets, item)
  const close = span.end - 1
  const comma = commaAfter(brackets, last.end)
  const indent = indentAt(text, last.start)
  const isOnOwnLine =
    lineStart(text, last.start) + indent.length === last.start && last.start > span.start + 1
  // A comment to the end of the line may stand behind the last one.
  const isBroken = isOnOwnLine || text.slice(last.end, close).includes('\n')
  const at = last.end + text.slice(last.end, close).trimEnd().length
  const lead = isBroken ? item.eol + indent + item.block(indent) : ` ${item.inline}`
  const added = splice(text, { start: at, end: at }, lead + (comma === undefined ? '' : ','))
  return comma === undefined ? splice(added, { start: last.end, end: last.end }, ',') : added
}

function addFirst({ text, span }: Brackets, { inline, block, eol, unit }: NewItem): string {
  const inner = { start: span.start + 1, end: span.end - 1 }
  const inside = text.slice(inner.start, inner.end).trimEnd()
  if (unit === undefined && inside === '') {
    const pad = text[span.start] === '{' ? ' ' : ''
    return splice(text, inner, pad + inline + pad)
  }
  const indent = indentAt(text, span.start)
  const deeper = indent + (unit ?? '  ')
  return splice(text, inner, `${inside}${eol}${deeper}${block(deeper)}${eol}${indent}`)
}

/** With its comma, and its line when nothing else stands in it. */
export function removeItem(brackets: Brackets, index: number): string {
  const { text, items } = brackets
  const { start, end } = items[index]!
  const comma = commaAfter(brackets, end)
  if (items.length === 1) return removeOnly(brackets, { start, end: comma === undefined ? end : comma + 1 })
  if (comma !== undefined) return removeSpan(text, { start, end: comma + 1 })
  const before = items[index - 1]
  const commaBefore = before === undefined ? undefined : commaAfter(brackets, before.end)
  const left = removeSpan(text, { start, end })
  return commaBefore === undefined ? left : splice(left, { start: commaBefore, end: commaBefore + 1 }, '')
}

/** Brackets that are empty afterwards are written so, unless there are comments in them. */
function removeOnly({ text, span }: Brackets, item: Span): string {
  const inner = { start: span.start + 1, end: span.end - 1 }
  const rest = text.slice(inner.start, item.start) + text.slice(item.end, inner.end)
  return rest.trim() === '' ? splice(text, inner, '') : removeSpan(text, item)
}

function removeSpan(text: string, span: Span): string {
  const start = lineStart(text, span.start)
  const next = nextLine(text, span.end)
  const isAlone = text.slice(start, span.start).trim() === '' && text.slice(span.end, next).trim() === ''
  if (isAlone && start > 0 && text[next - 1] === '\n') return splice(text, { start, end: next }, '')
  const before = /[ \t]*$/.exec(text.slice(start, span.start))![0].length
  const after = /^[ \t]*/.exec(text.slice(span.end, next))![0].length
  // `{ "a": 1, "b": 2 }`: the blank before goes with the last, the one behind with all others.
  const isLast = /^[ \t]*[}\]]/.test(text.slice(span.end, next))
  return isLast
    ? splice(text, { start: span.start - before, end: span.end }, '')
    : splice(text, { start: span.start, end: span.end + after }, '')
}

function commaAfter({ text, between }: Brackets, end: number): number | undefined {
  between.lastIndex = end
  between.exec(text)
  return text[between.lastIndex] === ',' ? between.lastIndex : undefined
}
