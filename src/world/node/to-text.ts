/**
 * to-text: bytes of UTF-8 → text. What is no UTF-8 becomes U+FFFD; a byte order mark is kept, whoever reads the text says
 * what it means there.
 */
import { isAscii } from 'node:buffer'

/** From here on Node keeps the bytes of Latin-1 outside of V8's memory, where they are copied and nothing else. */
const LONG = 1024 * 1024

export function toText(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  // Node 20 takes three to ten times as long for the same as UTF-8; Node 24 looks for itself.
  return buffer.toString(buffer.length >= LONG && isAscii(buffer) ? 'latin1' : 'utf8')
}
