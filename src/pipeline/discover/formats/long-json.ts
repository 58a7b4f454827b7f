/**
 * long-json: parses a long JSON text into a tree, and reads only the parts that a caller uses.
 *
 * Claude Code keeps its servers in one file with its whole state, including the user's prompts, and that file grows to
 * megabytes. The engine checks in one step whether the text is JSON. After that, the members of an object are found
 * when a caller asks for them, and their values are skipped. Reading the whole tree takes its length times its depth.
 *
 * out     the tree that `json.ts` would make; undefined when the text is not strict JSON, and then the other readers decide
 * throws  RangeError, at once and not on first use: the text is nested deeper than any configuration, or a string in it is
 *         too long for a pattern
 */
import { MAX_DEPTH } from '../../../base/depth.ts'
import type { ArrayNode, ConfigNode, Member, ObjectNode } from '../../../model/document.ts'
import { unquote } from './plain-json.ts'

/** From this length on, reading all of it takes longer than asking the engine first: about three hundred servers. */
export const LONG_CHARS = 64 * 1024

export function parseLongJson(text: string): ConfigNode | undefined {
  return isJson(text) ? readValue(text, endOf(SPACE, text, 0)) : undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // the other readers accept comments, and can name the fault
  }
}

// Everything below works on text that is known to be JSON.

const SPACE = /[ \t\r\n]*/y
const COMMA = /[ \t\r\n]*,?[ \t\r\n]*/y
const STRING = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`
const KEY = new RegExp(String.raw`${STRING}[ \t\r\n]*:[ \t\r\n]*`, 'y')
const SCALAR = new RegExp(String.raw`${STRING}|[^ \t\r\n,\]}]+`, 'y')
/**
 * This pattern runs over the whole text first and contains `STRING`. So a string that is too long fails here, and not
 * on first use.
 */
const UP_TO_BRACKET = new RegExp(String.raw`[^"{}[\]]*(?:${STRING}[^"{}[\]]*)*`, 'y')

function endOf(pattern: RegExp, json: string, start: number): number {
  pattern.lastIndex = start
  pattern.test(json)
  return pattern.lastIndex
}

function readValue(json: string, start: number): ConfigNode {
  if (json[start] === '{') return objectAt(json, start)
  if (json[start] === '[') return arrayAt(json, start)
  const end = endOf(SCALAR, json, start)
  return { kind: 'scalar', start, end, value: toScalar(json.slice(start, end)) }
}

function objectAt(json: string, start: number): ObjectNode {
  let members: readonly Member[] | undefined
  return {
    kind: 'object',
    start,
    end: endOfBrackets(json, start),
    get members() {
      return (members ??= readMembers(json, start))
    },
  }
}

function arrayAt(json: string, start: number): ArrayNode {
  let items: readonly ConfigNode[] | undefined
  return {
    kind: 'array',
    start,
    end: endOfBrackets(json, start),
    get items() {
      return (items ??= readItems(json, start))
    },
  }
}

function endOfBrackets(json: string, start: number): number {
  let depth = 1
  for (let at = endOf(UP_TO_BRACKET, json, start + 1); ; at = endOf(UP_TO_BRACKET, json, at + 1)) {
    const isOpening = json[at] === '{' || json[at] === '['
    depth += isOpening ? 1 : -1
    if (depth === 0) return at + 1
    if (depth > MAX_DEPTH) throw new RangeError('it is nested too deeply')
  }
}

function readMembers(json: string, start: number): readonly Member[] {
  const members: Member[] = []
  for (let at = endOf(SPACE, json, start + 1); json[at] !== '}';) {
    const valueStart = endOf(KEY, json, at)
    const keyEnd = json.lastIndexOf('"', valueStart - 1) + 1
    const value = readValue(json, valueStart)
    members.push({ key: unquote(json.slice(at, keyEnd)), keyStart: at, keyEnd, value })
    at = endOf(COMMA, json, value.end)
  }
  return members
}

function readItems(json: string, start: number): readonly ConfigNode[] {
  const items: ConfigNode[] = []
  for (let at = endOf(SPACE, json, start + 1); json[at] !== ']';) {
    const item = readValue(json, at)
    items.push(item)
    at = endOf(COMMA, json, item.end)
  }
  return items
}

function toScalar(written: string): string | number | boolean | null {
  return written[0] === '"' ? unquote(written) : (JSON.parse(written) as number | boolean | null)
}
