/**
 * answer-head: the head of an answer, by RFC 9112 (HTTP/1.0 and 1.1).
 *
 * in     its text, without the empty line behind it
 * out    what it says, and where the body ends
 * never  guesses: a head that can be read in two ways is none
 */
import { KEEP_MS } from './sender.ts'

export interface AnswerHead {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[]>>
  /** How long the connection can be used again, as far as the server says; 0 for not at all. */
  readonly keepMs: number
  readonly body: BodyKind
}

/** Where the body ends: after so many bytes, behind its last chunk, or with the connection. */
export type BodyKind =
  | { readonly kind: 'sized'; readonly length: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'endless' }

/** In bytes: as much as Node takes, unless it is told otherwise. */
export const MAX_HEAD = 16 * 1024

type Headers = Record<string, string | string[]>

/** Undefined where it is none, or leaves open where its body ends. */
export function parseHead(text: string): AnswerHead | undefined {
  if (CONTROL.test(text)) return undefined
  const [start, minor, digits] = START.exec(text) ?? []
  const headers = start === undefined ? undefined : parseHeaders(text.slice(start.length))
  const said = headers === undefined ? undefined : findBody(headers)
  if (headers === undefined || said === undefined) return undefined
  const status = Number(digits)
  const body = status < 200 || status === 204 || status === 304 ? NO_BODY : said
  const keepMs = body.kind === 'endless' ? 0 : findKeepMs(headers, minor)
  return { status, headers, body, keepMs }
}

/** Whatever the headers say. */
const NO_BODY: BodyKind = { kind: 'sized', length: 0 }

/** Not 101: nobody asked to speak something else from here on. */
const START = /^HTTP\/1\.([01]) (?!101)([1-9]\d\d)(?: .*)?(?:\r\n|$)/

/** Controls other than tabs and whole line ends. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\0-\u0008\v\f\u000E-\u001F\u007F]|\r(?!\n)|(?<!\r)\n/

const NAME = /^[\w!#$%&'*+.^`|~-]+$/

export function isHeaderName(text: string): boolean {
  return NAME.test(text)
}

/** Also behind a body in chunks. */
export function isHeader(line: string): boolean {
  return isHeaderName(line.slice(0, Math.max(line.indexOf(':'), 0))) && !CONTROL.test(line)
}

function parseHeaders(text: string): Headers | undefined {
  const headers = Object.create(null) as Headers
  if (text === '') return headers
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(colon, 0))
    // Before it is in small letters: other alphabets have some that become ours.
    if (!isHeaderName(name)) return undefined
    addHeader(headers, name.toLowerCase(), trimBlanks(line.slice(colon + 1)))
  }
  return headers
}

/** Spaces and tabs, and not the blanks of Unicode. By hand: an expression looks at each blank inside many times. */
function trimBlanks(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && isBlank(text[from])) from++
  while (to > from && isBlank(text[to - 1])) to--
  return text.slice(from, to)
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}

function addHeader(headers: Headers, name: string, value: string): void {
  const before = headers[name]
  if (before === undefined) headers[name] = value
  else if (typeof before === 'string') headers[name] = [before, value]
  else before.push(value)
}

function findBody({ 'content-length': length, 'transfer-encoding': coding }: Headers): BodyKind | undefined {
  if (coding === undefined && length === undefined) return { kind: 'endless' }
  // Both, or two of one: whoever reads it otherwise than the one who wrote it takes one answer for another.
  if (coding !== undefined && length !== undefined) return undefined
  if (coding !== undefined)
    return /(?:^|,)\s*chunked$/i.test(String(coding)) ? { kind: 'chunked' } : { kind: 'endless' }
  const isLength = typeof length === 'string' && /^0*\d{1,15}$/.test(length)
  return isLength ? { kind: 'sized', length: Number(length) } : undefined
}

/** What we send must be there before the server gives up. */
const MARGIN_MS = 2000
const MAX_KEEP_MS = 600_000

function findKeepMs({ connection, 'keep-alive': keep }: Headers, minor: string | undefined): number {
  const words = String(connection ?? '').toLowerCase()
  if (words.includes('close') || (minor === '0' && !words.includes('keep-alive'))) return 0
  const seconds = /(?:^|[,;\s])timeout=(\d{1,6})/i.exec(String(keep ?? ''))?.[1]
  if (seconds === undefined) return KEEP_MS
  return Math.max(0, Math.min(Number(seconds) * 1000 - MARGIN_MS, MAX_KEEP_MS))
}
