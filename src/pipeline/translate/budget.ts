/**
 * budget: shortens a text that is too long for a model to a preview, and says where the whole text is.
 *
 * in     the text, the token limit of the model, and a function that stores the whole text
 * out    the text itself, or its beginning and end with a note between them
 */
import { bytesIn, takeEnd, takeStart } from '../../base/text-bytes.ts'

export interface Budget {
  /** 0: no limit. */
  readonly maxTokens: number
  /** Returns the file with the text; undefined when it could not be written. */
  readonly keep: (text: string) => string | undefined
  /** How the note names the place of the whole text. Default: the path of the file. */
  readonly tellPlace?: TellPlace | undefined
}

export type TellPlace = (saved: {
  readonly file: string
  readonly text: string
  readonly bytes: number
}) => string

export type Fitted =
  | { readonly isCut: false; readonly text: string }
  | { readonly isCut: true; readonly text: string; readonly savedTo?: string }

/**
 * The average size of a token in most languages: four letters of English, a little more than one character of Chinese.
 */
const BYTES_PER_TOKEN = 4

/** The size of the preview: enough to recognise the text. */
const PREVIEW_TOKENS = 2000

export function fit(text: string, { maxTokens, keep, tellPlace }: Budget): Fitted {
  if (maxTokens === 0 || !isLonger(text, maxTokens * BYTES_PER_TOKEN)) return { isCut: false, text }
  const savedTo = keep(text)
  const tokens = savedTo === undefined ? maxTokens : Math.min(PREVIEW_TOKENS, maxTokens)
  const room = tokens * BYTES_PER_TOKEN
  const head = takeStart(text, Math.floor(room * 0.75))
  const tail = takeEnd(text.slice(head.length), Math.floor(room * 0.25))
  const left = text.length - head.length - tail.length
  const bytes = bytesIn(text)
  const about = Math.ceil(bytes / BYTES_PER_TOKEN)
  const place =
    savedTo === undefined ? undefined : (tellPlace?.({ file: savedTo, text, bytes }) ?? `in ${savedTo}`)
  const where = place === undefined ? 'it could not be saved' : `all of it is ${place}`
  const note = `[… ${left} characters are left out here; the output has about ${about} tokens, ${where} …]`
  return {
    isCut: true,
    text: `${head}\n\n${note}\n\n${tail}`,
    ...(savedTo === undefined ? {} : { savedTo }),
  }
}

function isLonger(text: string, bytes: number): boolean {
  // A code unit takes one to three bytes, so the length alone decides for nearly every text.
  if (text.length * 3 <= bytes) return false
  return text.length > bytes || bytesIn(text) > bytes
}
