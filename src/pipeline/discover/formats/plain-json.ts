/**
 * plain-json: parses JSON text without faults into a tree, fast. Comments and trailing commas are no faults.
 *
 * `json.ts` can name a fault, but nearly every file has none and nearly every run is short. A parser that reads each
 * character is slow until V8 has compiled it, and by then the files are read. Here one regular expression cuts the text
 * into tokens, and each token needs only a few steps: 2 ms for ten files of 17 servers in a new process, against 13.
 *
 * out    the tree that `json.ts` would make; undefined when anything is odd, and then `json.ts` decides
 */
import { MAX_DEPTH } from '../../../base/depth.ts'
import type { ArrayNode, ConfigNode, Member, ObjectNode } from '../../../model/document.ts'

export function parsePlainJson(text: string): ConfigNode | undefined {
  const reading: Reading = { tokens: text.match(TOKENS) ?? [], next: 0, end: 0, depth: 0 }
  const root = readValue(reading, take(reading))
  const isWhole = take(reading) === '' && reading.end === text.length
  return isWhole ? root : undefined
}

const SPACE = String.raw`[ \t\r\n]*`
/** Anything but quotes, backslashes and control characters. */
const CHARACTERS = String.raw`[ !#-[\]-\uFFFF]*`
const STRING = String.raw`"${CHARACTERS}(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})${CHARACTERS})*"`
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?`
const COMMENT = String.raw`//[^\r\n]*|/\*[^]*?\*/`

/**
 * The tokens follow one another up to the first odd character. The first character of a token shows its kind. A key
 * includes its colon, and a bracket the space on its inner side.
 */
const TOKENS = new RegExp(
  String.raw`${STRING}(?:${SPACE}:${SPACE})?|[,{[]${SPACE}|${SPACE}[\]}]|[ \t\r\n]+|${NUMBER}|true|false|null|${COMMENT}`,
  'gy',
)

interface Reading {
  readonly tokens: readonly string[]
  next: number
  /** The end of the last token that was taken. */
  end: number
  depth: number
}

/** The next token that is not space or comment; empty at the end. */
function take(reading: Reading): string {
  for (;;) {
    const token = reading.tokens[reading.next] ?? ''
    reading.next += 1
    reading.end += token.length
    const first = token.charCodeAt(0)
    if (first <= BLANK) {
      const last = token.at(-1)!
      if (last === '}' || last === ']') return last
    } else if (first !== SLASH) return token
  }
}

const BLANK = 0x20
const SLASH = 0x2f

function readValue(reading: Reading, token: string): ConfigNode | undefined {
  const { end } = reading
  const start = end - token.length
  switch (token[0]) {
    case '"':
      return token.endsWith('"') ? { kind: 'scalar', start, end, value: unquote(token) } : undefined
    case '{':
      return readObject(reading, start)
    case '[':
      return readArray(reading, start)
    case 't':
    case 'f':
      return { kind: 'scalar', start, end, value: token === 'true' }
    case 'n':
      return { kind: 'scalar', start, end, value: null }
    case ',':
    case ']':
    case '}':
    case undefined:
      return undefined
    default:
      return { kind: 'scalar', start, end, value: Number(token) }
  }
}

function readObject(reading: Reading, start: number): ObjectNode | undefined {
  const members: Member[] = []
  if (++reading.depth > MAX_DEPTH) return undefined
  for (let token = take(reading); token !== '}'; token = take(reading)) {
    if (token[0] !== '"' || token.endsWith('"')) return undefined
    const keyStart = reading.end - token.length
    const key = token.slice(0, token.lastIndexOf('"') + 1)
    const value = readValue(reading, take(reading))
    if (value === undefined) return undefined
    members.push({ key: unquote(key), keyStart, keyEnd: keyStart + key.length, value })
    const next = take(reading)
    if (next === '}') break
    if (next[0] !== ',') return undefined
  }
  reading.depth -= 1
  return { kind: 'object', start, end: reading.end, members }
}

function readArray(reading: Reading, start: number): ArrayNode | undefined {
  const items: ConfigNode[] = []
  if (++reading.depth > MAX_DEPTH) return undefined
  for (let token = take(reading); token !== ']'; token = take(reading)) {
    const value = readValue(reading, token)
    if (value === undefined) return undefined
    items.push(value)
    const next = take(reading)
    if (next === ']') break
    if (next[0] !== ',') return undefined
  }
  reading.depth -= 1
  return { kind: 'array', start, end: reading.end, items }
}

/** The text of a string token that has no fault. */
export function unquote(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1)
}
