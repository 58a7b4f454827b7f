/**
 * bare-text: a long text that is its own JSON, but for the quotes: nothing in it has to be escaped (base64, mostly).
 *
 * Who knows that of a text of megabytes need not have it written or read character by character.
 */
import { isPlainAscii } from '../../../base/plain-ascii.ts'

/** From here on it pays to look. */
export const LONG_TEXT = 16 * 1024

export function isBare(text: string): boolean {
  return hasNoSuspects(text) && isPlainAscii(text)
}

/** Without the usual suspects, which are found faster than what is rare. */
export function hasNoSuspects(text: string): boolean {
  return !SUSPECTS.some((character) => text.includes(character))
}

/** What JSON escapes of all that `isPlainAscii` lets pass. */
const SUSPECTS = ['\n', '"', '\\', '\t'] as const
