/**
 * strip-invisible: text of which everything is seen.
 *
 * in     text from outside
 * out    the same without escape sequences, controls, overrides of direction and characters drawn as nothing; every
 *        kind of line break as `\n`
 */
export function stripInvisible(text: string): string {
  return text
    .replace(SEQUENCES, '')
    .replace(/\r\n?|[\v\f\x85\u2028\u2029]/g, '\n')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
      character === '\n' || character === '\t' ? character : '',
    )
}

/* oxlint-disable no-control-regex -- they are what is looked for */
/**
 * Colours and movements; titles and links, which carry a text up to BEL or ST. None reaches into the next, or a text of
 * nothing but beginnings would be read as often as it is long.
 */
const SEQUENCES =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)/g
/* oxlint-enable no-control-regex */
