/**
 * printable: text from files and servers, made safe to show.
 *
 * Control characters, escape sequences, bidirectional overrides, zero-width and tag characters are shown as
 * `\x1b` or `\u{202e}`, so that a name in a cloned repository can neither move the cursor nor pose as another.
 */
export function toPrintable(text: string): string {
  return isPlain(text) ? text : escapeUnsafe(text, escapeCharacter)
}

/**
 * Controls, formats, half pairs, separators of lines, and whatever is drawn as nothing. The expression stands in here
 * because making it takes a millisecond, and most runs never need it.
 */
function escapeUnsafe(text: string, escape: (character: string) => string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, escape)
}

/** Printable ASCII, as nearly everything is. */
export function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}

/** JSON whose strings cannot carry control or invisible characters to a terminal. */
export function toPrintableJson(value: unknown, indent?: number): string {
  return escapeUnsafe(JSON.stringify(value, undefined, indent), (character) =>
    character === '\n' ? character : toJsonEscape(character),
  )
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0)!
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}

function toJsonEscape(character: string): string {
  return Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('')
}
