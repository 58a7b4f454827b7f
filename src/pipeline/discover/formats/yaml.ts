/**
 * yaml: YAML text → tree. An alias shares the node it names; nothing is copied, so nothing can explode.
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  type Document,
  type ParsedNode,
  type Scalar,
} from 'yaml'
import type { ConfigNode, Member } from '../../../model/document.ts'
import type { ParsedText } from './parsed-text.ts'

export function parseYaml(text: string): ParsedText {
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'silent' })
  const error = document.errors[0]
  if (error !== undefined) {
    const message = error.message.split(' at line ')[0]!.replace(/:$/, '')
    return {
      kind: 'fault',
      message: message.charAt(0).toLowerCase() + message.slice(1),
      start: error.pos[0],
      end: error.pos[1],
    }
  }
  return { kind: 'tree', root: toNode({ document, made: new Map(), text }, document.contents) }
}

interface Conversion {
  readonly document: Document.Parsed
  readonly text: string
  /** Undefined while a node is being converted: an alias that meets it is a cycle. */
  readonly made: Map<unknown, ConfigNode | undefined>
}

function toNode(at: Conversion, node: ParsedNode | Scalar | null): ConfigNode {
  if (node === null) return { kind: 'scalar', start: at.text.length, end: at.text.length, value: null }
  const [start, end] = [node.range?.[0] ?? 0, node.range?.[1] ?? 0]
  if (isAlias(node)) {
    const target = node.resolve(at.document) as ParsedNode | undefined
    return (
      (target === undefined ? undefined : at.made.get(target)) ?? { kind: 'scalar', start, end, value: null }
    )
  }
  at.made.set(node, undefined)
  const made = convert(at, node, { start, end })
  at.made.set(node, made)
  return made
}

function convert(
  at: Conversion,
  node: ParsedNode | Scalar,
  span: { start: number; end: number },
): ConfigNode {
  if (isMap(node)) {
    const members = node.items.map((pair): Member => {
      const key = pair.key as ParsedNode
      return {
        key: isScalar(key) ? String(key.value) : at.text.slice(key.range[0], key.range[1]),
        keyStart: key.range[0],
        keyEnd: key.range[1],
        value: toNode(at, pair.value as ParsedNode | null),
      }
    })
    return { kind: 'object', ...span, members }
  }
  if (isSeq(node))
    return { kind: 'array', ...span, items: node.items.map((item) => toNode(at, item as ParsedNode)) }
  return { kind: 'scalar', ...span, value: toScalar((node as Scalar).value) }
}

function toScalar(value: unknown): string | number | boolean | null {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return value === null || value === undefined ? null : String(value)
}
