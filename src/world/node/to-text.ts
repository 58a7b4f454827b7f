/**
 * to-text: bytes of UTF-8 → text. What is no UTF-8 becomes U+FFFD; a byte order mark is kept, whoever reads the text says
 * what it means there.
 */
import { isAscii } from 'node:buffer'

/** Less is not worth the look. */
const LONG = 16 * 1024

export function toText(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  // Node 20 takes ten times as long to make text of UTF-8, even where there is nothing but ASCII.
  return buffer.toString(buffer.length >= LONG && isAscii(buffer) ? 'latin1' : 'utf8')
}
