/**
 * plain-yaml: YAML as tools write it → tree, fast.
 *
 * It stands beside `yaml.ts` for the reason given in `plain-json.ts`: 1 ms for a first file of 17 servers, against 3. It
 * knows block mappings and block sequences of scalars that fit on their line, `[…]` of such scalars, `{}` and comments.
 * Escapes, anchors, tags, and scalars over several lines are left to `yaml.ts`.
 *
 * out    the tree that `yaml.ts` would make; undefined when anything is odd, and then `yaml.ts` decides
 */
import type { ArrayNode, ConfigNode, Member, ObjectNode } from '../../../model/document.ts'
import { skip, take, type Scan } from './scan.ts'
import { toYamlScalar } from './yaml-scalar.ts'

export function parsePlainYaml(text: string): ConfigNode | undefined {
  const reading: Reading = { text, at: 0, end: 0, open: [], root: undefined }
  while (reading.at < text.length) {
    if (!readLine(reading)) return undefined
  }
  while (reading.open.length > 0) close(reading)
  return reading.root
}

interface Reading extends Scan {
  /** Behind the last value, which is where the blocks around it end. */
  end: number
  readonly open: Block[]
  root: ConfigNode | undefined
}

interface Block {
  readonly column: number
  readonly node: Collection
  /** The dash or the key that has no value yet. */
  due: 'dash' | Omit<Member, 'value'> | undefined
}

type Collection =
  | (ObjectNode & { end: number; members: Member[] })
  | (ArrayNode & { end: number; items: ConfigNode[] })

const QUOTED = String.raw`"[ !#-[\]-~\u00A0-\uD7FF]*"|'[ -&(-~\u00A0-\uD7FF]*'(?!')`
/** To the end of the line, but for a comment; `#` and `: ` are odd in it. */
const UNQUOTED = String.raw`(?:[\w./~$+(=]|-(?=[!-~]))(?: *(?:[!"$-9;-~]|:(?=[!-~])))*`
const KEY = new RegExp(String.raw`(?:\w[\w./-]*|${QUOTED})(?=:(?: |\r?\n|$))`, 'y')
const VALUE = new RegExp(String.raw`${QUOTED}|\[|\{\}|${UNQUOTED}`, 'y')
const ITEM = new RegExp(String.raw`(?:${QUOTED}|-*[\w./~$+][\w./~$+=@-]*)(?= *[,\]])`, 'y')
const SPACE = / */y
const LINE_END = / *(?:(?<!\S)#[\t -~\u00A0-\uD7FF]*)?(?:\r?\n|$)/y

/** Dashes, a key, a value. False where anything is odd. */
function readLine(reading: Reading): boolean {
  const lineStart = reading.at
  skip(reading, SPACE)
  if (skip(reading, LINE_END)) return true
  let block: Block | undefined
  for (let start = reading.at; take(reading, '- '); start = reading.at) {
    block = enter(reading, { kind: 'array', start, end: start, items: [] }, start - lineStart)
    if (block === undefined) return false
    block.due = 'dash'
  }
  const start = reading.at
  if (skip(reading, KEY)) {
    block = enter(reading, { kind: 'object', start, end: start, members: [] }, start - lineStart)
    if (block === undefined) return false
    block.due = { key: unquote(reading.text.slice(start, reading.at)), keyStart: start, keyEnd: reading.at }
    reading.at += 1
    if (skip(reading, LINE_END)) return true
    skip(reading, SPACE)
  }
  const value = readValue(reading)
  return block !== undefined && value !== undefined && place(reading, block, value) && skip(reading, LINE_END)
}

/** The open block of this kind in this column, or the node as a new one, if a value is due. */
function enter(reading: Reading, node: Collection, column: number): Block | undefined {
  const { open } = reading
  while (open.length > 0 && isPast(open.at(-1)!, node, column)) close(reading)
  const around = open.at(-1)
  if (around?.column === column && around.node.kind === node.kind) {
    settle(reading, around)
    return around
  }
  const block: Block = { column, node, due: undefined }
  const isPlaced = around === undefined ? placeRoot(reading, node) : place(reading, around, node)
  return isPlaced && open.push(block) <= MAX_BLOCKS ? block : undefined
}

/** `yaml.ts` counts depth in another way; this is within its limit. */
const MAX_BLOCKS = 50

/** The dashes under a key may stand in the column of the key, and then the next key ends them. */
function isPast(block: Block, next: Collection, column: number): boolean {
  return (
    block.column > column ||
    (block.column === column && block.node.kind === 'array' && next.kind === 'object')
  )
}

function close(reading: Reading): void {
  const block = reading.open.pop()!
  settle(reading, block)
  block.node.end = reading.end
}

/** A key that nothing followed has null, right behind its colon. A dash that nothing follows is odd. */
function settle(reading: Reading, block: Block): void {
  if (typeof block.due !== 'object') return
  const at = block.due.keyEnd + 1
  place(reading, block, { kind: 'scalar', start: at, end: at, value: null })
}

function placeRoot(reading: Reading, node: Collection): boolean {
  if (reading.root !== undefined) return false
  reading.root = node
  return true
}

/** False where no value is due. */
function place(reading: Reading, block: Block, value: ConfigNode): boolean {
  const { node, due } = block
  if (due === undefined) return false
  if (node.kind === 'array') node.items.push(value)
  else if (due !== 'dash') {
    const { key, keyStart, keyEnd } = due
    node.members.push({ key, keyStart, keyEnd, value })
  }
  block.due = undefined
  reading.end = value.end
  return true
}

function readValue(reading: Reading): ConfigNode | undefined {
  const start = reading.at
  if (!skip(reading, VALUE)) return undefined
  const end = reading.at
  const written = reading.text.slice(start, end)
  if (written === '[') return readItems(reading, start)
  if (written === '{}') return { kind: 'object', start, end, members: [] }
  return toScalar(written, start)
}

function readItems(reading: Reading, start: number): ArrayNode | undefined {
  const items: ConfigNode[] = []
  for (skip(reading, SPACE); !take(reading, ']'); skip(reading, SPACE)) {
    const itemStart = reading.at
    if (!skip(reading, ITEM)) return undefined
    items.push(toScalar(reading.text.slice(itemStart, reading.at), itemStart))
    skip(reading, SPACE)
    take(reading, ',')
  }
  return { kind: 'array', start, end: reading.at, items }
}

function toScalar(written: string, start: number): ConfigNode {
  const isQuoted = written[0] === '"' || written[0] === "'"
  const value = isQuoted ? written.slice(1, -1) : toYamlScalar(written)
  return { kind: 'scalar', start, end: start + written.length, value }
}

function unquote(written: string): string {
  return written[0] === '"' || written[0] === "'" ? written.slice(1, -1) : written
}
