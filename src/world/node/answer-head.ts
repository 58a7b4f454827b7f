/**
 * answer-head: the head of an answer, by RFC 9112 (HTTP/1.0 and 1.1).
 *
 * in     its text, without the empty line behind it
 * out    what it says, and where the body ends
 * never  guesses: a head that can be read in two ways is none
 */

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

/** In bytes: as much as Node takes. */
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
  const keepMs = body.kind === 'endless' ? 0 : findKeepMs(headers, minor === '1')
  return { status, headers, body, keepMs }
}

/** Whatever the headers say. */
const NO_BODY: BodyKind = { kind: 'sized', length: 0 }

/** Not 101: nobody asked to speak something else from here on. */
const START = /^HTTP\/1\.([01]) (?!101)([1-9]\d\d)(?: .*)?(?:\r\n|$)/

/** Controls other than tabs and whole line ends. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\0-\u0008\v\f\u000E-\u001F\u007F]|\r(?!\n)|(?<!\r)\n/

const NAMED = /^[\w!#$%&'*+.^`|~-]+:/

/** Also behind a body in chunks. */
export function isHeader(line: string): boolean {
  return NAMED.test(line) && !CONTROL.test(line)
}

function parseHeaders(text: string): Headers | undefined {
  const headers = Object.create(null) as Headers
  if (text === '') return headers
  for (const line of text.split('\r\n')) {
    if (!NAMED.test(line)) return undefined
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    const before = headers[name]
    headers[name] = before === undefined ? value : [before, value].flat()
  }
  return headers
}

function findBody({ 'content-length': length, 'transfer-encoding': coding }: Headers): BodyKind | undefined {
  if (coding === undefined && length === undefined) return { kind: 'endless' }
  // Both, or two of one: whoever reads it otherwise than the one who wrote it takes one answer for another.
  if (coding !== undefined && length !== undefined) return undefined
  if (coding !== undefined)
    return /(?:^|,)\s*chunked$/i.test(String(coding)) ? { kind: 'chunked' } : { kind: 'endless' }
  const isLength = typeof length === 'string' && /^\d{1,15}$/.test(length)
  return isLength ? { kind: 'sized', length: Number(length) } : undefined
}

/** Where the server does not say: shorter than what the usual proxies allow, longer than a model thinks. */
const KEEP_MS = 30_000

/** What we send must be there before the server gives up. */
const MARGIN_MS = 2000

function findKeepMs({ connection, 'keep-alive': keep }: Headers, isKept: boolean): number {
  const words = String(connection ?? '').toLowerCase()
  if (words.includes('close') || (!isKept && !words.includes('keep-alive'))) return 0
  const seconds = /(?:^|[,;\s])timeout=(\d{1,6})/i.exec(String(keep ?? ''))?.[1]
  return seconds === undefined
    ? KEEP_MS
    : Math.max(0, Math.min(Number(seconds) * 1000 - MARGIN_MS, KEEP_MS * 20))
}
