/**
 * plain-toml: TOML as people write it → tree, fast.
 *
 * It stands beside `toml.ts` for the reason given in `plain-json.ts`: 1 ms for a first file of 17 servers, against 6. It
 * knows tables, lists of tables, dotted and quoted keys, strings on one line, numbers, booleans, lists and inline
 * tables. Dates, strings over several lines, and a key or table that is touched again in a way TOML may forbid are left
 * to `toml.ts`.
 *
 * out    the tree that `toml.ts` would make; undefined when anything is odd, and then `toml.ts` decides
 */
import type { ConfigNode, Member, ObjectNode } from '../../../model/document.ts'
import { MAX_DEPTH } from './parsed-text.ts'
import { skip, take, type Scan } from './scan.ts'

export function parsePlainToml(text: string): ConfigNode | undefined {
  const reading: Reading = { text, at: 0, depth: 0 }
  const root = createTable('header', { start: 0, end: text.length })
  let section: Section | undefined = { table: root, growing: [] }
  for (skip(reading, BLANK); reading.at < text.length; skip(reading, BLANK)) {
    if (text[reading.at] === '[') section = readHeader(reading, root)
    else if (!readPair(reading, section.table)) return undefined
    if (section === undefined) return undefined
    for (const node of section.growing) node.end = reading.at
    if (!skip(reading, LINE_END)) return undefined
  }
  return root.node
}

interface Reading extends Scan {
  depth: number
}

interface Table {
  readonly node: ObjectNode & { end: number; members: Member[] }
  /** Its tables, and undefined for other values. */
  readonly byKey: Map<string, Table | undefined>
  /** What made it: its own header, being on the way to another, a dotted key, or an item's header. */
  by: 'header' | 'path' | 'dots' | 'item'
  /** The list that it is the last item of. */
  readonly list?: ConfigNode[]
}

interface Section {
  readonly table: Table
  /** They end where the last pair under the header ends. */
  readonly growing: { end: number }[]
}

type Key = Omit<Member, 'value'>

