/**
 * listen: keeps a `subscriptions/listen` request open, through which a modern server sends its notifications.
 *
 * in     the notifications to ask for, and a signal
 * out    hook calls: when the server agrees, and when an attempt fails
 * never  gives up because a stream ended: that says nothing about the server, so it opens the stream again, with
 *        growing delays
 */
import type { Params } from '../../model/message.ts'
import { SessionError } from '../../model/session.ts'
import type { Channel, ChannelOptions } from './channel.ts'
import type { Client } from './client.ts'

export interface Listen {
  /** With the `_meta` members that the revision requires. */
  readonly params: Params
  readonly signal: AbortSignal
  /** The stream is open, perhaps not for the first time. */
  readonly onAgreed?: (agreed: Params) => void
  /** An attempt failed. `again`: another attempt follows. */
  readonly onFailure?: (error: SessionError, next: 'again' | 'never') => void
}

/** The delay between two attempts. */
const AGAIN_MS = { first: 1000, last: 30_000 }

export function listen(channel: Channel, { clock }: Pick<Client, 'clock'>, request: Listen): void {
  const { params, signal, onAgreed, onFailure } = request
  const options: ChannelOptions = {
    signal,
    cancelBy: channel.wire.kind === 'http' ? 'stream' : 'message',
    onAgreed: (agreed) => onAgreed?.(agreed),
  }
  let delay = AGAIN_MS.first
  const open = (): void => {
    if (signal.aborted) return
    const openedAt = clock.now()
    const again = (): void => {
      if (signal.aborted) return
      // A stream that lasted long did not fail because of the server, so the delay begins small again.
      if (clock.now() - openedAt > AGAIN_MS.last) delay = AGAIN_MS.first
      const cancel = clock.after(delay, () => {
        signal.removeEventListener('abort', cancel)
        open()
      })
      signal.addEventListener('abort', cancel, { once: true })
      delay = Math.min(delay * 2, AGAIN_MS.last)
    }
    channel.request('subscriptions/listen', params, options).then(again, (error: unknown) => {
      if (!(error instanceof SessionError)) throw error
      if (signal.aborted) return
      const next = mayListenAgain(error) ? 'again' : 'never'
      onFailure?.(error, next)
      if (next === 'again') again()
    })
  }
  open()
}

/** A refusal by the server is final, and so is the end of the wire. */
function mayListenAgain({ failure }: SessionError): boolean {
  if (failure.kind !== 'lost') return false
  const { wire } = failure
  if (wire.kind === 'http') return wire.status >= 500 || wire.status === 429
  return wire.kind === 'network' || wire.kind === 'protocol'
}
