/**
 * toml: parses TOML text into a tree.
 *
 * A table may be written in several parts of the file. The position of such a node is where the file first names it.
 */
import { MAX_DEPTH } from '../../../base/depth.ts'
import { parseTOML, ParseError, type AST } from 'toml-eslint-parser'
import type { ConfigNode, Member, ObjectNode } from '../../../model/document.ts'
import { nestedTooDeeply, type ParsedText } from './parsed-text.ts'

/** `byKey` keeps the work for ten thousand tables linear. */
type OpenTable = ObjectNode & {
  readonly members: Member[]
  readonly byKey: Map<string, ConfigNode>
  readonly depth: number
}
type KeyPart = AST.TOMLBare | AST.TOMLQuoted

export function parseToml(text: string): ParsedText {
  try {
    const program = parseTOML(text)
    const root = createTable([0, text.length], 1)
    for (const node of program.body[0].body) {
      if (node.type === 'TOMLKeyValue') addKeyValue(root, node)
      else addTable(root, node)
    }
    return { kind: 'tree', root }
  } catch (error) {
    if (error instanceof TooDeep) return nestedTooDeeply(error.start)
    if (!(error instanceof ParseError)) throw error
    return { kind: 'fault', message: lowerFirst(error.message), start: error.index, end: error.index + 1 }
  }
}

/** `a.b.c` nests like brackets. */
class TooDeep extends Error {
  readonly start: number

  constructor(start: number) {
    super('it is nested too deeply')
    this.start = start
  }
}

function addTable(root: OpenTable, table: AST.TOMLTable): void {
  const keys = table.key.keys
  const parent = descend(root, keys.slice(0, -1))
  const last = keys.at(-1)!
  const target = table.kind === 'array' ? appendTable(parent, last, table) : openTable(parent, last, table)
  for (const pair of table.body) addKeyValue(target, pair)
}

function addKeyValue(table: OpenTable, pair: AST.TOMLKeyValue): void {
  const keys = pair.key.keys
  const parent = descend(table, keys.slice(0, -1))
  add(parent, keys.at(-1)!, toNode(pair.value, parent.depth + 1))
}

/** Enters, or creates, one table for each key; in a list of tables, it enters the last one. */
function descend(table: OpenTable, keys: readonly KeyPart[]): OpenTable {
  return keys.reduce((at, key) => openTable(at, key, key), table)
}

function openTable(parent: OpenTable, key: KeyPart, span: AST.TOMLNode): OpenTable {
  const found = parent.byKey.get(nameOf(key))
  if (found?.kind === 'object') return found as OpenTable
  if (found?.kind === 'array') return found.items.at(-1) as OpenTable
  const table = createTable(span.range, parent.depth + 1)
  add(parent, key, table)
  return table
}

function appendTable(parent: OpenTable, key: KeyPart, span: AST.TOMLNode): OpenTable {
  const table = createTable(span.range, parent.depth + 2)
  const found = parent.byKey.get(nameOf(key))
  if (found?.kind === 'array') (found.items as ConfigNode[]).push(table)
  else add(parent, key, { kind: 'array', start: table.start, end: table.end, items: [table] })
  return table
}

function toNode(value: AST.TOMLContentNode, depth: number): ConfigNode {
  const [start, end] = value.range
  if (value.type === 'TOMLArray') {
    const items = value.elements.map((element) => toNode(element, depth + 1))
    return { kind: 'array', start, end, items }
  }
  if (value.type === 'TOMLInlineTable') {
    const table = createTable(value.range, depth)
    for (const pair of value.body) addKeyValue(table, pair)
    return table
  }
  const scalar =
    value.kind === 'string' || value.kind === 'boolean' || value.kind === 'float' || value.kind === 'integer'
  return { kind: 'scalar', start, end, value: scalar ? value.value : value.datetime }
}

function createTable([start, end]: readonly [number, number], depth: number): OpenTable {
  if (depth > MAX_DEPTH) throw new TooDeep(start)
  return { kind: 'object', start, end, members: [], byKey: new Map(), depth }
}

function add(table: OpenTable, key: KeyPart, value: ConfigNode): void {
  table.members.push({ key: nameOf(key), keyStart: key.range[0], keyEnd: key.range[1], value })
  table.byKey.set(nameOf(key), value)
}

function nameOf(key: KeyPart): string {
  return key.type === 'TOMLBare' ? key.name : key.value
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '')
}
