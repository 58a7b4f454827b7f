/**
 * hidden-text: characters in a text that its reader does not see, and a model does.
 *
 * in     a name or a description from a server
 * out    each run of them, with what stands around it
 * never  minds what honest texts hold: line breaks and tabs, emoji with their joiners and variants, and the joiners
 *        that some scripts are written with
 */
import { HONEST, toPrintable } from './printable.ts'

export interface HiddenText {
  /** What kind of character it is, for a message. */
  readonly what:
    | 'control characters'
    | 'invisible characters'
    | 'characters that reorder text'
    | 'tag characters'
  /** Escaped, with a few characters of the text before and after. */
  readonly around: string
}

/** Only the first few: a text made of nothing else is one finding. */
export function findHidden(text: string, most = 3): readonly HiddenText[] {
  // Printable ASCII, line breaks and tabs: nearly every text there is.
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

/** What is honest comes first, to be passed over. Then, in a group, whatever is drawn as nothing, moves text about or commands a terminal. */
const TOKENS = new RegExp(
  `${HONEST}|${String.raw`((?:(?![\t\n\r])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}])+)`}`,
  'gu',
)

function kindOf(run: string): HiddenText['what'] {
  if (/[\u{e0000}-\u{e007f}]/u.test(run)) return 'tag characters'
  if (/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(run)) return 'characters that reorder text'
  return /\p{Cc}/u.test(run) ? 'control characters' : 'invisible characters'
}
