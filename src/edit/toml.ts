/**
 * toml: edits TOML text in its own style: tables stay tables, inline tables inline, dotted keys dotted.
 *
 * A table may be spread over a file: sections, sections below it, dotted keys. Each piece knows its whole path. A
 * change affects one piece, or all that begin with a path. A table or list that is only implied disappears with the
 * last piece below it: TOML has no other way to write it.
 */
import type { AST } from 'toml-eslint-parser'
import { isListValue, isObjectValue, isSameValue, type Path, type Value } from './change.ts'
import { addItem, removeItem, type Brackets } from './items.ts'
import { eolOf, indentAt, lineStart, nextLine, splice, type Language, type Page, type Span } from './page.ts'
import { noSuchValue } from './problems.ts'
import {
  inlineToml,
  isSection,
  tomlHeader,
  tomlKey,
  writeListSection,
  writeSection,
  writeToml,
} from './toml-text.ts'
import { isSamePath, piecesBelow, readTree, spanOf, startsWith, type Placed, type Tree } from './toml-tree.ts'
import { readToml } from './toml-value.ts'

export const toml: Language = {
  blank: '',
  open: openPage,
  says: ({ value }, wanted) => isSameValue(withoutEmpty(value), withoutEmpty(wanted)),
}

function openPage(text: string): Page {
  const tree = readTree(text)
  const page: Page = {
    text,
    value: readToml(tree.program),
    put: (path, value) => {
      requireSayable(page, path, value)
      const found = tree.values.find((one) => isSamePath(one.path, path))
      if (found === undefined && typeof path.at(-1) === 'number') throw onlyTables(page, path)
      // A table in pieces has no single position: it is removed, and the next step adds the new value.
      if (found === undefined) return page.remove(path)
      return splice(text, spanOf(found.node), writeToml(value, eolOf(text)))
    },
    add: (path, value) => {
      requireSayable(page, path, value)
      return addValue(tree, page, { path, value })
    },
    remove: (path) => {
      const item = tree.values.find(
        (one) => isSamePath(one.path, path) && one.node.parent.type === 'TOMLArray',
      )
      const pieces = piecesBelow(tree, path)
      const last = item?.node ?? pieces.at(-1)!
      const left = removePiece(text, last)
      return item !== undefined || pieces.length === 1 ? left : openPage(left).remove(path)
    },
    rename: (path, to) =>
      tree.keys
        .filter((key) => isSamePath(key.path, path))
        .reduceRight((left, { node }) => splice(left, spanOf(node), tomlKey(to)), text),
    countOf: () => 1,
    spanOf: (path) => {
      const node = tree.values.find((one) => isSamePath(one.path, path))?.node ?? piecesBelow(tree, path)[0]
      return path.length === 0 || node === undefined ? { start: 0, end: text.length } : spanOf(node)
    },
  }
  return page
}

/** TOML has no null. */
function requireSayable(page: Page, path: Path, value: Value): void {
  if (value === null) throw noSuchValue(page, path, 'cannot be null: TOML has no word for it')
  if (isListValue(value)) value.forEach((item, i) => requireSayable(page, [...path, i], item))
  else if (isObjectValue(value))
    for (const [key, one] of Object.entries(value)) requireSayable(page, [...path, key], one)
}

function onlyTables(page: Page, path: Path): Error {
  return noSuchValue(page, path, 'can only be a table, as the others of its list')
}

interface NewValue {
  readonly path: Path
  readonly value: Value
}

function addValue(tree: Tree, page: Page, added: NewValue): string {
  const parent = added.path.slice(0, -1)
  const holder = tree.values.find((one) => isSamePath(one.path, parent))?.node
  if (holder?.type === 'TOMLArray') return addToList(tree.text, holder, inlineToml(added.value))
  const key = added.path.at(-1)
  if (typeof key === 'number') return addListSection(tree, page, added)
  if (holder?.type === 'TOMLInlineTable')
    return addToList(tree.text, holder, `${tomlKey(key!)} = ${inlineToml(added.value)}`)
  const sections = tree.sections.filter((one) => startsWith(one.path, parent))
  const dotted = lastDotted(tree, parent)
  const isOpen = parent.length === 0 || sections.length > 0
  if (isSection(added.value) && isOpen) return addSection(tree, parent, writeNew(tree, added))
  const own = tree.sections.find((one) => isSamePath(one.path, parent))
  if (own !== undefined || parent.length === 0) return addPair(tree, own?.node, added)
  if (dotted !== undefined) return addDotted(tree, dotted, added)
  const header = `[${tomlHeader(parent)}]${eolOf(tree.text)}`
  return addSection(tree, parent, header + writePair(tree, tomlKey(key!), added.value))
}

