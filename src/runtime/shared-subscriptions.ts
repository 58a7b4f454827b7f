/**
 * shared-subscriptions: subscriptions of several holders to resources, through one session.
 *
 * in     a holder that subscribes to a resource, or unsubscribes
 * out    to the server one subscription: each new holder requests it again, and the last one ends it
 */
import type { Session, Subscriber } from '../model/session.ts'

export interface SessionSource {
  /** Rejects with a SessionError. */
  reach(): Promise<Session>
  /** The session, when there is one. */
  live(): Session | undefined
}

export interface Subscribed {
  readonly holder: object
  readonly subscriber: Subscriber
}

export class SharedSubscriptions {
  readonly #place: SessionSource
  readonly #subscribers = new Map<string, Set<Subscribed>>()

  constructor(place: SessionSource) {
    this.#place = place
  }

  get size(): number {
    return this.#subscribers.size
  }

  /** Rejects with a SessionError. */
  async add(uri: string, one: Subscribed, timeoutMs: number): Promise<void> {
    const here = this.#subscribers.get(uri) ?? new Set()
    this.#subscribers.set(uri, here)
    here.add(one)
    try {
      const session = await this.#place.reach()
      await session.subscriptions.add(uri, this.#toAll(uri), timeoutMs)
    } catch (error) {
      here.delete(one)
      if (here.size === 0) this.#subscribers.delete(uri)
      throw error
    }
  }

  remove(uri: string, holder: object): void {
    const here = this.#subscribers.get(uri)
    if (here === undefined) return
    for (const one of here) if (one.holder === holder) here.delete(one)
    if (here.size > 0) return
    this.#subscribers.delete(uri)
    this.#place.live()?.subscriptions.remove(uri)
  }

  removeAll(holder: object): void {
    for (const uri of this.#subscribers.keys()) this.remove(uri, holder)
  }

  #toAll(uri: string): Subscriber {
    const all = (): readonly Subscribed[] => [...(this.#subscribers.get(uri) ?? [])]
    return {
      onGap: () => all().forEach(({ subscriber }) => subscriber.onGap()),
      onLost: (error) => all().forEach(({ subscriber }) => subscriber.onLost(error)),
    }
  }
}
