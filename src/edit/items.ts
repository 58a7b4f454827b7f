/**
 * items: adds and removes items between brackets, with commas, in any of the formats.
 *
 * never  removes a comment; counts a comma inside a comment
 */
import { indentAt, lineStart, nextLine, splice, type Span } from './page.ts'

export interface Brackets {
  readonly text: string
  /** With the brackets. */
  readonly span: Span
  readonly items: readonly Span[]
  /** A sticky pattern for any number of blanks, line breaks and comments. */
  readonly between: RegExp
}

export interface NewItem {
  /** The text for an item in the same line as the others. */
  readonly inline: string
  /** The text for an item on a line of its own. */
  readonly block: (indent: string) => string
  readonly eol: string
  /** Empty brackets are split over lines, with items indented by this; undefined: they stay in one line. */
  readonly unit: string | undefined
}

/** Adds it at the end, after the comments there. */
export function addItem(brackets: Brackets, item: NewItem): string {
  const { text, span, items } = brackets
  const last = items.at(-1)
  if (last === undefined) return addFirst(brackets, item)
  const close = span.end - 1
  const comma = commaAfter(brackets, last.end)
  const indent = indentAt(text, last.start)
  const isOnOwnLine =
    lineStart(text, last.start) + indent.length === last.start && last.start > span.start + 1
  // A comment to the end of the line may follow the last item.
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

/** Removes it with its comma, and with its line when that contains nothing else. */
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

/** Brackets that become empty are closed up, unless they contain comments. */
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
  // `{ "a": 1, "b": 2 }`: the last item loses the blank before it, all others the one after.
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