function writeNew({ text }: Tree, { path, value }: NewValue): string {
  const eol = eolOf(text)
  if (isObjectValue(value)) return writeSection(path, value, eol)
  return (value as readonly Value[])
    .map((item) =>
      writeListSection(path, item as Extract<Value, object> & { readonly [key: string]: Value }, eol),
    )
    .join(eol)
}

function writePair({ text }: Tree, key: string, value: Value): string {
  const eol = eolOf(text)
  return `${key} = ${writeToml(value, eol)}${eol}`
}

function addListSection(tree: Tree, page: Page, { path, value }: NewValue): string {
  if (!isObjectValue(value)) throw onlyTables(page, path)
  const list = path.slice(0, -1)
  return addSection(tree, list, writeListSection(list, value, eolOf(tree.text)))
}

/** After the last section of its parent, with an empty line before and after. */
function addSection({ text, sections }: Tree, parent: Path, written: string): string {
  const last = sections.findLastIndex((one) => startsWith(one.path, parent))
  const isAtEnd = last === sections.length - 1
  const at = isAtEnd ? endOfContent(text) : endOfSection(text, sections[last]!.node)
  const eol = eolOf(text)
  const before = text.slice(0, at)
  const isFirst = before.trim() === ''
  const lead = isFirst ? '' : before.endsWith('\n') ? eol : eol + eol
  const isBlankAfter = /^\s*(?:\r?\n|$)/.test(text.slice(at))
  const hasNoEnd = at === text.length && !isFirst && !before.endsWith('\n')
  const body = hasNoEnd ? written.slice(0, -eol.length) : written
  return splice(text, { start: at, end: at }, lead + body + (isBlankAfter ? '' : eol))
}

/** The position after the last line that is not empty. */
function endOfContent(text: string): number {
  const trimmed = text.trimEnd().length
  return trimmed === 0 ? 0 : nextLine(text, trimmed)
}

