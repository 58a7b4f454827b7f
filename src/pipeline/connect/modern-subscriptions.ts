/**
 * modern-subscriptions: subscriptions to resources through one stream for all of them.
 *
 * in     a resource to add or to remove
 * out    a stream for all present resources, which replaces the one before as soon as the server agrees to it
 * never  leaves a gap between two streams: a change may arrive twice, but none is missed
 */
import { isObject } from '../../base/is-object.ts'
import type { Params } from '../../model/message.ts'
import {
  SessionError,
  type ResourceSubscriptions,
  type SessionFailure,
  type Subscriber,
} from '../../model/session.ts'
import type { Channel } from './channel.ts'
import type { Client } from './client.ts'
import { listen } from './listen.ts'

/** A caller that waits until the server agrees. */
interface Applicant {
  readonly uri: string
  readonly subscriber: Subscriber
  readonly timeoutMs: number
  readonly resolve: () => void
  readonly reject: (error: SessionError) => void
}

export class ModernSubscriptions implements ResourceSubscriptions {
  readonly #channel: Channel
  readonly #client: Client
  readonly #envelope: Params
  readonly #subscribers = new Map<string, Subscriber>()
  #applicants: Applicant[] = []
  /** Ends the present stream and the stream that will replace it. */
  #stream: AbortController | undefined
  #next: AbortController | undefined
  #state: 'settled' | 'due' | 'changing' | 'changing-again' = 'settled'
  #isClosed = false

  constructor(channel: Channel, client: Client, envelope: Params) {
    this.#channel = channel
    this.#client = client
    this.#envelope = envelope
  }

  add(uri: string, subscriber: Subscriber, timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#applicants.push({ uri, subscriber, timeoutMs, resolve, reject })
      this.#change()
    })
  }

  remove(uri: string): void {
    if (this.#subscribers.delete(uri)) this.#change()
  }

  close(): void {
    this.#isClosed = true
    this.#stream?.abort()
    this.#next?.abort()
  }

  /** Replaces streams one at a time, and once for all callers of the same turn. */
  #change(): void {
    if (this.#state === 'changing') this.#state = 'changing-again'
    if (this.#state !== 'settled') return
    this.#state = 'due'
    queueMicrotask(() => {
      this.#state = 'changing'
      const applicants = this.#applicants
      this.#applicants = []
      void this.#replace(applicants).finally(() => {
        const isDue = this.#state === 'changing-again'
        this.#state = 'settled'
        if (isDue) this.#change()
      })
    })
  }

  async #replace(applicants: readonly Applicant[]): Promise<void> {
    const uris = [...new Set([...this.#subscribers.keys(), ...applicants.map(({ uri }) => uri)])]
    if (uris.length === 0) return this.#stream?.abort()
    try {
      const next = new AbortController()
      this.#next = next
      if (this.#isClosed) next.abort()
      const granted = await this.#open(uris, next, Math.max(...applicants.map(patienceOf), LEAST_MS))
      this.#stream?.abort()
      this.#stream = next
      this.#settle(applicants, granted)
    } catch (error) {
      // The stream before stays open, so its subscribers lose nothing.
      for (const { reject } of applicants) reject(error as SessionError)
    }
  }

  /** Returns what the server agreed to. Rejects with a SessionError. */
  #open(uris: readonly string[], stream: AbortController, timeoutMs: number): Promise<ReadonlySet<unknown>> {
    const { signal } = stream
    return new Promise((resolve, reject) => {
      let isOpen = false
      const refuse = (error: SessionError): void => {
        cancel()
        reject(error)
        stream.abort()
      }
      const cancel = this.#client.clock.after(timeoutMs, () =>
        refuse(new SessionError({ kind: 'timeout', afterMs: timeoutMs })),
      )
      const onAbort = (): void => refuse(new SessionError(CLOSED))
      if (signal.aborted) return onAbort()
      signal.addEventListener('abort', onAbort, { once: true })
      listen(this.#channel, this.#client, {
        params: { notifications: { resourceSubscriptions: uris }, _meta: this.#envelope },
        signal,
        onAgreed: (agreed) => {
          cancel()
          const granted = grantedIn(agreed)
          if (isOpen) this.#resume(granted)
          isOpen = true
          resolve(granted)
        },
        onFailure: (error, next) => {
          if (!isOpen) refuse(error)
          else if (next === 'never' && !isEnd(error)) this.#lose([...this.#subscribers.keys()], error)
        },
      })
    })
  }

  #settle(applicants: readonly Applicant[], granted: ReadonlySet<unknown>): void {
    this.#lose(notIn(granted, this.#subscribers.keys()), notGranted())
    for (const { uri, subscriber, resolve, reject } of applicants) {
      if (!granted.has(uri)) reject(notGranted())
      else {
        this.#subscribers.set(uri, subscriber)
        resolve()
      }
    }
  }

  /** The stream was interrupted and is open again. */
  #resume(granted: ReadonlySet<unknown>): void {
    this.#lose(notIn(granted, this.#subscribers.keys()), notGranted())
    for (const subscriber of this.#subscribers.values()) subscriber.onGap()
  }

  #lose(uris: readonly string[], error: SessionError): void {
    for (const uri of uris) {
      const subscriber = this.#subscribers.get(uri)
      this.#subscribers.delete(uri)
      subscriber?.onLost(error)
    }
  }
}

/** The limit for a change without a waiting caller. */
const LEAST_MS = 10_000

const CLOSED: SessionFailure = { kind: 'lost', wire: { kind: 'closed' }, wasSent: true }

/** A wait without a limit would block the callers behind it. */
function patienceOf({ timeoutMs }: Applicant): number {
  return timeoutMs === 0 ? MOST_MS : timeoutMs
}

const MOST_MS = 60_000

function grantedIn({ notifications }: Params): ReadonlySet<unknown> {
  const granted = isObject(notifications) ? notifications['resourceSubscriptions'] : undefined
  return new Set(Array.isArray(granted) ? granted : [])
}

function notIn(granted: ReadonlySet<unknown>, uris: Iterable<string>): readonly string[] {
  return [...uris].filter((uri) => !granted.has(uri))
}

function notGranted(): SessionError {
  const message = 'it did not agree to tell of changes to this resource'
  return new SessionError({ kind: 'bad-answer', message })
}

/** The end of the whole session, which the session itself reports. */
function isEnd({ failure }: SessionError): boolean {
  return failure.kind === 'lost' && failure.wire.kind !== 'http'
}
