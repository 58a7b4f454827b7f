/**
 * plain-ascii: whether a long text is of nothing but printable ASCII, tabs and line breaks.
 *
 * in     a text of any length; worth it from some thousand characters on
 * out    true when it is. False ends the look at once, and says nothing about what else is in there
 *
 * A regular expression looks at one character at a time. Most long texts are ASCII (code, logs, base64), of which
 * four bytes can be looked at together: a sixth of the time.
 */
const SLICE = 16 * 1024

let room: { readonly bytes: Uint8Array; readonly words: Uint32Array } | undefined
const encoder = new TextEncoder()

export function isPlainAscii(text: string): boolean {
  room ??= makeRoom()
  for (let from = 0; from < text.length; from += SLICE) {
    const slice = text.slice(from, from + SLICE)
    const { read, written } = encoder.encodeInto(slice, room.bytes)
    // One byte for each character, and room for all of them, only where all of them are ASCII.
    if (read !== slice.length || written !== read) return false
    room.bytes.fill(SPACE, written)
    if (!areWordsPlain(room.words, room.bytes)) return false
  }
  return true
}

const TAB = 0x09
const LINE_FEED = 0x0a
const SPACE = 0x20
const DELETE = 0x7f

function makeRoom(): NonNullable<typeof room> {
  const bytes = new Uint8Array(SLICE)
  return { bytes, words: new Uint32Array(bytes.buffer) }
}

function areWordsPlain(words: Uint32Array, bytes: Uint8Array): boolean {
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    // In each byte below 0x80, the highest bit of `byte - 0x20` is set for a control, that of `byte + 1` for DELETE. What
    // is carried into a neighbour may make one suspect that is not, and never hides one.
    const suspects = ((word - 0x20202020) | (word + 0x01010101)) & 0x80808080
    if (suspects !== 0 && !areBytesPlain(bytes, at * 4)) return false
  }
  return true
}

function areBytesPlain(bytes: Uint8Array, from: number): boolean {
  for (let at = from; at < from + 4; at++) {
    const byte = bytes[at]!
    if (byte === DELETE || (byte < SPACE && byte !== TAB && byte !== LINE_FEED)) return false
  }
  return true
}
