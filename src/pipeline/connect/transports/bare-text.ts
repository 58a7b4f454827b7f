/**
 * bare-text: a long text that is its own JSON, but for the quotes: nothing in it has to be escaped (base64, mostly).
 *
 * Who knows that of a text of megabytes has the JSON around it written or read, with a mark in its place.
 */

/** From here on it pays to look. */
export const LONG_TEXT = 16 * 1024

/** Of characters that stand for themselves. */
export const MARK = 'plugboard: here is a long text'

/** Where the only mark is; undefined where there is another one, or none. */
export function findMark(json: string): number | undefined {
  const at = json.indexOf(MARK)
  return at === -1 || json.includes(MARK, at + 1) ? undefined : at
}
