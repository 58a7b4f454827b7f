/**
 * strip-controls: text without anything a terminal would obey.
 *
 * in     text of a server
 * out    the same text; line breaks as `\n`, tabs kept, escape sequences gone whole, every other control character gone
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
 * Titles, links, clipboards: they carry a text, up to BEL or ST. One without an end loses its beginning only. None
 * reaches into the next, or a text of nothing but beginnings would be read as often as it is long.
 */
export const STRINGS =
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)/g
const ESCAPES = /\x1b[ -/]*[0-~]/g
/** Last, so that whatever was put together by what is gone does nothing. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g
/* oxlint-enable no-control-regex */
