/**
 * pool-eras: at a server that speaks both eras, one session of each era, for clients of both.
 *
 * in     requests, each with the client that makes it and the era which that client speaks
 * out    answers of the session of that era: the modern one from the beginning, the legacy one from the first legacy
 *        client on
 * never  leaves a legacy client without a session because the server speaks only the modern era: it shares the modern
 *        one
 *
 * A question that a server pushes, a log level and `resources/subscribe` belong to a legacy session. A server of both
 * eras has them there and not in 2026-07-28, so no translation can give them to a legacy client.
 */
import type { Signal } from '../base/abort.ts'
import { untilAborted } from '../base/until-aborted.ts'
import type { Params, Result } from '../model/message.ts'
import {
  SessionError,
  speaksLegacy,
  type RequestOptions,
  type ResourceSubscriptions,
  type Session,
  type SessionFailure,
} from '../model/session.ts'
import { ConnectError, type ConnectListener, type ConnectRequest } from '../pipeline/connect/connect.ts'
import { reasonOf } from './pool-errors.ts'
import { handlersFor } from './pool-handlers.ts'
import { isListChange } from './pool-lists.ts'
import { SharedSubscriptions } from './shared-subscriptions.ts'

export interface ErasOptions {
  readonly startupTimeoutMs: number
  /** Opens a session of the legacy era, shared as the entry says. Rejects with a ConnectError. */
  begin(request: ConnectRequest): Promise<Session>
}

/** After a failed connection in the legacy era, Plugboard does not retry for this time. */
const AGAIN_MS = 60_000

/** For requests that no client waits for. */
const BESIDE_MS = 10_000

export class SessionsByEra implements Session {
  readonly #modern: Session
  readonly #request: ConnectRequest
  readonly #options: ErasOptions
  readonly #modernSubscriptions: SharedSubscriptions
  readonly #legacySubscriptions: SharedSubscriptions
  #live: Session | undefined
  #opening: Promise<Session | undefined> | undefined
  readonly #closing = new AbortController()
  /** The last log level that was set. The legacy session needs it, too. */
  #level: Params | undefined

