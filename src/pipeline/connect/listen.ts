/**
 * listen: keeps a `subscriptions/listen` open, through which a modern server tells what it is asked to tell.
 *
 * in     what to tell of, and until when
 * out    told through hooks: each time the server agrees, and that it does not any more
 * never  gives up because a stream ended: that says nothing about the server, so it is opened again, ever later
 */
import type { Params } from '../../model/message.ts'
import { SessionError } from '../../model/session.ts'
import type { Channel, ChannelOptions } from './channel.ts'
import type { Client } from './client.ts'

export interface Listen {
  /** With the envelope of the revision. */
  readonly params: Params
  readonly signal: AbortSignal
  /** The stream is open; perhaps not for the first time. */
  readonly onAgreed?: (agreed: Params) => void
  /** A try failed. `again`: there will be another. */
  readonly onFailure?: (error: SessionError, next: 'again' | 'never') => void
}

/** Between two attempts. */
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
      // One that held for long ended for a reason of the moment.
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

/** A server that says no means it, and a wire that is gone stays gone. */
function mayListenAgain({ failure }: SessionError): boolean {
  if (failure.kind !== 'lost') return false
  const { wire } = failure
  if (wire.kind === 'http') return wire.status >= 500 || wire.status === 429
  return wire.kind === 'network' || wire.kind === 'protocol'
}
