/**
 * yaml: YAML text → tree, with the scalars of YAML 1.2's core schema.
 *
 * in     the events of js-yaml, which say where everything stands; the `yaml` package does too, but takes three times
 *        as long over a first file
 * never  copies: an alias shares the node it names, so nothing can explode, and one that names a node around itself is
 *        null. `<<` is a key like any other
 */
import { MAX_DEPTH } from '../../../base/depth.ts'
import {
  COLLECTION_STYLE,
  EVENT_ID,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
  type AliasEvent,
  type MappingEvent,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml'
import type { ConfigNode, Member, ScalarNode } from '../../../model/document.ts'
import { nestedTooDeeply, type ParsedText } from './parsed-text.ts'
import { toYamlScalar } from './yaml-scalar.ts'

export function parseYaml(text: string): ParsedText {
  try {
    return { kind: 'tree', root: readTree(text) }
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    const start = error.mark?.position ?? 0
    if (error.reason.startsWith('nesting exceeded')) return nestedTooDeeply(start)
    return { kind: 'fault', message: FAULTS[error.reason] ?? error.reason, start, end: start + 1 }
  }
}

/** Where js-yaml's own words would mislead. */
const FAULTS: Readonly<Record<string, string>> = {
  'deficient indentation': 'a quote or bracket above is not closed, or this line is indented too little',
  'end of the stream or a document separator is expected': 'the file should have ended here',
}

/** What has been read so far. */
interface Reading {
  readonly text: string
  readonly open: OpenNode[]
  readonly anchors: Map<string, ConfigNode>
  root: ConfigNode | undefined
  /** Behind the last thing that was read: the events do not say where a collection ends, nor where nothing stands. */
  cursor: number
}

interface OpenNode {
  readonly node: ConfigNode & { end: number }
  readonly members?: Member[]
  readonly items?: ConfigNode[]
  readonly style: number
  key?: Omit<Member, 'value'> | undefined
}

function readTree(text: string): ConfigNode {
  const reading: Reading = { text, open: [], anchors: new Map(), root: undefined, cursor: 0 }
  for (const event of parseEvents(text, { maxDepth: MAX_DEPTH })) {
    if (event.type === EVENT_ID.SCALAR) readScalar(reading, event)
    else if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) open(reading, event)
    else if (event.type === EVENT_ID.ALIAS) readAlias(reading, event)
    else if (event.type === EVENT_ID.POP) close(reading)
    else if (reading.root !== undefined) refuseSecondDocument(reading)
  }
  return reading.root ?? { kind: 'scalar', start: text.length, end: text.length, value: null }
}

function readScalar(reading: Reading, event: ScalarEvent): void {
  const { text } = reading
  const [start, end] = spanOf(reading, event)
  const written = getScalarValue(text, event)
  const node: ScalarNode = {
    kind: 'scalar',
    start,
    end,
    value: isString(text, event) ? written : toYamlScalar(written),
  }
  rememberAnchor(reading, event, node)
  place(reading, node, { key: written, keyStart: start, keyEnd: end })
}

function open(reading: Reading, event: MappingEvent | SequenceEvent): void {
  const { start, style } = event
  const [members, items]: [Member[], ConfigNode[]] = [[], []]
  const opened: OpenNode =
    event.type === EVENT_ID.MAPPING
      ? { node: { kind: 'object', start, end: start, members }, members, style }
      : { node: { kind: 'array', start, end: start, items }, items, style }
  rememberAnchor(reading, event, opened.node)
  reading.open.push(opened)
  reading.cursor = start + (style === COLLECTION_STYLE.FLOW ? 1 : 0)
}

function close(reading: Reading): void {
  const closed = reading.open.pop()
  if (closed === undefined) return // the end of the document
  const { node, style } = closed
  if (style === COLLECTION_STYLE.FLOW) skipClosing(reading, node)
  node.end = reading.cursor
  place(reading, node, {
    key: reading.text.slice(node.start, node.end),
    keyStart: node.start,
    keyEnd: node.end,
  })
}

