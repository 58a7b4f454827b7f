/**
 * budget: text that is too long for a model → a preview of it, and where the whole is.
 *
 * in     the text, how many tokens a model may get, and a way to keep the whole
 * out    the text itself, or its beginning and end with a note between them
 */
export interface Budget {
  /** 0: no limit. */
  readonly maxTokens: number
  /** Gives the file the text is in; undefined when it could not be written. */
  readonly keep: (text: string) => string | undefined
}

export interface Fitted {
  readonly text: string
  readonly savedTo?: string
}

/** About what a token is, in most languages: four letters of English, a little more than one character of Chinese. */
const BYTES_PER_TOKEN = 4

/** Of a text that is kept: enough to know what it is. */
const PREVIEW_TOKENS = 2000

export function fit(text: string, { maxTokens, keep }: Budget): Fitted {
  if (maxTokens === 0 || !isLonger(text, maxTokens * BYTES_PER_TOKEN)) return { text }
  const savedTo = keep(text)
  const tokens = savedTo === undefined ? maxTokens : Math.min(PREVIEW_TOKENS, maxTokens)
  const room = tokens * BYTES_PER_TOKEN
  const head = takeStart(text, Math.floor(room * 0.75))
  const tail = takeEnd(text.slice(head.length), Math.floor(room * 0.25))
  const left = text.length - head.length - tail.length
  const about = Math.ceil(bytesIn(text) / BYTES_PER_TOKEN)
  const where = savedTo === undefined ? 'it could not be saved' : `all of it is in ${savedTo}`
  const note = `[… ${left} characters are left out here; the output has about ${about} tokens, ${where} …]`
  return {
    text: `${head}\n\n${note}\n\n${tail}`,
    ...(savedTo === undefined ? {} : { savedTo }),
  }
}

function isLonger(text: string, bytes: number): boolean {
  // A unit takes one to three bytes: nearly every text is decided without looking at it.
  if (text.length * 3 <= bytes) return false
  return text.length > bytes || bytesIn(text) > bytes
}

function bytesIn(text: string): number {
  let bytes = 0
  for (let i = 0; i < text.length; i++) bytes += bytesOf(text.charCodeAt(i))
  return bytes
}

/** In UTF-8; each half of a pair counts two. */
function bytesOf(unit: number): number {
  if (unit < 0x80) return 1
  return unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3
}

function takeStart(text: string, bytes: number): string {
  let end = 0
  for (let left = bytes; end < text.length; end++) {
    left -= bytesOf(text.charCodeAt(end))
    if (left < 0) break
  }
  return text.slice(0, isInsidePair(text, end) ? end - 1 : end)
}

function takeEnd(text: string, bytes: number): string {
  let start = text.length
  for (let left = bytes; start > 0; start--) {
    left -= bytesOf(text.charCodeAt(start - 1))
    if (left < 0) break
  }
  return text.slice(isInsidePair(text, start) ? start + 1 : start)
}

function isInsidePair(text: string, at: number): boolean {
  const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
  return at > 0 && at < text.length && isHigh(text.charCodeAt(at - 1))
}
