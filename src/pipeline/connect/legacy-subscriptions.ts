/**
 * legacy-subscriptions: subscriptions to resources in the revisions that need one request for each resource.
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
  /** Subscribes again to all of them: after a new handshake the server has no subscriptions. */
  resume(): void
  /** The server has no stream left for notifications. */
  lose(): void
}

/** The limit for a request without a waiting caller. */
const BESIDE_MS = 10_000

/** `resend` stays in the current session and runs beside all other requests. */
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
      // A server that refuses to unsubscribe goes on sending, and Plugboard ignores its notifications.
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
