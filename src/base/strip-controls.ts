/**
 * strip-controls: removes everything from a text that a terminal would obey.
 *
 * in     text of a server
 * out    the same text; line breaks as `\n`, tabs kept, whole escape sequences and every other control character
 *        removed
 */

export function stripControls(text: string): string {
  if (!HAS_CONTROL.test(text)) return text
  return text
    .replace(CSI, '')
    .replace(STRINGS, '')
    .replace(ESCAPES, '')
    .replace(/\r\n?/g, '\n')
    .replace(CONTROLS, '')
}

/* oxlint-disable no-control-regex -- they are what is looked for */
const HAS_CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/
/** Colours, movements: `ESC [ 31 m`. */
export const CSI = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]/g
/**
 * Titles, links, clipboards: they contain a text, up to BEL or ST. Of one without an end, only the beginning is
 * removed. No match reaches into the next sequence: otherwise a text of many beginnings would take quadratic time.
 */
export const STRINGS =
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)/g
const ESCAPES = /\x1b[ -/]*[0-~]/g
/** Last, so that text joined by an earlier removal does nothing. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g
/* oxlint-enable no-control-regex */
