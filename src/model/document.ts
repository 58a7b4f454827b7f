/**
 * document: a configuration file as a tree that remembers the place of every value.
 *
 * JSON, TOML and YAML all become this. Objects keep their members as a list, not as a JavaScript object: duplicate keys
 * stay visible, and a server called `__proto__` is a name like any other. `members` and `items` of a long file are
 * parsed on first use.
 */
import type { Spot } from './origin.ts'

export type ConfigNode = ObjectNode | ArrayNode | ScalarNode

interface Span {
  /** Offsets into the document's text, end exclusive. */
  readonly start: number
  readonly end: number
}

export interface ObjectNode extends Span {
  readonly kind: 'object'
  readonly members: readonly Member[]
}

export interface ArrayNode extends Span {
  readonly kind: 'array'
  readonly items: readonly ConfigNode[]
}

export interface ScalarNode extends Span {
  readonly kind: 'scalar'
  /** TOML dates arrive as their text. */
  readonly value: string | number | boolean | null
}

export interface Member {
  readonly key: string
  readonly keyStart: number
  readonly keyEnd: number
  readonly value: ConfigNode
}

export interface ConfigDocument {
  /** As in `Spot.file`. */
  readonly file: string
  readonly text: string
  readonly root: ConfigNode
  /** Offset of the first character of each line. */
  readonly lineStarts: readonly number[]
  /** The previous text of the file. The current one cannot be read. */
  readonly isStale?: true
}

export function createDocument(file: string, text: string, root: ConfigNode): ConfigDocument {
  return { file, text, root, lineStarts: findLineStarts(text) }
}

export function findLineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** Line and column, from 1, of an offset. */
export function locate(
  lineStarts: readonly number[],
  offset: number,
): { readonly line: number; readonly column: number } {
  let low = 0
  let high = lineStarts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (lineStarts[middle]! <= offset) low = middle
    else high = middle - 1
  }
  return { line: low + 1, column: offset - lineStarts[low]! + 1 }
}

/** Where a node stands, for a message. */
export function spotOf(document: ConfigDocument, node: Pick<Span, 'start'>): Spot {
  return { file: document.file, ...locate(document.lineStarts, node.start) }
}

/** The value under a key. Where a key is written twice, the last one counts, as in every JSON parser. */
export function findMember(node: ConfigNode | undefined, key: string): Member | undefined {
  if (node?.kind !== 'object') return undefined
  return node.members.findLast((member) => member.key === key)
}

/** Walks down a path of keys. */
export function findAt(node: ConfigNode | undefined, path: readonly string[]): ConfigNode | undefined {
  return path.reduce<ConfigNode | undefined>((at, key) => findMember(at, key)?.value, node)
}

export function toText(node: ConfigNode | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined
}

/** The strings of a list, each with its place; anything else in the list is passed over. */
export function toTextItems(
  node: ConfigNode | undefined,
): readonly { readonly text: string; readonly node: ScalarNode }[] {
  if (node?.kind !== 'array') return []
  return node.items.flatMap((item) =>
    item.kind === 'scalar' && typeof item.value === 'string' ? [{ text: item.value, node: item }] : [],
  )
}

/** What a node is, in the words of a message: "a list", "a string". */
export function describeKind(node: ConfigNode): string {
  if (node.kind === 'object') return 'an object'
  if (node.kind === 'array') return 'a list'
  if (node.value === null) return 'null'
  return { string: 'a string', number: 'a number', boolean: 'a boolean' }[typeof node.value as 'string']
}