  constructor(modern: Session, request: ConnectRequest, options: ErasOptions) {
    this.#modern = modern
    this.#request = request
    this.#options = options
    this.#modernSubscriptions = new SharedSubscriptions({ reach: async () => modern, live: () => modern })
    this.#legacySubscriptions = new SharedSubscriptions({
      reach: async () => this.#live ?? modern,
      live: () => this.#live ?? modern,
    })
  }

  get hello(): Session['hello'] {
    return this.#modern.hello
  }

  get wire(): Session['wire'] {
    return this.#modern.wire
  }

  get isAsleep(): boolean {
    return this.#modern.isAsleep === true
  }

  /** Undefined when there is no legacy session: legacy clients then share the modern one. Never rejects. */
  legacy(): Promise<Session | undefined> {
    return (this.#opening ??= this.#open())
  }

  request(method: string, params?: Params, options: RequestOptions = {}): Promise<Result> {
    if (method === 'logging/setLevel' && options.client === undefined) return this.#tellLevel(params)
    if (!speaksLegacy(options.client)) return this.#modern.request(method, params, options)
    // Only the modern era repeats arguments in headers.
    const plain = options.headers === undefined ? options : { ...options, headers: undefined }
    if (this.#live !== undefined) return this.#live.request(method, params, plain)
    return this.#reach(options.signal).then((session) =>
      session === undefined
        ? this.#modern.request(method, params, options)
        : session.request(method, params, plain),
    )
  }

  notify(method: string, params?: Params): void {
    this.#modern.notify(method, params)
    this.#live?.notify(method, params)
  }

  get subscriptions(): ResourceSubscriptions {
    return subscriptionsAt(this.#modernSubscriptions, this)
  }

  subscriptionsOf(client: object): ResourceSubscriptions {
    const isLegacy = speaksLegacy(client)
    const at = (): ResourceSubscriptions => {
      const legacy = isLegacy ? this.#live : undefined
      const shared = legacy === undefined ? this.#modernSubscriptions : this.#legacySubscriptions
      return (legacy ?? this.#modern).subscriptionsOf?.(client) ?? subscriptionsAt(shared, client)
    }
    return {
      add: async (uri, subscriber, timeoutMs) => {
        if (isLegacy) await this.legacy()
        await at().add(uri, subscriber, timeoutMs)
      },
      remove: (uri) => at().remove(uri),
    }
  }

  async drained(): Promise<void> {
    await Promise.all([this.#modern.drained(), this.#live?.drained()])
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const legacy = await this.#opening
    await Promise.all([this.#modern.close(), legacy?.close()])
  }

  async #reach(signal: Signal | undefined): Promise<Session | undefined> {
    try {
      return await untilAborted(this.legacy(), signal)
    } catch {
      throw new SessionError({ kind: 'aborted', wasSent: false })
    }
  }

  async #open(): Promise<Session | undefined> {
    const { world, handlers } = this.#request
    const { startupTimeoutMs } = this.#options
    const controller = new AbortController()
    const giveUp = (): void => controller.abort()
    this.#closing.signal.addEventListener('abort', giveUp, { once: true })
    if (this.#closing.signal.aborted) giveUp()
    const cancel = startupTimeoutMs === 0 ? undefined : world.clock.after(startupTimeoutMs, giveUp)
    try {
      const session = await this.#options.begin({
        ...this.#request,
        handlers: handlersFor(handlers, () => undefined, speaksLegacy),
        listener: this.#listen(),
        knownEra: 'legacy',
        signal: controller.signal,
      })
      if (this.#level !== undefined) await sendLevel(session, this.#level)
      this.#live = session
      return session
    } catch (error) {
      this.#giveUp(error)
      return undefined
    } finally {
      cancel?.()
      this.#closing.signal.removeEventListener('abort', giveUp)
    }
  }

  #giveUp(error: unknown): void {
    if (this.#closing.signal.aborted) return
    const why = reasonOf(error)
    this.#request.listener.onOddity?.(`no session of an older revision can be had (${why})`)
    if (error instanceof ConnectError && isRefusal(error.failure)) return
    const again = (): void => void (this.#opening = undefined)
    this.#request.world.clock.after(AGAIN_MS, again, 'loose')
  }

  #listen(): ConnectListener {
    const { listener } = this.#request
    return {
      onLog: (line, from) => listener.onLog(line, from),
      onOverheard: (line) => listener.onOverheard?.(line),
      redact: (text) => listener.redact?.(text) ?? text,
      onFirstSign: () => undefined,
      onRenewed: () => listener.onLegacyLists?.(),
      onOddity: (text) => listener.onOddity?.(text),
      onOwnLists: (client, what) => listener.onOwnLists?.(client, what),
      // As in pool-clients, the end of one session counts for all sessions at this server.
      onEnd: (failure) => listener.onEnd(failure),
      onNotification: (method, params, audience = speaksLegacy) => {
        if (isListChange(method)) listener.onLegacyLists?.()
        else listener.onNotification(method, params, audience)
      },
    }
  }

  async #tellLevel(params: Params | undefined): Promise<Result> {
    this.#level = params
    if (this.#live !== undefined) await sendLevel(this.#live, params)
    return {}
  }
}

/** Whether the server answered, and refused. */
function isRefusal(failure: SessionFailure): boolean {
  if (failure.kind === 'rpc' || failure.kind === 'bad-answer') return true
  if (failure.kind !== 'lost') return false
  const { wire } = failure
  return wire.kind === 'exit' || (wire.kind === 'http' && wire.status >= 400 && wire.status < 500)
}

function subscriptionsAt(shared: SharedSubscriptions, holder: object): ResourceSubscriptions {
  return {
    add: (uri, subscriber, timeoutMs) => shared.add(uri, { holder, subscriber }, timeoutMs),
    remove: (uri) => shared.remove(uri, holder),
  }
}

/** Ignores the answer: a server that refuses the level logs as it likes. */
async function sendLevel(session: Session, params: Params | undefined): Promise<void> {
  await session.request('logging/setLevel', params, { timeoutMs: BESIDE_MS }).catch(() => undefined)
}
