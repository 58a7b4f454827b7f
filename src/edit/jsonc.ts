/**
 * jsonc: edits JSON text, with or without comments and trailing commas, in its own style.
 *
 * It does not use the library's own edits: they reformat the neighbours, and move the last comment to the new item.
 *
 * never  removes a comment, except inside a value that is removed
 */
import { parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser'
import { isTooDeep } from '../base/depth.ts'
import { describeJsonFault } from '../base/json-fault.ts'
import { isListValue, isObjectValue, isSameValue, type Value } from './change.ts'
import { BETWEEN, findItems, findNode, scanJson, type JsonItem, type JsonNode } from './json-scan.ts'
import { addItem, removeItem, type Brackets, type NewItem } from './items.ts'
import { eolOf, indentAt, splice, type Language, type Page } from './page.ts'
import { doesNotParse } from './problems.ts'

export const jsonc: Language = {
  blank: '{}\n',
  open: openPage,
  says: ({ value }, wanted) => isSameValue(value, wanted),
}

/**
 * The value is parsed at once, the positions only on demand: they take ten times as long, and only changes need them.
 */
function openPage(text: string): Page {
  const value = readValue(text)
  let tree: JsonNode | undefined
  const root = (): JsonNode => (tree ??= scanJson(text))
  return {
    text,
    value,
    put: (path, wanted) => {
      const node = findNode(root(), path)!
      const [item] = findItems(root(), path)
      const isInOneLine = item !== undefined && isOneLine(text, item.holder)
      const indent = indentAt(text, node.start)
      return splice(text, node, isInOneLine ? inline(wanted) : write(wanted, indent, styleOf(text, root())))
    },
    add: (path, added) => {
      const container = findNode(root(), path.slice(0, -1))!
      const item = toItem({ key: path.at(-1)!, value: added, style: styleOf(text, root()) })
      return addItem(bracketsOf(text, container), item)
    },
    remove: (path) => {
      const [item, ...others] = findItems(root(), path)
      const left = removeOne(text, item!)
      return others.length === 0 ? left : openPage(left).remove(path)
    },
    rename: (path, to) => {
      const [item, ...others] = findItems(root(), path)
      if (others.length > 0) return openPage(removeOne(text, item!)).rename(path, to)
      return splice(text, item!.keySpan, JSON.stringify(to))
    },
    countOf: (path) => Math.max(1, findItems(root(), path).length),
    spanOf: (path) => findNode(root(), path) ?? root(),
  }
}

/**
 * Uses the engine's own parser, after comments and trailing commas are removed. The other parser reports what is wrong,
 * and where.
 */
function readValue(text: string): Value {
  const value = tryJson(text) ?? tryJson(toBareJson(text)) ?? toValue(parse(text))
  // The reader of these files has the same limit: it would not see a change that was reported as made.
  if (isTooDeep(value)) throw nestedTooDeeply(text)
  return value
}

/** Undefined when it does not parse. */
function tryJson(text: string): Value | undefined {
  try {
    return JSON.parse(text) as Value
  } catch (error) {
    const isFault = error instanceof SyntaxError || error instanceof RangeError
    if (!isFault) throw error
    return undefined
  }
}

/** Without comments and trailing commas. The rest is copied in long pieces: a file may have ten thousand strings. */
function toBareJson(text: string): string {
  const kept: string[] = []
  for (let at = 0; at < text.length;) {
    const end = endOf(KEPT, text, at)
    const next = text[end] === ',' ? end + 1 : endOf(COMMENT, text, end)
    // Something else is wrong, such as a string without an end: the parser reports it.
    if (next === end && end < text.length) return text
    kept.push(text.slice(at, end))
    at = next
  }
  return kept.join(' ')
}

/** Where the match of a sticky pattern that begins here ends. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

const COMMENT = /\/\/[^\r\n]*|\/\*[^]*?\*\//y
/** Whole strings, so that nothing inside of them matches; and commas before another item. */
const KEPT = /(?:[^"/,]+|"(?:[^"\\]+|\\.)*"|,(?!(?:\s|\/\/[^\r\n]*|\/\*[^]*?\*\/)*[}\]]))*/y

function removeOne(text: string, item: JsonItem): string {
  return removeItem(bracketsOf(text, item.holder), item.holder.items.indexOf(item))
}

function parse(text: string): Node {
  const errors: ParseError[] = []
  const root = parseDeep(text, errors)
  const [error] = errors
  if (error !== undefined)
    throw doesNotParse(
      text,
      { format: 'JSON', message: describeError(text, error) },
      { start: error.offset, end: error.offset + error.length },
    )
  if (root === undefined)
    throw doesNotParse(text, { format: 'JSON', message: 'there is no value' }, { start: 0, end: text.length })
  return root
}

function parseDeep(text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, { allowTrailingComma: true, disallowComments: false })
  } catch (error) {
    // The parser recurses, and overflows on a file of a hundred thousand brackets.
    if (!(error instanceof RangeError)) throw error
    throw nestedTooDeeply(text)
  }
}

