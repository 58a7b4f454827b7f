/**
 * legacy-subscriptions: resources whose changes the server tells of, in the revisions that ask for each by itself.
 */
import type { Params } from '../../model/message.ts'
import { SessionError, type ResourceSubscriptions, type Subscriber } from '../../model/session.ts'

/** Rejects with a SessionError. */
export type Send = (
  method: string,
  params: Params,
  options: { readonly timeoutMs: number },
) => Promise<unknown>

export interface LegacySubscriptions extends ResourceSubscriptions {
  /** Asks again for all of them: after a handshake the server knows nothing of what was before. */
  resume(): void
  /** The server has no way left to tell of anything. */
  lose(): void
}

/** For what nobody waits for. */
const BESIDE_MS = 10_000

/** `resend`: within the session as it is, and beside everything else. */
export function createLegacySubscriptions(send: Send, resend: Send): LegacySubscriptions {
  const subscribers = new Map<string, Subscriber>()
  const lose = (uri: string, error: SessionError): void => {
    const subscriber = subscribers.get(uri)
    subscribers.delete(uri)
    subscriber?.onLost(error)
  }
  return {
    async add(uri, subscriber, timeoutMs) {
      await send('resources/subscribe', { uri }, { timeoutMs })
      subscribers.set(uri, subscriber)
    },
    remove(uri) {
      // A server that refuses it goes on telling, and nobody listens.
      if (subscribers.delete(uri))
        resend('resources/unsubscribe', { uri }, { timeoutMs: BESIDE_MS }).catch(() => undefined)
    },
    resume() {
      for (const [uri, subscriber] of subscribers) {
        resend('resources/subscribe', { uri }, { timeoutMs: BESIDE_MS }).then(
          () => subscriber.onGap(),
          (error: SessionError) => lose(uri, error),
        )
      }
    },
    lose() {
      const message = 'it ended the stream through which it told of changes'
      for (const uri of subscribers.keys()) lose(uri, new SessionError({ kind: 'bad-answer', message }))
    },
  }
}
