/**
 * printable: text from files and servers, made safe to show.
 *
 * Control characters, escape sequences, bidirectional overrides, zero-width and tag characters are shown as
 * `\x1b` or `\u{202e}`, so that a name in a cloned repository can neither move the cursor nor pose as another. Emoji, and
 * letters that are joined, stay as they are written.
 */
export function toPrintable(text: string): string {
  if (isPlain(text)) return text
  besideHonest ??= new RegExp(`${HONEST}|(${UNSAFE})`, 'gu')
  return text.replace(besideHonest, (met, unsafe?: string) =>
    unsafe === undefined ? met : escapeCharacter(unsafe),
  )
}

/** A text of several lines, which stay: line breaks as `\n`, and tabs. */
export function toPrintableLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(toPrintable).join('\t'))
    .join('\n')
}

/**
 * What is not seen and has its place all the same: in an emoji with its parts, in a key cap, between letters that are
 * joined by it. Of the marks behind an emoji no more than two: a row of them is a way to write what nobody sees.
 */
export const HONEST = [
  String.raw`\p{Extended_Pictographic}VARIANT(?:\u200d\p{Extended_Pictographic}VARIANT)*`,
  String.raw`[#*\d]\ufe0f?\u20e3`,
  String.raw`(?<=(?!\p{Script=Latin}|\p{Script=Cyrillic}|\p{Script=Greek})[\p{L}\p{M}])[\u200c\u200d](?=\p{L})`,
]
  .join('|')
  .replaceAll('VARIANT', String.raw`[\u{1f3fb}-\u{1f3ff}\ufe0e\ufe0f]{0,2}`)

/** Controls, formats, half pairs, separators of lines, and whatever is drawn as nothing. */
const UNSAFE = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`

/** Made when they are needed: that takes a millisecond, and most runs never do. */
let besideHonest: RegExp | undefined
let anywhere: RegExp | undefined

/** Printable ASCII, as nearly everything is. */
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