function readAlias(reading: Reading, { anchorStart, anchorEnd }: AliasEvent): void {
  const { anchors, text } = reading
  const anchor = text.slice(anchorStart, anchorEnd)
  const [start, end] = [anchorStart - 1, anchorEnd]
  const target = anchors.get(anchor)
  // The name is not repeated: it may be a password that begins with `*` and lacks its quotes.
  if (target === undefined)
    YAMLException.throwAt(text, start, 'this begins like an alias, and there is no anchor for it')
  const isAround = reading.open.some(({ node }) => node === target)
  reading.cursor = end
  place(reading, isAround ? { kind: 'scalar', start, end, value: null } : target, {
    key: text.slice(start, end),
    keyStart: start,
    keyEnd: end,
  })
}

function place(reading: Reading, node: ConfigNode, key: Omit<Member, 'value'>): void {
  const parent = reading.open.at(-1)
  if (parent === undefined) reading.root = node
  else if (parent.items !== undefined) parent.items.push(node)
  else if (parent.key === undefined) parent.key = key
  else {
    parent.members!.push({ ...parent.key, value: node })
    parent.key = undefined
  }
}

/** Under the name of its anchor, if it has one. A name may be given again; what follows means the newer node. */
function rememberAnchor(
  reading: Reading,
  { anchorStart, anchorEnd }: ScalarEvent | MappingEvent | SequenceEvent,
  node: ConfigNode,
): void {
  if (anchorStart !== -1) reading.anchors.set(reading.text.slice(anchorStart, anchorEnd), node)
}

/** From quote to quote, or from the `|` of a block; a value that is left out stands behind its colon or dash. */
function spanOf(reading: Reading, event: ScalarEvent): readonly [start: number, end: number] {
  const { text, cursor } = reading
  const { valueStart, valueEnd, style } = event
  let span: [number, number] = [valueStart, valueEnd]
  if (valueStart === -1) {
    const end = Math.max(matchAt(INDICATOR, text, cursor), event.anchorEnd, event.tagEnd)
    span = [end, end]
  } else if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED) {
    span = [valueStart - 1, valueEnd + 1]
  } else if (style !== SCALAR_STYLE.PLAIN) {
    const line = text.lastIndexOf('\n', valueStart - 2) + 1
    span = [line + text.slice(line, valueStart).search(BLOCK_HEADER), valueEnd]
  }
  reading.cursor = span[1]
  return span
}

const INDICATOR = /(?:\s|#.*[\r\n])*[-:?]/y

const BLOCK_HEADER = /[|>][-+\d]*(?:[ \t]+#.*)?[ \t]*[\r\n]*$/

/** A pair inside a list, `[a: b]`, is a flow mapping without braces. */
function skipClosing(reading: Reading, node: ConfigNode): void {
  const { text } = reading
  const isBare = node.kind === 'object' && text[node.start] !== '{'
  if (isBare) return
  reading.cursor = matchAt(node.kind === 'object' ? CLOSING_BRACE : CLOSING_BRACKET, text, reading.cursor)
}

/** With what may stand before it; `:` and `?` where a value was left out. */
const CLOSING_BRACE = /(?:[\s,:?]|#.*[\r\n])*\}/y
const CLOSING_BRACKET = /(?:[\s,:?]|#.*[\r\n])*\]/y

/** Behind the match, or where it should have begun. */
function matchAt(sticky: RegExp, text: string, from: number): number {
  sticky.lastIndex = from
  return sticky.test(text) ? sticky.lastIndex : from
}

/** Quoted, or tagged as something other than what a plain scalar can be. */
function isString(text: string, { style, tagStart, tagEnd }: ScalarEvent): boolean {
  if (tagStart === -1) return style !== SCALAR_STYLE.PLAIN
  return !/^!!(?:null|bool|int|float)$/.test(text.slice(tagStart, tagEnd))
}

/** Whoever reads one document would not see the others, and an agent that reads such a file refuses it too. */
function refuseSecondDocument({ text, cursor }: Reading): never {
  const start = Math.max(text.indexOf('\n---', cursor) + 1, cursor)
  YAMLException.throwAt(text, start, 'there is more than one document in it')
}
