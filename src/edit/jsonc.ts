/**
 * jsonc: JSON text, with comments and trailing commas where it has them, changed in its own style.
 *
 * By hand, because the library's own edits format the neighbours anew, and take the comment behind the last of them for
 * that of the new one. A comment is never taken out, unless it stands inside of a value that goes.
 */
import { parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser'
import { isListValue, isObjectValue, isSameValue, type Path, type Value } from './change.ts'
import { eolOf, indentAt, lineStart, nextLine, splice, type Language, type Page, type Span } from './page.ts'
import { doesNotParse } from './problems.ts'

export const jsonc: Language = { blank: '{}\n', open: openPage, isSame: isSameValue }

function openPage(text: string): Page {
  const root = parse(text)
  const style = styleOf(text, root)
  return {
    text,
    value: toValue(root),
    put: (path, value) => {
      const node = find(root, path)!
      const isInOneLine = node.parent !== undefined && isOneLine(text, containerOf(node))
      const written = isInOneLine ? inline(value) : write(value, indentAt(text, node.offset), style)
      return splice(text, spanOfNode(node), written)
    },
    add: (path, value) => addItem(text, find(root, path.slice(0, -1))!, { key: path.at(-1)!, value, style }),
    remove: (path) => removeAll(text, findAll(root, path)),
    rename: (path, to) => {
      const [last, ...earlier] = findAll(root, path).reverse()
      // From the bottom up, so that offsets stay true.
      return removeAll(splice(text, spanOfNode(last!.children![0]!), JSON.stringify(to)), earlier.reverse())
    },
    countOf: (path) => Math.max(1, findAll(root, path).length),
    spanOf: (path) => spanOfNode(find(root, path) ?? root),
  }
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

interface NewItem {
  readonly key: string | number
  readonly value: Value
  readonly style: Style
}

/** At the end of a list or object, behind the comments there. */
function addItem(text: string, container: Node, item: NewItem): string {
  const { key, value, style } = item
  const written = (indent: string): string =>
    typeof key === 'number'
      ? writeItem(value, indent, style)
      : `${JSON.stringify(key)}: ${write(value, indent, style)}`
  const last = container.children?.at(-1)
  const close = container.offset + container.length - 1
  if (last === undefined) {
    const indent = indentAt(text, container.offset)
    const start = container.offset + 1
    const inside = text.slice(start, close).trimEnd()
    const { eol, unit } = style
    return splice(
      text,
      { start, end: close },
      `${inside}${eol}${indent}${unit}${written(indent + unit)}${eol}${indent}`,
    )
  }
  const end = last.offset + last.length
  const comma = commaAfter(text, end)
  const at = end + text.slice(end, close).trimEnd().length
  const indent = indentAt(text, last.offset)
  const member = typeof key === 'number' ? inline(value) : `${JSON.stringify(key)}: ${inline(value)}`
  const lead = isOneLine(text, container) ? ` ${member}` : `${style.eol}${indent}${written(indent)}`
  const added = splice(text, { start: at, end: at }, lead + (comma === undefined ? '' : ','))
  return comma === undefined ? splice(added, { start: end, end }, ',') : added
}

function isOneLine(text: string, container: Node): boolean {
  return !text.slice(container.offset, container.offset + container.length).includes('\n')
}

/** From the bottom up, so that offsets stay true. */
function removeAll(text: string, nodes: readonly Node[]): string {
  return nodes.reduceRight((left, node) => removeItem(left, node), text)
}

/** With its comma, and its line when nothing else stands in it. */
function removeItem(text: string, node: Node): string {
  const container = node.parent!
  const siblings = container.children!
  const { start, end } = spanOfNode(node)
  if (siblings.length === 1) return removeOnly(text, node, container)
  const comma = commaAfter(text, end)
  if (comma !== undefined) return removeSpan(text, { start, end: comma + 1 })
  const before = siblings[siblings.indexOf(node) - 1]
  const commaBefore = before === undefined ? undefined : commaAfter(text, before.offset + before.length)
  const left = removeSpan(text, { start, end })
  return commaBefore === undefined ? left : splice(left, { start: commaBefore, end: commaBefore + 1 }, '')
}

/** An object or list that is empty afterwards is written as one, unless there are comments in it. */
function removeOnly(text: string, node: Node, container: Node): string {
  const { start, end } = spanOfNode(node)
  const inside = { start: container.offset + 1, end: container.offset + container.length - 1 }
  const rest = (text.slice(inside.start, start) + text.slice(end, inside.end)).replace(',', '')
  if (rest.trim() === '') return splice(text, inside, '')
  const comma = commaAfter(text, end)
  return removeSpan(text, { start, end: comma === undefined ? end : comma + 1 })
}

function removeSpan(text: string, span: Span): string {
  const start = lineStart(text, span.start)
  const next = nextLine(text, span.end)
  const isAlone = text.slice(start, span.start).trim() === '' && text.slice(span.end, next).trim() === ''
  if (isAlone && start > 0 && text[next - 1] === '\n') return splice(text, { start, end: next }, '')
  const blanks = /^[ \t]*/.exec(text.slice(span.end))![0].length
  // `{ "a": 1, "b": 2 }`: the blank before goes with the last, the one behind with all others.
  const isLast = /^[ \t]*[}\]]/.test(text.slice(span.end))
  const before = isLast ? /[ \t]*$/.exec(text.slice(start, span.start))![0].length : 0
  return isLast
    ? splice(text, { start: span.start - before, end: span.end }, '')
    : splice(text, { start: span.start, end: span.end + blanks }, '')
}

/** Where the comma behind a value is; not one in a comment. */
function commaAfter(text: string, end: number): number | undefined {
  const between = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y
  between.lastIndex = end
  between.exec(text)
  return text[between.lastIndex] === ',' ? between.lastIndex : undefined
}
