/**
 * from-json: the JSON of a message → its value, as `JSON.parse` reads it.
 *
 * in     a text, whatever it is
 * out    the same as from `JSON.parse`; throws where that throws. A text that is nearly all of the message is a part of
 *        what came, and keeps that in memory (two bytes for each character where one is beyond Latin-1)
 *
 * `JSON.parse` looks at each character of a text and copies all of them, which is a fifth of what a result with megabytes
 * takes. So a long text that stands there as it is meant is cut out before, and put back where it belongs.
 */
import { isBareAscii } from '../../../base/plain-ascii.ts'
import { findMark, LONG_TEXT, MARK } from './bare-text.ts'

export function fromJson(json: string): unknown {
  const span = json.length < LONG_TEXT ? undefined : findBare(json)
  return (span === undefined ? undefined : parseAround(json, span)) ?? JSON.parse(json)
}

/** Between two quotes. */
interface Span {
  readonly from: number
  readonly to: number
}

/** Names and texts that are looked at: most of a result is among its first, or is not looked for. */
const MAX_TEXTS = 64

function findBare(json: string): Span | undefined {
  let from = json.indexOf('"') + 1
  for (let texts = 0; from !== 0 && texts < MAX_TEXTS; texts++) {
    const to = json.indexOf('"', from)
    // One that is escaped, or none.
    if (to === -1 || json[to - 1] === '\\') return undefined
    if (to - from > json.length / 2) return isWorthIt(json, { from, to }) ? { from, to } : undefined
    from = json.indexOf('"', to + 1) + 1
  }
  return undefined
}

/** A value, with little around it, and as it is meant. */
function isWorthIt(json: string, { from, to }: Span): boolean {
  NAME_END.lastIndex = to
  if (json.length - (to - from) > LONG_TEXT || NAME_END.test(json)) return false
  return isBareAscii(json.slice(from, to))
}

const NAME_END = /"\s*:/y

/** Undefined where what is left may have our mark in it already. */
function parseAround(json: string, { from, to }: Span): unknown {
  const around = json.slice(0, from) + MARK + json.slice(to)
  // Of all escapes, only this one can stand for a character of the mark.
  const isOurs = findMark(around) === from && !around.includes('\\u')
  return isOurs ? putBack(JSON.parse(around), json.slice(from, to)) : undefined
}

/** In no function that calls itself: what came may be as deep as it is long. */
function putBack(value: unknown, text: string): unknown {
  const whole: Fields = { value }
  const open = [whole]
  for (const fields of open)
    for (const key of Object.keys(fields)) {
      const one = fields[key]
      if (one === MARK) fields[key] = text
      else if (typeof one === 'object' && one !== null) open.push(one as Fields)
    }
  return whole['value']
}

type Fields = Record<string, unknown>
