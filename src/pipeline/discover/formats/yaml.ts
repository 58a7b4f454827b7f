/**
 * yaml: parses YAML text into a tree, with the scalars of YAML 1.2's core schema.
 *
 * never  copies: an alias shares the node that it names, so the tree cannot grow without limit. An alias of a node
 *        around itself is null. `<<` is an ordinary key
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Alias,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { MAX_DEPTH } from '../../../base/depth.ts'
import { parseYamlDocument } from '../../../base/yaml-document.ts'
import { describeYamlFault } from '../../../base/yaml-fault.ts'
import type { ConfigNode, Member, ScalarNode } from '../../../model/document.ts'
import { nestedTooDeeply, type ParsedText } from './parsed-text.ts'

export function parseYaml(text: string): ParsedText {
  const parsed = parseYamlDocument(text)
  if (parsed.kind === 'too-deep') return nestedTooDeeply(parsed.at)
  const { document } = parsed
  const [error] = document.errors
  if (error !== undefined) {
    const [start, end] = error.pos
    return { kind: 'fault', message: describeYamlFault(error), start, end: Math.max(end, start + 1) }
  }
  try {
    const reading: Reading = { text, anchors: new Map(), around: new Set() }
    return { kind: 'tree', root: readValue(reading, document.contents, text.length) }
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault
    const { message, start } = fault
    return message === TOO_DEEP ? nestedTooDeeply(start) : { kind: 'fault', message, start, end: start + 1 }
  }
}

const TOO_DEEP = 'too deep'

class Fault extends Error {
  readonly start: number

  constructor(message: string, start: number) {
    super(message)
    this.start = start
  }
}

interface Reading {
  readonly text: string
  /** By name. A text may define a name again: later aliases then mean the newer node. */
  readonly anchors: Map<string, ConfigNode>
  /** The lists and objects around the present place. */
  readonly around: Set<ConfigNode>
}

/** A value that is not written has its position at `place`. */
function readValue(reading: Reading, node: Node | null, place: number): ConfigNode {
  if (node === null) return { kind: 'scalar', start: place, end: place, value: null }
  if (isAlias(node)) return readAlias(reading, node)
  if (isMap(node)) return readObject(reading, node as YAMLMap<Node | null, Node | null>)
  if (isSeq(node)) return readArray(reading, node as YAMLSeq<Node | null>)
  const value = isScalar(node) ? (node.value as ScalarNode['value']) : null
  return remember(reading, node, { kind: 'scalar', ...spanOf(node), value })
}

function readObject(reading: Reading, node: YAMLMap<Node | null, Node | null>): ConfigNode {
  const members: Member[] = []
  const object = { kind: 'object' as const, ...spanOf(node), members }
  enter(reading, node, object)
  for (const pair of node.items) members.push(readMember(reading, pair))
  reading.around.delete(object)
  const last = node.items.at(-1)
  if (node.flow === true || last === undefined) return object
  // In the library's tree, a block includes the comments behind it, and a block that is a key begins at its colon.
  object.start = Math.min(object.start, members[0]!.keyStart)
  object.end = endOf(last.value, members.at(-1)!.value)
  return object
}

function readArray(reading: Reading, node: YAMLSeq<Node | null>): ConfigNode {
  const items: ConfigNode[] = []
  const array = { kind: 'array' as const, ...spanOf(node), items }
  enter(reading, node, array)
  for (const item of node.items) items.push(readValue(reading, item, array.end))
  reading.around.delete(array)
  const last = node.items.at(-1)
  if (node.flow !== true && last !== undefined) array.end = endOf(last, items.at(-1)!)
  return array
}

function enter(reading: Reading, node: YAMLMap | YAMLSeq, opened: ConfigNode): void {
  if (reading.around.size === MAX_DEPTH) throw new Fault(TOO_DEEP, opened.start)
  remember(reading, node, opened)
  reading.around.add(opened)
}

/** The node behind an alias may end anywhere, so the alias itself gives the end. */
function endOf(node: Node | null, read: ConfigNode): number {
  return isAlias(node) ? spanOf(node).end : read.end
}

function readMember(reading: Reading, { key, value }: Pair<Node | null, Node | null>): Member {
  const place = value?.range?.[0] ?? 0
  const { start: keyStart, end: keyEnd } = isAlias(key) ? spanOf(key) : readValue(reading, key, place)
  const name = isScalar(key) ? toName(key) : reading.text.slice(keyStart, keyEnd)
  return { key: name, keyStart, keyEnd, value: readValue(reading, value, keyEnd) }
}

/** As written: `1` and `true` are names here. */
function toName({ value, source }: Scalar): string {
  return typeof value === 'string' ? value : (source ?? '')
}

function spanOf({ range }: Node): { readonly start: number; readonly end: number } {
  return { start: range![0], end: range![1] }
}

function readAlias({ anchors, around }: Reading, alias: Alias): ConfigNode {
  const { start, end } = spanOf(alias)
  const target = anchors.get(alias.source)
  // The message does not repeat the name: it may be a password that begins with `*` and lacks its quotes.
  if (target === undefined) throw new Fault('this begins like an alias, and there is no anchor for it', start)
  return around.has(target) ? { kind: 'scalar', start, end, value: null } : target
}

function remember(reading: Reading, { anchor }: { readonly anchor?: string }, node: ConfigNode): ConfigNode {
  if (anchor !== undefined) reading.anchors.set(anchor, node)
  return node
}
