/**
 * printable: text from files and servers, made safe to show.
 *
 * Control characters, escape sequences, bidirectional overrides, zero-width and tag characters are shown as `\x1b` or
 * `\u{202e}`. So a name in a cloned repository can neither move the cursor nor pose as another. Emoji and joined letters
 * stay as written.
 */
export function toPrintable(text: string): string {
  if (isPlain(text)) return text
  besideHonest ??= new RegExp(`${HONEST}|(${UNSAFE})`, 'gu')
  return text.replace(besideHonest, (met, unsafe?: string) =>
    unsafe === undefined ? met : escapeCharacter(unsafe),
  )
}

/** For a text of several lines. It keeps line breaks, as `\n`, and tabs. */
export function toPrintableLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(toPrintable).join('\t'))
    .join('\n')
}

/**
 * Invisible characters with a purpose: in an emoji with its parts, in a key cap, between joined letters. At most two
 * marks after an emoji count: a row of them could carry hidden text.
 */
export const HONEST = [
  String.raw`\p{Extended_Pictographic}VARIANT(?:\u200d\p{Extended_Pictographic}VARIANT)*`,
  String.raw`[#*\d]\ufe0f?\u20e3`,
  String.raw`(?<=(?!\p{Script=Latin}|\p{Script=Cyrillic}|\p{Script=Greek})[\p{L}\p{M}])[\u200c\u200d](?=\p{L})`,
]
  .join('|')
  .replaceAll('VARIANT', String.raw`[\u{1f3fb}-\u{1f3ff}\ufe0e\ufe0f]{0,2}`)

/** Controls, formats, half pairs, line separators, and characters drawn as nothing. */
const UNSAFE = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`

/** Compiled on first use: that takes a millisecond, and most runs never need it. */
let besideHonest: RegExp | undefined
let anywhere: RegExp | undefined

/** Printable ASCII, like nearly every text. */
export function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}

/** JSON whose strings cannot carry control or invisible characters to a terminal. */
export function toPrintableJson(value: unknown, indent?: number): string {
  anywhere ??= new RegExp(UNSAFE, 'gu')
  return JSON.stringify(value, undefined, indent).replace(anywhere, (character) =>
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
