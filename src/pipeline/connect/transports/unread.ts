/**
 * unread: limits the bytes that wait for a server that does not read.
 *
 * A pipe or a socket keeps written bytes until the other side reads them, even for requests that were cancelled. So the
 * wire writes a message only while fewer bytes than the limit wait. One message may be larger if it is the only one.
 */
import type { WireFailure } from '../../../model/wire.ts'

const MAX_UNREAD_BYTES = 64 * 1024 * 1024

/** Undefined: the next message may be sent. */
export function whyNotSent(unread: number): WireFailure | undefined {
  return unread < MAX_UNREAD_BYTES ? undefined : { kind: 'not-read', bytes: unread }
}
