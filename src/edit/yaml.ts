/**
 * yaml: edits YAML text in its own style: blocks stay blocks, and values between brackets stay there.
 *
 * never  changes a part that other places refer to by its anchor, or anything behind a reference: the same text would
 *        then mean something else elsewhere
 */
import { isAlias, isMap, isPair, isScalar, isSeq, visit, type Node } from 'yaml'
import { isSameValue, type Value } from './change.ts'
import { addItem, removeItem, type Brackets } from './items.ts'
import { eolOf, lineStart, nextLine, splice, type Language, type Page, type Span } from './page.ts'
import { afterKey, blockYaml, flowYaml, isBlock, scalarYaml, yamlKey, type BlockStyle } from './yaml-text.ts'
import {
  columnOf,
  contentEnd,
  countOf,
  entriesOf,
  entryEnd,
  find,
  isFlow,
  parse,
  readSheet,
  refuseSharedInside,
  spanOf,
  walk,
  type Entry,
  type Location,
  type Sheet,
} from './yaml-tree.ts'
import { isBlank, readYaml } from './yaml-value.ts'

export const yaml: Language = {
  blank: '',
  open: openPage,
  // A duplicate key would have the same value, but only for some readers.
  says: (page, wanted, before) =>
    isSameValue(page.value, wanted) && countRepeated(page.text) <= countRepeated(before.text),
}

function openPage(text: string): Page {
  const sheet = readSheet(text)
  const page: Page = {
    text,
    value: readYaml(sheet.document, text),
    put: (path, value) => {
      const place = walk(sheet, page, path).at(-1)!
      refuseSharedInside(sheet, page, { path, node: place.node })
      return putValue(sheet, place, value)
    },
    add: (path, value) => {
      const parent = walk(sheet, page, path).at(-1)!
      return addValue(sheet, parent, { key: path.at(-1)!, value })
    },
    remove: (path) => {
      const place = walk(sheet, page, path).at(-1)!
      refuseSharedInside(sheet, page, { path, node: place.node })
      const left = removeEntry(sheet, place)
      const isTwice = countOf(place) > 1
      return isTwice ? openPage(left).remove(path) : left
    },
    rename: (path, to) => {
      const place = walk(sheet, page, path).at(-2)!
      const [first, ...others] = entriesOf(place.node).filter(({ key }) => key === path.at(-1))
      const child = { ...first!, parent: place }
      if (others.length > 0) return openPage(removeEntry(sheet, child)).rename(path, to)
      return splice(text, spanOf(first!.keyNode!), isFlow(place.node) ? JSON.stringify(to) : yamlKey(to))
    },
    countOf: (path) => Math.max(1, countOf(find(sheet, path).at(-1))),
    spanOf: (path) => {
      const node = find(sheet, path).at(-1)?.node
      return path.length === 0 || node?.range === undefined || node.range === null
        ? { start: 0, end: text.length }
        : { start: node.range[0], end: Math.max(node.range[0] + 1, contentEnd(node)) }
    },
  }
  return page
}

function countRepeated(text: string): number {
  let count = 0
  visit(parse(text), {
    Map: (_, map) => void (count += map.items.length - new Set(entriesOf(map).map(({ key }) => key)).size),
  })
  return count
}

/** Adds it at the end of a document, object or list. */
function addValue(
  sheet: Sheet,
  place: Location,
  added: { readonly key: string | number; readonly value: Value },
): string {
  const { text } = sheet
  const { node } = place
  const { key, value } = added
  const inner: Value = typeof key === 'number' ? [value] : { [key]: value }
  if (node === undefined || (place.parent === undefined && isBlank(node))) return addToDocument(sheet, inner)
  const entries = entriesOf(node)
  if (isFlow(node) && entries.length > 0) return addToFlow(sheet, node, added)
  if (entries.length === 0) return putValue(sheet, place, inner)
  const column = columnOf(text, node.range![0])
  return insertLines(sheet, endOfBlock(text, contentEnd(node), column), block(sheet, inner, column))
}

