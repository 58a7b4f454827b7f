/**
 * jsonc: JSON text, with comments and trailing commas where it has them, changed in its own style.
 *
 * By hand, because the library's own edits format the neighbours anew, and take the comment behind the last of them for
 * that of the new one. A comment is never taken out, unless it stands inside of a value that goes.
 */
import { parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser'
import { isListValue, isObjectValue, isSameValue, type Path, type Value } from './change.ts'
import { addItem, removeItem, type Brackets, type NewItem } from './items.ts'
import { eolOf, indentAt, splice, type Language, type Page, type Span } from './page.ts'
import { doesNotParse } from './problems.ts'

export const jsonc: Language = { blank: '{}\n', open: openPage, isSame: isSameValue }

function openPage(text: string): Page {
  const root = parse(text)
  const style = styleOf(text, root)
  const page: Page = {
    text,
    value: toValue(root),
    put: (path, value) => {
      const node = find(root, path)!
      const isInOneLine = node.parent !== undefined && isOneLine(text, containerOf(node))
      const written = isInOneLine ? inline(value) : write(value, indentAt(text, node.offset), style)
      return splice(text, spanOfNode(node), written)
    },
    add: (path, value) => {
      const container = find(root, path.slice(0, -1))!
      return addItem(bracketsOf(text, container), toItem({ key: path.at(-1)!, value, style }))
    },
    remove: (path) => {
      const [node, ...others] = findAll(root, path)
      const left = removeNode(text, node!)
      return others.length === 0 ? left : openPage(left).remove(path)
    },
    rename: (path, to) => {
      const [node, ...others] = findAll(root, path)
      if (others.length > 0) return openPage(removeNode(text, node!)).rename(path, to)
      return splice(text, spanOfNode(node!.children![0]!), JSON.stringify(to))
    },
    countOf: (path) => Math.max(1, findAll(root, path).length),
    spanOf: (path) => spanOfNode(find(root, path) ?? root),
  }
  return page
}

/** A member, key and all, or an item. */
function removeNode(text: string, node: Node): string {
  const container = node.parent!
  return removeItem(bracketsOf(text, container), container.children!.indexOf(node))
}

function parse(text: string): Node {
  const errors: ParseError[] = []
  const root = parseDeep(text, errors)
  const [error] = errors
  if (error !== undefined)
    throw doesNotParse(
      text,
      { format: 'JSON', message: describeError(error) },
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
    // The parser recurses; a file of a hundred thousand brackets ends here.
    if (!(error instanceof RangeError)) throw error
    const fault = { format: 'JSON', message: 'it is nested too deeply' }
    throw doesNotParse(text, fault, { start: 0, end: 1 })
  }
}

/** `CommaExpected` → "comma expected". */
function describeError({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim()
}

function toValue(node: Node): Value {
  if (node.type === 'array') return (node.children ?? []).map(toValue)
  if (node.type !== 'object') return node.value as Value
  return Object.fromEntries(
    (node.children ?? []).map(({ children }) => [children![0]!.value as string, toValue(children![1]!)]),
  )
}

/** The value at a path; where a key is written twice the last one, as every parser has it. */
function find(root: Node, path: Path): Node | undefined {
  return path.reduce<Node | undefined>((at, key) => {
    if (typeof key === 'number') return at?.type === 'array' ? at.children?.[key] : undefined
    return membersOf(at, key).at(-1)?.children?.[1]
  }, root)
}

/** The members, key and all, or the item of a list. */
function findAll(root: Node, path: Path): Node[] {
  const parent = find(root, path.slice(0, -1))
  const key = path.at(-1)
  if (typeof key !== 'number') return key === undefined ? [] : membersOf(parent, key)
  const item = parent?.children?.[key]
  return item === undefined ? [] : [item]
}

function membersOf(node: Node | undefined, key: string): Node[] {
  if (node?.type !== 'object') return []
  return (node.children ?? []).filter(({ children }) => children?.[0]?.value === key)
}

function containerOf(node: Node): Node {
  return node.parent?.type === 'property' ? node.parent.parent! : node.parent!
}

function spanOfNode({ offset, length }: Node): Span {
  return { start: offset, end: offset + length }
}

interface Style {
  readonly unit: string
  readonly eol: string
}

/** As the file is written already; two blanks where it does not show. */
function styleOf(text: string, root: Node): Style {
  const eol = eolOf(text)
  const first = root.children?.[0]
  const isOnOwnLine = first !== undefined && text.slice(root.offset, first.offset).includes('\n')
  const indent = isOnOwnLine ? indentAt(text, first.offset).slice(indentAt(text, root.offset).length) : ''
  return { unit: indent === '' ? '  ' : indent, eol }
}

/** Longest line that is written on purpose. */
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

/** Small objects in a list take a line each. */
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

function bracketsOf(text: string, node: Node): Brackets {
  return {
    text,
    span: spanOfNode(node),
    items: (node.children ?? []).map(spanOfNode),
    between: /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y,
  }
}

function isOneLine(text: string, container: Node): boolean {
  return !text.slice(container.offset, container.offset + container.length).includes('\n')
}
