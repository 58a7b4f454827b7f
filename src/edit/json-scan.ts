/**
 * json-scan: finds positions in a JSON text on demand.
 *
 * in     a text that is known to parse, with comments and trailing commas
 * out    nodes that are scanned only when they are used: to change one server of a thousand, the others need not be
 *        read
 */
import type { Path } from './change.ts'
import type { Span } from './page.ts'

export interface JsonNode extends Span {
  readonly kind: 'object' | 'list' | 'scalar'
  /** Members or items, in their order. */
  readonly items: readonly JsonItem[]
}

/** From its key to the end of its value. */
export interface JsonItem extends Span {
  /** The index, in a list. */
  readonly key: string | number
  readonly keySpan: Span
  readonly value: JsonNode
  readonly holder: JsonNode
}

export function scanJson(text: string): JsonNode {
  return nodeAt(text, skipBlanks(text, 0))
}

/** The value at a path. Of duplicate keys the last one counts, as in every parser. */
export function findNode(root: JsonNode, path: Path): JsonNode | undefined {
  return path.reduce<JsonNode | undefined>((at, key) => {
    return at?.items.findLast((item) => item.key === key)?.value
  }, root)
}

/** Every item with the last key of a path. */
export function findItems(root: JsonNode, path: Path): readonly JsonItem[] {
  const holder = findNode(root, path.slice(0, -1))
  return (holder?.items ?? []).filter(({ key }) => key === path.at(-1))
}

/** Sticky: everything that may stand between two tokens. */
export const BETWEEN = /(?:\s|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y

const TEXT = /"(?:[^"\\]+|\\.)*"/y
const WORD = /[^\s,:{}[\]"/]+/y
/** Up to the next bracket that is not inside a string or a comment. */
const TO_BRACKET = /(?:[^"/{}[\]]+|"(?:[^"\\]+|\\.)*"|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y

function nodeAt(text: string, start: number): JsonNode {
  const kind = text[start] === '{' ? 'object' : text[start] === '[' ? 'list' : 'scalar'
  const end = kind === 'scalar' ? endOfScalar(text, start) : endOfBrackets(text, start)
  let items: readonly JsonItem[] | undefined
  const node: JsonNode = {
    kind,
    start,
    end,
    get items() {
      return (items ??= kind === 'scalar' ? [] : itemsOf(text, node))
    },
  }
  return node
}

function itemsOf(text: string, holder: JsonNode): readonly JsonItem[] {
  const items: JsonItem[] = []
  let at = skipBlanks(text, holder.start + 1)
  while (at < holder.end - 1) {
    const item = itemAt(text, at, { holder, index: items.length })
    items.push(item)
    at = skipBlanks(text, item.end)
    if (text[at] === ',') at = skipBlanks(text, at + 1)
  }
  return items
}

function itemAt(
  text: string,
  start: number,
  { holder, index }: { readonly holder: JsonNode; readonly index: number },
): JsonItem {
  if (holder.kind === 'list') {
    const value = nodeAt(text, start)
    return { key: index, keySpan: { start, end: start }, value, start, end: value.end, holder }
  }
  const end = after(TEXT, text, start)
  const colon = skipBlanks(text, end)
  const value = nodeAt(text, skipBlanks(text, colon + 1))
  const key = JSON.parse(text.slice(start, end)) as string
  return { key, keySpan: { start, end }, value, start, end: value.end, holder }
}

function endOfScalar(text: string, start: number): number {
  return after(text[start] === '"' ? TEXT : WORD, text, start)
}

function endOfBrackets(text: string, start: number): number {
  let depth = 0
  let at = start
  do {
    at = after(TO_BRACKET, text, at)
    const isOpening = text[at] === '{' || text[at] === '['
    depth += isOpening ? 1 : -1
    at++
  } while (depth > 0)
  return at
}

function skipBlanks(text: string, at: number): number {
  return after(BETWEEN, text, at)
}

/** The position after the match of a sticky pattern. */
function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  pattern.test(text)
  return pattern.lastIndex
}
