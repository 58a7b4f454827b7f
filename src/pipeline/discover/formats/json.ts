/**
 * json: JSON text → tree, or what is wrong with it and where. Comments and trailing commas are understood everywhere,
 * because half of the agents write them.
 *
 * never  recurses by itself or trusts a key: members are a list, so `__proto__` and duplicates survive
 */
import { printParseErrorCode, visit, type ParseErrorCode } from 'jsonc-parser'
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
          message: describe(code, text.slice(start, start + length), text[start + length]),
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

const FAULTS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is not a JSON value',
  InvalidNumberFormat: 'this number is malformed',
  PropertyNameExpected: 'a key in double quotes is expected here',
  ValueExpected: 'a value is expected here',
  ColonExpected: 'a `:` is expected here',
  CommaExpected: 'a `,` is expected here',
  CloseBraceExpected: 'a `}` is missing',
  CloseBracketExpected: 'a `]` is missing',
  EndOfFileExpected: 'the file should have ended here',
  InvalidCommentToken: 'this comment is malformed',
  UnexpectedEndOfComment: 'this comment never ends',
  UnexpectedEndOfString: 'this string never ends',
  UnexpectedEndOfNumber: 'this number is malformed',
  InvalidUnicode: 'this `\\u` escape is malformed',
  InvalidEscapeCharacter: 'this escape is not known in JSON',
  InvalidCharacter: 'a control character is not allowed in a string',
}

function describe(code: ParseErrorCode, found: string, next: string | undefined): string {
  if (found.startsWith("'")) return 'JSON strings take double quotes'
  const name = printParseErrorCode(code)
  // A key without quotes is an unknown symbol to the parser.
  const isKey = name === 'InvalidSymbol' && next === ':'
  return FAULTS[isKey ? 'PropertyNameExpected' : name] ?? 'this is not JSON'
}