const BASIC = String.raw`"(?:[ !#-[\]-~\u0080-\uFFFF]|\\[btnfr"\\]|\\u(?![dD][89a-fA-F])[\da-fA-F]{4})*"(?!")`
const LITERAL = String.raw`'[ -&(-~\u0080-\uFFFF]*'(?!')`
/** Not `-0`, which is 0, nor what is too long to be exact. */
const NUMBER = String.raw`(?:\+?0|[-+]?[1-9]\d{0,14})(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.:+-])`
const KEY = new RegExp(String.raw`[\w-]+|${BASIC}|${LITERAL}`, 'y')
const VALUE = new RegExp(String.raw`${BASIC}|${LITERAL}|[[{]|true|false|${NUMBER}`, 'y')
const SPACE = /[ \t]*/y
const LINE_END = /[ \t]*(?:#[\t -~\u0080-\uFFFF]*)?(?:\r?\n|$)/y
const BLANK = /(?:[ \t]+|\r?\n|#[\t -~\u0080-\uFFFF]*)*/y

function readHeader(reading: Reading, root: Table): Section | undefined {
  const start = reading.at
  const isItem = reading.text.startsWith('[[', start)
  reading.at += isItem ? 2 : 1
  const path = readKeys(reading)
  if (path === undefined || !take(reading, isItem ? ']]' : ']')) return undefined
  const key = path.pop()!
  const parent = descend(root, path, 'path')
  if (parent === undefined) return undefined
  const span = { start, end: reading.at }
  return isItem ? openItem(parent, key, span) : openTable(parent, key, span)
}

function openTable(parent: Table, key: Key, span: Span): Section | undefined {
  const found = parent.byKey.get(key.key)
  if (found?.by === 'path') {
    found.by = 'header'
    return { table: found, growing: [] }
  }
  const table = createTable('header', span)
  return add(parent, key, table.node, table) ? { table, growing: [table.node] } : undefined
}

function openItem(parent: Table, key: Key, span: Span): Section | undefined {
  const found = parent.byKey.get(key.key)
  const items = found?.list ?? []
  const table: Table = { ...createTable('item', span), list: items }
  items.push(table.node)
  if (found?.list !== undefined) {
    parent.byKey.set(key.key, table)
    return { table, growing: [table.node] }
  }
  const list = { kind: 'array' as const, ...span, items }
  return add(parent, key, list, table) ? { table, growing: [table.node, list] } : undefined
}

function readPair(reading: Reading, table: Table): boolean {
  const path = readKeys(reading)
  if (path === undefined || !take(reading, '=')) return false
  skip(reading, SPACE)
  const value = readValue(reading)
  const key = path.pop()!
  const parent = descend(table, path, 'dots')
  return value !== undefined && parent !== undefined && add(parent, key, value)
}

function readKeys(reading: Reading): Key[] | undefined {
  const keys: Key[] = []
  do {
    skip(reading, SPACE)
    const keyStart = reading.at
    if (!skip(reading, KEY)) return undefined
    const keyEnd = reading.at
    keys.push({ key: unquote(reading.text.slice(keyStart, keyEnd)), keyStart, keyEnd })
    skip(reading, SPACE)
  } while (take(reading, '.'))
  return keys
}

/** Dots lead only through what dots have made; a header leads through everything that headers have made. */
function descend(table: Table, path: readonly Key[], by: 'path' | 'dots'): Table | undefined {
  let at = table
  for (const key of path) {
    let next = at.byKey.get(key.key)
    if (next === undefined) {
      next = createTable(by, { start: key.keyStart, end: key.keyEnd })
      if (!add(at, key, next.node, next)) return undefined
    } else if ((next.by === 'dots') !== (by === 'dots')) return undefined
    at = next
  }
  return at
}

function readValue(reading: Reading): ConfigNode | undefined {
  const start = reading.at
  if (!skip(reading, VALUE)) return undefined
  const end = reading.at
  const written = reading.text.slice(start, end)
  switch (written[0]) {
    case '[':
      return readList(reading, start)
    case '{':
      return readInlineTable(reading, start)
    case 't':
    case 'f':
      return { kind: 'scalar', start, end, value: written === 'true' }
    case '"':
    case "'":
      return { kind: 'scalar', start, end, value: unquote(written) }
    default:
      return { kind: 'scalar', start, end, value: Number(written) }
  }
}

function readList(reading: Reading, start: number): ConfigNode | undefined {
  const items: ConfigNode[] = []
  if (++reading.depth > MAX_DEPTH) return undefined
  for (skip(reading, BLANK); !take(reading, ']'); skip(reading, BLANK)) {
    const item = readValue(reading)
    if (item === undefined) return undefined
    items.push(item)
    skip(reading, BLANK)
    if (!take(reading, ',') && reading.text[reading.at] !== ']') return undefined
  }
  reading.depth -= 1
  return { kind: 'array', start, end: reading.at, items }
}

function readInlineTable(reading: Reading, start: number): ConfigNode | undefined {
  const table = createTable('header', { start, end: start })
  if (++reading.depth > MAX_DEPTH) return undefined
  skip(reading, SPACE)
  if (!take(reading, '}')) {
    do {
      if (!readPair(reading, table)) return undefined
      skip(reading, SPACE)
    } while (take(reading, ','))
    if (!take(reading, '}')) return undefined
  }
  reading.depth -= 1
  table.node.end = reading.at
  return table.node
}

interface Span {
  readonly start: number
  readonly end: number
}

function createTable(by: Table['by'], { start, end }: Span): Table {
  return { node: { kind: 'object', start, end, members: [] }, byKey: new Map(), by }
}

/** False where the key is taken. */
function add(table: Table, { key, keyStart, keyEnd }: Key, value: ConfigNode, made?: Table): boolean {
  if (table.byKey.has(key)) return false
  table.byKey.set(key, made)
  table.node.members.push({ key, keyStart, keyEnd, value })
  return true
}

function unquote(written: string): string {
  if (written[0] !== '"' && written[0] !== "'") return written
  return written[0] === '"' && written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1)
}
