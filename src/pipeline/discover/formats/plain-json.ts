/**
 * plain-json: JSON text without faults → tree, fast. Comments and trailing commas are no faults.
 *
 * It stands beside `json.ts`, which can say what is wrong with a text, because most files are right and most runs are
 * short: until V8 has compiled a parser, which is long after the last file, it costs a few dozen steps per character.
 * Here one regular expression, which is machine code from its second match on, cuts the text, and what is left is a
 * few steps per token.
 *
 * out    the tree that `json.ts` would make; undefined for a text with anything odd in it, and then `json.ts` decides
 */
import type { ArrayNode, ConfigNode, Member, ObjectNode } from '../../../model/document.ts'
import { MAX_DEPTH } from './parsed-text.ts'

export function parsePlainJson(text: string): ConfigNode | undefined {
  const reading: Reading = { open: [], root: undefined, key: undefined, isDue: true }
  let end = 0
  for (const token of text.match(TOKENS) ?? []) {
    const start = end
    end += token.length
    if (!read(reading, token, start)) return undefined
  }
  const isWhole = end === text.length && reading.open.length === 0
  return isWhole ? reading.root : undefined
}

/** One after the other up to the first odd character. The first character of each says what it is. */
const TOKENS = new RegExp(
  [
    /"[^"\\\x00-\x1F]*(?:\\.[^"\\\x00-\x1F]*)*"(?:[ \t\r\n]*:[ \t\r\n]*)?/, // with a colon it is a key
    /[,{[][ \t\r\n]*/,
    /[\]}]/,
    /[ \t\r\n]+/,
    /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/,
    /true|false|null/,
    /\/\/[^\r\n]*|\/\*[^]*?\*\//,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gy',
)

type OpenNode =
  | (ObjectNode & { end: number; members: Member[] })
  | (ArrayNode & { end: number; items: ConfigNode[] })

interface Reading {
  readonly open: OpenNode[]
  root: ConfigNode | undefined
  key: Omit<Member, 'value'> | undefined
  /** A value, or a key, may come; when it is not due, a comma or a closing bracket must. */
  isDue: boolean
}

/** False where the token cannot stand. */
function read(reading: Reading, token: string, start: number): boolean {
  const end = start + token.length
  switch (token[0]) {
    case '"':
      return token.endsWith('"')
        ? place(reading, { kind: 'scalar', start, end, value: unquote(token) })
        : readKey(reading, token, start)
    case ',':
      return readComma(reading)
    case '{':
      return open(reading, { kind: 'object', start, end, members: [] })
    case '[':
      return open(reading, { kind: 'array', start, end, items: [] })
    case '}':
      return close(reading, 'object', end)
    case ']':
      return close(reading, 'array', end)
    case 't':
    case 'f':
      return place(reading, { kind: 'scalar', start, end, value: token === 'true' })
    case 'n':
      return place(reading, { kind: 'scalar', start, end, value: null })
    case '/':
    case ' ':
    case '\t':
    case '\r':
    case '\n':
      return true
    default:
      return place(reading, { kind: 'scalar', start, end, value: Number(token) })
  }
}

function readKey(reading: Reading, token: string, keyStart: number): boolean {
  if (!reading.isDue || reading.key !== undefined || reading.open.at(-1)?.kind !== 'object') return false
  const quoted = token.slice(0, token.lastIndexOf('"') + 1)
  reading.key = { key: unquote(quoted), keyStart, keyEnd: keyStart + quoted.length }
  return true
}

function readComma(reading: Reading): boolean {
  if (reading.isDue || reading.open.length === 0) return false
  reading.isDue = true
  return true
}

function place(reading: Reading, node: ConfigNode): boolean {
  const parent = reading.open.at(-1)
  if (!reading.isDue) return false
  reading.isDue = false
  if (parent === undefined) reading.root = node
  else if (parent.kind === 'array') parent.items.push(node)
  else if (reading.key === undefined) return false
  else {
    parent.members.push({ ...reading.key, value: node })
    reading.key = undefined
  }
  return true
}

function open(reading: Reading, node: OpenNode): boolean {
  if (!place(reading, node) || reading.open.push(node) > MAX_DEPTH) return false
  reading.isDue = true
  return true
}

function close(reading: Reading, kind: 'object' | 'array', end: number): boolean {
  const node = reading.open.pop()
  if (node?.kind !== kind || reading.key !== undefined) return false
  node.end = end
  reading.isDue = false
  return true
}

function unquote(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1)
}
