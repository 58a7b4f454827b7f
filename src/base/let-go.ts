/**
 * let-go: gives the memory of long bytes back at once.
 *
 * in     bytes that nobody will look at again
 * never  takes memory from bytes that share it with others; does anything where the language cannot (before Node 22)
 *
 * Otherwise it is kept until the next collection, which megabytes bring about sooner, while what comes next is put into
 * memory that is new.
 */

/** Less is not worth the call. */
const LONG = 16 * 1024

export function letGo(bytes: Uint8Array): void {
  const buffer: ArrayBufferLike & { transfer?(length: number): unknown } = bytes.buffer
  if (bytes.length >= LONG && bytes.length === buffer.byteLength) buffer.transfer?.(0)
}
