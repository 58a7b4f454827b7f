/**
 * unread: how much may wait for a server that does not read.
 *
 * A pipe or a socket keeps what is written to it until the other side takes it, also what nobody waits for any more. So a
 * message is only written while less than this waits. One message may be larger: it is all there is, then.
 */
import type { WireFailure } from '../../../model/wire.ts'

const MAX_UNREAD_BYTES = 64 * 1024 * 1024

/** Undefined: the next message may be sent. */
export function whyNotSent(unread: number): WireFailure | undefined {
  return unread < MAX_UNREAD_BYTES ? undefined : { kind: 'not-read', bytes: unread }
}