/** Includes the comments right below it, unless they are right above the next section. */
function endOfSection(text: string, { range }: AST.TOMLTable): number {
  const end = nextLine(text, range[1])
  let at = end
  while (/^[ \t]*#/.test(text.slice(at, at + 200))) at = nextLine(text, at)
  return /^[ \t]*\[/.test(text.slice(at, at + 200)) ? end : at
}

/** At the end of a section, or of the top level when there is none. */
function addPair(tree: Tree, section: AST.TOMLTable | undefined, { path, value }: NewValue): string {
  const { text, program } = tree
  const written = writePair(tree, tomlKey(path.at(-1) as string), value)
  const top = program.body[0].body.filter((node) => node.type === 'TOMLKeyValue')
  const last = (section?.body ?? top).at(-1)
  if (last !== undefined)
    return addLine(text, { after: last.range[1], indent: indentAt(text, last.range[0]) }, written)
  if (section !== undefined) return addLine(text, { after: section.key.range[1], indent: '' }, written)
  const first = tree.sections[0]?.node
  if (first === undefined) return addSection(tree, [], written)
  const at = startOfComments(text, lineStart(text, first.range[0]))
  return splice(text, { start: at, end: at }, written + eolOf(text))
}

/** The comment lines right above a section belong to it. */
function startOfComments(text: string, line: number): number {
  const above = line === 0 ? 0 : lineStart(text, line - 1)
  return line > 0 && /^[ \t]*#/.test(text.slice(above, line)) ? startOfComments(text, above) : line
}

function addLine(
  text: string,
  { after, indent }: { readonly after: number; readonly indent: string },
  written: string,
): string {
  const at = nextLine(text, after)
  const eol = eolOf(text)
  const hasNoEnd = !text.slice(0, at).endsWith('\n')
  const line = indent + (hasNoEnd ? eol + written.slice(0, -eol.length) : written)
  return splice(text, { start: at, end: at }, line)
}

/** The last pair whose key leads through a table without a section. */
function lastDotted({ pairs }: Tree, parent: Path): Placed<AST.TOMLKeyValue> | undefined {
  return pairs.findLast(
    ({ node, path }) => startsWith(path, parent) && path.length - node.key.keys.length < parent.length,
  )
}

/** `a.b.c = 1` gets a neighbour `a.b.d = 2`. */
function addDotted(
  tree: Tree,
  { node, path: other }: Placed<AST.TOMLKeyValue>,
  { path, value }: NewValue,
): string {
  const base = other.length - node.key.keys.length
  const key = tomlHeader(path.slice(base))
  if (node.parent.type === 'TOMLInlineTable')
    return addToList(tree.text, node.parent, `${key} = ${inlineToml(value)}`)
  const pair = `${key} = ${inlineToml(value)}${eolOf(tree.text)}`
  return addLine(tree.text, { after: node.range[1], indent: indentAt(tree.text, node.range[0]) }, pair)
}

type Bracketed = AST.TOMLArray | AST.TOMLInlineTable

function addToList(text: string, list: Bracketed, written: string): string {
  return addItem(bracketsOf(text, list), {
    inline: written,
    block: () => written,
    eol: eolOf(text),
    unit: undefined,
  })
}

function bracketsOf(text: string, list: Bracketed): Brackets {
  const items: readonly AST.TOMLNode[] = list.type === 'TOMLArray' ? list.elements : list.body
  return { text, span: spanOf(list), items: items.map(spanOf), between: /(?:\s|#[^\n]*)*/y }
}

function removePiece(text: string, node: AST.TOMLNode): string {
  if (node.type === 'TOMLTable') return removeSection(text, node)
  const { parent } = node
  if (parent?.type === 'TOMLArray' || parent?.type === 'TOMLInlineTable') {
    const siblings: readonly AST.TOMLNode[] = parent.type === 'TOMLArray' ? parent.elements : parent.body
    return removeItem(bracketsOf(text, parent), siblings.indexOf(node))
  }
  return removePair(text, spanOf(node))
}

/** Removes the comments inside it, too, and the empty line above. */
function removeSection(text: string, { range }: AST.TOMLTable): string {
  const start = lineStart(text, range[0])
  const end = nextLine(text, range[1])
  return removeLines(text, { start, end })
}

/** A comment after it in the same line stays. */
function removePair(text: string, { start, end }: Span): string {
  const line = nextLine(text, end)
  const rest = text.slice(end, line).trim()
  if (rest === '') return removeLines(text, { start: lineStart(text, start), end: line })
  return splice(text, { start, end: end + /^[ \t]*/.exec(text.slice(end))![0].length }, '')
}

/** Of the empty lines above and below, one stays. */
function removeLines(text: string, { start, end }: Span): string {
  const above = lineStart(text, start - 1)
  const isBlankAbove = start > 0 && text.slice(above, start).trim() === ''
  const below = nextLine(text, end)
  const isBlankBelow = end < text.length && text.slice(end, below).trim() === ''
  const isEnd = end === text.length
  // A text that had no final line break gets none.
  const isCut = isEnd && !text.endsWith('\n')
  const from = isBlankAbove && (isBlankBelow || isEnd) ? above : start
  const left = splice(
    text,
    { start: from, end: from === start && start === 0 && isBlankBelow ? below : end },
    '',
  )
  return isCut ? left.replace(/\r?\n$/, '') : left
}

/** Without empty tables and lists: TOML cannot always say whether they exist. */
function withoutEmpty(value: Value): Value {
  if (isListValue(value)) return value.map(withoutEmpty)
  if (!isObjectValue(value)) return value
  const members = Object.entries(value).map(([key, one]) => [key, withoutEmpty(one)] as const)
  return Object.fromEntries(members.filter(([, one]) => !isEmpty(one)))
}

function isEmpty(value: Value): boolean {
  return isListValue(value) ? value.length === 0 : isObjectValue(value) && Object.keys(value).length === 0
}
