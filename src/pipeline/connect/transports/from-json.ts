/**
 * from-json: the JSON of a message → its value, as `JSON.parse` reads it.
 *
 * in     a text, whatever it is
 * out    the same as from `JSON.parse`; throws where that throws. A long text in there may be a part of what came, which
 *        then stays in memory as long as it does
 *
 * `JSON.parse` looks at each character of a text and copies all of them, which is a fifth of what a result with megabytes
 * takes. So a long text that stands there as it is meant is cut out before, and put back where it belongs.
 */
import { isBare, LONG_TEXT } from './bare-text.ts'

export function fromJson(json: string): unknown {
  const spans = json.length < LONG_TEXT ? [] : findBare(json)
  return (spans.length === 0 ? undefined : parseAround(json, spans)) ?? JSON.parse(json)
}

/** Between two quotes. */
interface Span {
  readonly from: number
  readonly to: number
}

/** Quotes that are looked at: a long text is among the first that a result has, or it is not looked for. */
const MAX_QUOTES = 64

function findBare(json: string): readonly Span[] {
  const spans: Span[] = []
  let open = json.indexOf('"')
  for (let quotes = 0; open !== -1 && quotes < MAX_QUOTES; quotes++) {
    const to = json.indexOf('"', open + 1)
    // One that is escaped, or none: what follows is not looked at.
    if (to === -1 || json[to - 1] === '\\') break
    const from = open + 1
    if (to - from >= LONG_TEXT && !isName(json, to) && isBare(json.slice(from, to))) spans.push({ from, to })
    open = json.indexOf('"', to + 1)
  }
  return spans
}

/** Whether what ends there is the name of a member. */
function isName(json: string, end: number): boolean {
  BEFORE_VALUE.lastIndex = end + 1
  return BEFORE_VALUE.test(json)
}

const BEFORE_VALUE = /\s*:/y

/** Undefined where what is left is long itself, or has our marks in it already. */
function parseAround(json: string, spans: readonly Span[]): unknown {
  const texts = new Map<string, string>()
  let rest = ''
  let at = 0
  for (const { from, to } of spans) {
    const mark = `${MARK}${texts.size}`
    texts.set(mark, json.slice(from, to))
    rest += json.slice(at, from) + mark
    at = to
  }
  rest += json.slice(at)
  const isLeft = rest.length >= LONG_TEXT || rest.split(MARK).length > texts.size + 1
  return isLeft ? undefined : putBack(JSON.parse(rest), texts)
}

const MARK = 'plugboard: a long text, number '

/** In no function that calls itself: what came may be as deep as it is long. */
function putBack(value: unknown, texts: ReadonlyMap<string, string>): unknown {
  const whole: Fields = { value }
  const open = [whole]
  for (const fields of open)
    for (const key in fields) {
      const one = fields[key]
      if (typeof one === 'string') fields[key] = texts.get(one) ?? one
      else if (typeof one === 'object' && one !== null) open.push(one as Fields)
    }
  return whole['value']
}

type Fields = Record<string, unknown>
