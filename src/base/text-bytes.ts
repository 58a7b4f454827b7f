/**
 * text-bytes: measures and cuts a text by its size in UTF-8, without encoding it.
 *
 * never  cuts a surrogate pair in two
 */
export function bytesIn(text: string): number {
  let bytes = 0
  for (let i = 0; i < text.length; i++) bytes += bytesOf(text.charCodeAt(i))
  return bytes
}

/** As much of the beginning as fits. */
export function takeStart(text: string, bytes: number): string {
  let end = 0
  for (let left = bytes; end < text.length; end++) {
    left -= bytesOf(text.charCodeAt(end))
    if (left < 0) break
  }
  return text.slice(0, isInsidePair(text, end) ? end - 1 : end)
}

/** As much of the end as fits. */
export function takeEnd(text: string, bytes: number): string {
  let start = text.length
  for (let left = bytes; start > 0; start--) {
    left -= bytesOf(text.charCodeAt(start - 1))
    if (left < 0) break
  }
  return text.slice(isInsidePair(text, start) ? start + 1 : start)
}

/** In UTF-8; each half of a surrogate pair counts two. */
function bytesOf(unit: number): number {
  if (unit < 0x80) return 1
  return unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3
}

function isInsidePair(text: string, at: number): boolean {
  const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
  return at > 0 && at < text.length && isHigh(text.charCodeAt(at - 1))
}
