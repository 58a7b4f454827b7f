/**
 * header-value: any text as the value of an HTTP header (2026-07-28, Streamable HTTP, "Value Encoding").
 */
const PREFIX = '=?base64?'
const SUFFIX = '?='
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Plain where that is safe, else `=?base64?…?=` of its UTF-8. */
export function toHeaderValue(value: string): string {
  return isPlain(value) ? value : `${PREFIX}${toBase64(value)}${SUFFIX}`
}

/** Undefined for a value that is marked as encoded but is not. */
export function fromHeaderValue(value: string): string | undefined {
  if (!value.startsWith(PREFIX) || !value.endsWith(SUFFIX)) return value
  const encoded = value.slice(PREFIX.length, -SUFFIX.length)
  // `atob` also accepts missing padding, and blanks inside.
  if (!BASE64.test(encoded)) return undefined
  try {
    const binary = atob(encoded)
    const bytes = Uint8Array.from(binary, (char) => char.codePointAt(0)!)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined // no Base64, or no valid text
  }
}

/** Whether a header carries the text unchanged: blanks at the ends are removed on the way. */
function isPlain(value: string): boolean {
  if (value.startsWith(PREFIX) && value.endsWith(SUFFIX)) return false
  return /^[\t\x20-\x7E]+$/.test(value) && value === value.trim()
}

function toBase64(value: string): string {
  let binary = ''
  for (const byte of new TextEncoder().encode(value)) binary += String.fromCodePoint(byte)
  return btoa(binary)
}