function block({ unit, eol }: Sheet, value: Value, column: number): string {
  return ' '.repeat(column) + blockYaml(value, { column, unit, eol })
}

function addToDocument(sheet: Sheet, value: Value): string {
  const { text } = sheet
  const end = /^\.\.\.(?=\s|$)/m.exec(text)?.index ?? text.length
  const trimmed = text.slice(0, end).trimEnd().length
  return insertLines(sheet, trimmed === 0 ? 0 : nextLine(text, trimmed), block(sheet, value, 0))
}

/** Inserts whole lines, at the start of a line or the end of the text. */
function insertLines({ text, eol }: Sheet, at: number, lines: string): string {
  const hasNoEnd = at === text.length && text !== '' && !text.endsWith('\n')
  return splice(text, { start: at, end: at }, hasNoEnd ? eol + lines : lines + eol)
}

/** After the comments below that are indented at least as far as the block. */
function endOfBlock(text: string, end: number, column: number): number {
  let at = lineAfter(text, end)
  for (let next = at; next < text.length;) {
    const line = text.slice(next, nextLine(text, next))
    const isComment = line.trimStart().startsWith('#') && line.length - line.trimStart().length >= column
    if (!isComment && line.trim() !== '') break
    next = nextLine(text, next)
    if (isComment) at = next
  }
  return at
}

/** The start of the next line, or this position when it starts a line: text in a block ends after its line break. */
function lineAfter(text: string, end: number): number {
  return end > 0 && text[end - 1] === '\n' ? end : nextLine(text, end)
}

