/**
 * strip-invisible: removes everything invisible from a text.
 *
 * in     text from outside
 * out    the same without escape sequences, controls, direction overrides and characters drawn as nothing; every kind
 *        of line break as `\n`
 */
import { CSI, STRINGS } from './strip-controls.ts'

export function stripInvisible(text: string): string {
  return text
    .replace(SEQUENCES, '')
    .replace(/\r\n?|[\v\f\x85\u2028\u2029]/g, '\n')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
      character === '\n' || character === '\t' ? character : '',
    )
}

/** Colours and movements; titles and links. */
const SEQUENCES = new RegExp(`${CSI.source}|${STRINGS.source}`, 'g')
