/**
 * json: parses JSON text into a tree, or reports the first fault and its place. It accepts comments and trailing commas
 * everywhere, because half of the agents write them.
 *
 * never  recurses by itself or trusts a key: members are a list, so `__proto__` and duplicates survive
 */
import { printParseErrorCode, visit } from 'jsonc-parser'
import { describeJsonFault } from '../../../base/json-fault.ts'
import type { ConfigNode, Member } from '../../../model/document.ts'
import type { ParsedText } from './parsed-text.ts'

interface OpenNode {
  readonly start: number
  readonly members?: Member[]
  readonly items?: ConfigNode[]
  key?: { readonly text: string; readonly start: number; readonly end: number }
}

export function parseJson(text: string): ParsedText {
  let root: ConfigNode | undefined
  let fault: { message: string; start: number; end: number } | undefined
  const open: OpenNode[] = []

  const place = (node: ConfigNode): void => {
    const parent = open.at(-1)
    if (parent === undefined) root ??= node
    else if (parent.items !== undefined) parent.items.push(node)
    else if (parent.key !== undefined) {
      const { text: key, start: keyStart, end: keyEnd } = parent.key
      parent.members!.push({ key, keyStart, keyEnd, value: node })
    }
  }

  visit(
    text,
    {
      onObjectBegin: (start) => void open.push({ start, members: [] }),
      onObjectProperty: (key, start, length) => {
        open.at(-1)!.key = { text: key, start, end: start + length }
      },
      onObjectEnd: (offset, length) => {
        const { start, members } = open.pop()!
        place({ kind: 'object', start, end: offset + length, members: members ?? [] })
      },
      onArrayBegin: (start) => void open.push({ start, items: [] }),
      onArrayEnd: (offset, length) => {
        const { start, items } = open.pop()!
        place({ kind: 'array', start, end: offset + length, items: items ?? [] })
      },
      onLiteralValue: (value: string | number | boolean | null, start, length) =>
        place({ kind: 'scalar', start, end: start + length, value }),
      onError: (code, start, length) => {
        fault ??= {
          message: describeJsonFault(
            printParseErrorCode(code),
            text.slice(start, start + length),
            text[start + length],
          ),
          start,
          end: start + length,
        }
      },
    },
    { allowTrailingComma: true, disallowComments: false },
  )

  if (fault !== undefined) return { kind: 'fault', ...fault }
  if (root === undefined) return { kind: 'fault', message: 'there is no value', start: 0, end: text.length }
  return { kind: 'tree', root }
}