function bracketsOf({ text }: Sheet, node: Node): Brackets {
  const items = entriesOf(node).map(({ node: value, keyNode }) => ({
    start: (keyNode ?? value)!.range![0],
    end: entryEnd({ node: value, keyNode }),
  }))
  return { text, span: spanOf(node), items, between: /(?:\s|#[^\n]*)*/y }
}

function addToFlow(
  sheet: Sheet,
  node: Node,
  { key, value }: { readonly key: string | number; readonly value: Value },
): string {
  const written = typeof key === 'number' ? flowYaml(value) : `${JSON.stringify(key)}: ${flowYaml(value)}`
  return addItem(bracketsOf(sheet, node), {
    inline: written,
    block: () => written,
    eol: sheet.eol,
    unit: undefined,
  })
}

/** Replaces the existing value. */
function putValue(sheet: Sheet, place: Location, value: Value): string {
  const { text, eol, unit } = sheet
  const { node, parent, keyNode } = place
  const isInFlow = isFlow(parent?.node)
  if (node === undefined) {
    const at = keyNode!.range![1]
    return splice(text, { start: at, end: at }, `: ${isInFlow ? flowYaml(value) : scalarYaml(value)}`)
  }
  const start = node.range![0]
  const end = contentEnd(node)
  const isText = text[end - 1] === '\n' && end > start
  const span = { start, end }
  if (isInFlow) return splice(text, span, flowYaml(value))
  if (!isBlock(value)) {
    return putScalar(sheet, place, { span, written: scalarYaml(value) })
  }
  const isOwnBlock = !isScalar(node) && !isAlias(node) && !isFlow(node)
  const keyColumn = keyNode === undefined ? -1 : columnOf(text, keyNode.range![0])
  // A list may be indented as little as its key; no other value may.
  if (isOwnBlock && columnOf(text, start) === keyColumn)
    return splice(text, { start: lineStart(text, start), end }, block(sheet, value, keyColumn + unit))
  if (parent === undefined || isOwnBlock || isSeq(parent.node)) {
    const column = columnOf(text, start)
    const lead = text[start - 1] === '-' ? ' ' : ''
    return splice(
      text,
      span,
      lead + blockYaml(value, { column: column + lead.length, unit, eol }) + (isText ? eol : ''),
    )
  }
  const style: BlockStyle = { column: keyColumn, unit, eol }
  return replaceByBlock(text, span, { lines: afterKey(value, style).slice(1), isText })
}

/** `key: old # why` becomes `key: # why`, with the block below. */
function replaceByBlock(
  text: string,
  { start, end }: Span,
  { lines, isText }: { readonly lines: string; readonly isText: boolean },
): string {
  const blanks = /[ \t]*$/.exec(text.slice(lineStart(text, start), start))![0].length
  if (isText) return splice(text, { start: start - blanks, end }, lines + eolOf(text))
  const rest = /^[^\r\n]*/.exec(text.slice(end))![0]
  const comment = rest.trim() === '' ? '' : ` ${rest.trim()}`
  return splice(text, { start: start - blanks, end: end + rest.length }, comment + lines)
}

function removeEntry(sheet: Sheet, place: Location): string {
  const { text } = sheet
  const parent = place.parent!
  const holder = parent.node!
  const siblings = entriesOf(holder)
  if (isFlow(holder)) return removeItem(bracketsOf(sheet, holder), place.index)
  if (siblings.length === 1) return removeOnly(sheet, parent)
  const start = startOf(sheet, holder, siblings[place.index]!)
  const end = entryEnd(place)
  const line = lineStart(text, start)
  if (text.slice(line, start).trim() === '') return removeLines(text, { start, end })
  // After the dash of an item: the next item moves up, unless a comment stands between.
  const next = startOf(sheet, holder, siblings[place.index + 1]!)
  const isCommented = text.slice(end, next).trim() !== ''
  return splice(text, { start, end: isCommented ? end : next }, '')
}

/** At the key, its `?`, or the dash. */
function startOf({ text }: Sheet, holder: Node, { keyNode, node }: Entry): number {
  const at = (keyNode ?? node)!.range![0]
  if (keyNode === undefined || !isPair((holder as { items: unknown[] }).items[0])) {
    const dash = text.lastIndexOf('-', at - 1)
    return dash === -1 ? at : dash
  }
  const mark = /\?[ \t]+$/.exec(text.slice(lineStart(text, at), at))
  return mark === null ? at : at - mark[0].length
}

/** A comment after it in its last line stays. */
function removeLines(text: string, { start, end }: Span): string {
  const line = lineStart(text, start)
  const next = lineAfter(text, end)
  const rest = end >= next ? '' : text.slice(end, next)
  if (rest.trim() !== '')
    return splice(text, { start, end: end + (rest.length - rest.trimStart().length) }, '')
  const left = splice(text, { start: line, end: next }, '')
  const isCut = next === text.length && !text.endsWith('\n')
  return isCut ? left.replace(/\r?\n$/, '') : left
}

/** An object or list that becomes empty is written as `{}` or `[]`; a document may be empty. */
function removeOnly(sheet: Sheet, { node, parent, keyNode }: Location): string {
  const { text } = sheet
  const span = { start: node!.range![0], end: contentEnd(node!) }
  if (parent === undefined) return removeLines(text, span)
  return putScalar(sheet, { node, parent, keyNode }, { span, written: isSeq(node) ? '[]' : '{}' })
}

/** In the line of its key, even when the old value was a block below it. */
function putScalar(
  sheet: Sheet,
  { node, keyNode }: Pick<Location, 'node' | 'parent' | 'keyNode'>,
  { span, written }: { readonly span: Span; readonly written: string },
): string {
  const { text, eol } = sheet
  const isBlockBelow = (isMap(node) || isSeq(node)) && !isFlow(node)
  const colon =
    keyNode === undefined || !isBlockBelow ? undefined : colonAfter(text, keyNode.range![1], span.start)
  if (colon !== undefined) return splice(removeLines(text, span), { start: colon, end: colon }, ` ${written}`)
  const isText = text[span.end - 1] === '\n' && span.end > span.start
  const lead = text[span.start - 1] === ':' ? ' ' : ''
  return splice(text, span, lead + written + (isText ? eol : ''))
}

/** The position after the colon, when only comments stand between it and the lines of its value. */
function colonAfter(text: string, from: number, to: number): number | undefined {
  const found = /^[ \t]*:(?=(?:\s|(?<=\s)#[^\n]*)*$)/.exec(text.slice(from, to))
  const isBelow = text.slice(from, to).includes('\n')
  return found === null || !isBelow ? undefined : from + found[0].length
}