function nestedTooDeeply(text: string): Error {
  return doesNotParse(text, { format: 'JSON', message: 'it is nested too deeply' }, { start: 0, end: 1 })
}

function describeError(text: string, { error, offset, length }: ParseError): string {
  const end = offset + length
  return describeJsonFault(printParseErrorCode(error), text.slice(offset, end), text[end])
}

function toValue(node: Node): Value {
  if (node.type === 'array') return (node.children ?? []).map(toValue)
  if (node.type !== 'object') return node.value as Value
  return Object.fromEntries(
    (node.children ?? []).map(({ children }) => [children![0]!.value as string, toValue(children![1]!)]),
  )
}

interface Style {
  readonly unit: string
  readonly eol: string
}

/** The style of the file; two blanks where it shows none. */
function styleOf(text: string, root: JsonNode): Style {
  const eol = eolOf(text)
  const [first] = root.items
  const isOnOwnLine = first !== undefined && text.slice(root.start, first.start).includes('\n')
  const indent = isOnOwnLine ? indentAt(text, first.start).slice(indentAt(text, root.start).length) : ''
  return { unit: indent === '' ? '  ' : indent, eol }
}

/** The longest line that is written on purpose. */
const WIDTH = 100

function write(value: Value, indent: string, style: Style): string {
  const members = isObjectValue(value) ? Object.entries(value) : undefined
  if (members !== undefined) {
    if (members.length === 0) return '{}'
    return wrap('{}', indent, style, (inner) =>
      members.map(([key, one]) => `${JSON.stringify(key)}: ${write(one, inner, style)}`),
    )
  }
  if (!isListValue(value) || value.length === 0) return JSON.stringify(value)
  const isShort = value.every((item) => !isNested(item)) && indent.length + inline(value).length < WIDTH
  return isShort
    ? inline(value)
    : wrap('[]', indent, style, (inner) => value.map((item) => writeItem(item, inner, style)))
}

function wrap(
  [open, close]: string,
  indent: string,
  { unit, eol }: Style,
  lines: (inner: string) => readonly string[],
): string {
  const inner = indent + unit
  return `${open}${eol}${inner}${lines(inner).join(`,${eol}${inner}`)}${eol}${indent}${close}`
}

/** Small objects in a list take one line each. */
function writeItem(item: Value, indent: string, style: Style): string {
  const isFlat = isObjectValue(item) && Object.values(item).every((one) => !isNested(one))
  const isShort = isFlat && indent.length + inline(item).length < WIDTH
  return isShort ? inline(item) : write(item, indent, style)
}

function isNested(value: Value): boolean {
  return isListValue(value) || isObjectValue(value)
}

function inline(value: Value): string {
  if (isListValue(value)) return `[${value.map(inline).join(', ')}]`
  if (!isObjectValue(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${inline(one)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

interface Added {
  readonly key: string | number
  readonly value: Value
  readonly style: Style
}

function toItem({ key, value, style }: Added): NewItem {
  const { eol, unit } = style
  if (typeof key === 'number')
    return { inline: inline(value), block: (indent) => writeItem(value, indent, style), eol, unit }
  const name = `${JSON.stringify(key)}: `
  return { inline: name + inline(value), block: (indent) => name + write(value, indent, style), eol, unit }
}

function bracketsOf(text: string, node: JsonNode): Brackets {
  return { text, span: node, items: node.items, between: BETWEEN }
}

function isOneLine(text: string, { start, end }: JsonNode): boolean {
  return !text.slice(start, end).includes('\n')
}
