/**
 * hidden-text: finds characters in a text that a person does not see, but a model reads.
 *
 * in     a name or a description from a server
 * out    each run of them, with the text around it
 * never  reports what honest texts contain: line breaks and tabs, emoji with their joiners and variants, and the
 *        joiners of some scripts
 */
import { HONEST, toPrintable } from './printable.ts'

export interface HiddenText {
  /** The kind of character, for a message. */
  readonly what:
    | 'control characters'
    | 'invisible characters'
    | 'characters that reorder text'
    | 'tag characters'
  /** Escaped, with a few characters of the text before and after. */
  readonly around: string
}

/** Only the first few: a text of nothing else is one finding. */
export function findHidden(text: string, most = 3): readonly HiddenText[] {
  // Printable ASCII, line breaks and tabs: nearly every text.
  if (/^[\t\n\r\x20-\x7e]*$/.test(text)) return []
  const found: HiddenText[] = []
  for (const { 1: run, index } of text.matchAll(TOKENS)) {
    if (run === undefined) continue
    const around = text.slice(Math.max(0, index - AROUND), index + Math.min(run.length, LONGEST) + AROUND)
    found.push({ what: kindOf(run), around: toPrintable(around.replace(/[ \t\n\r]+/g, ' ')) })
    if (found.length === most) break
  }
  return found
}

const AROUND = 12
const LONGEST = 24

/**
 * Honest characters come first, and are skipped. The group then matches what is drawn as nothing, moves text about or
 * commands a terminal.
 */
const TOKENS = new RegExp(
  `${HONEST}|${String.raw`((?:(?![\t\n\r])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}])+)`}`,
  'gu',
)

function kindOf(run: string): HiddenText['what'] {
  if (/[\u{e0000}-\u{e007f}]/u.test(run)) return 'tag characters'
  if (/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(run)) return 'characters that reorder text'
  return /\p{Cc}/u.test(run) ? 'control characters' : 'invisible characters'
}
