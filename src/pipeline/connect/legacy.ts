/**
 * legacy: the revisions that begin with `initialize`, from 2024-11-05 to 2025-11-25.
 */
import { toAbortSignal, type Signal } from '../../base/abort.ts'
import { isObject } from '../../base/is-object.ts'
import type { Params, Result } from '../../model/message.ts'
import {
  LEGACY_VERSIONS,
  SessionError,
  type Hello,
  type RequestOptions,
  type Session,
} from '../../model/session.ts'
import type { Doubt, WireFailure } from '../../model/wire.ts'
import type { Channel } from './channel.ts'
import type { Client } from './client.ts'
import { InUse, whileWanted } from './in-use.ts'
import { createLegacySubscriptions, type LegacySubscriptions } from './legacy-subscriptions.ts'
import { openPages, pagesToOpen } from './pages.ts'

export async function openLegacy(
  channel: Channel,
  client: Client,
  options: Pick<RequestOptions, 'signal' | 'timeoutMs'>,
): Promise<Session> {
  const session = new LegacySession(channel, client, await shakeHands(channel, client, options))
  // On other wires, the end of the wire shows that the server is gone.
  if (session.wire === 'http') channel.whenInDoubt((stream) => session.check(stream))
  return session
}

class LegacySession implements Session {
  readonly hello: Hello
  readonly wire: Session['wire']
  readonly #channel: Channel
  readonly #client: Client
  readonly #inUse = new InUse()
  #renewal: Promise<unknown> | undefined
  #subscriptions: LegacySubscriptions | undefined
  #isChecking = false
  /** The server has no stream left for notifications. */
  #isDeaf = false

  constructor(channel: Channel, client: Client, hello: Hello) {
    this.hello = hello
    this.wire = channel.wire.kind
    this.#channel = channel
    this.#client = client
  }

  /** Not an async function: its cost would equal all other work in this method. */
  request(method: string, params: Params = {}, options: RequestOptions = {}): Promise<Result> {
    this.#inUse.enter()
    return this.#send(method, params, options).then(this.#onResult, (error: unknown) =>
      this.#mend(error, () => this.#send(method, params, options), options).finally(() =>
        this.#inUse.leave(),
      ),
    )
  }

  /** One function for all requests. */
  readonly #onResult = (result: Result): Result => {
    this.#inUse.leave()
    return result
  }

  notify(method: string, params?: Params): void {
    this.#channel.notify(method, params)
  }

  /** Made on first use: most sessions have no subscriptions. */
  get subscriptions(): LegacySubscriptions {
    this.#subscriptions ??= createLegacySubscriptions(
      (method, params, options) => this.request(method, params, options),
      (method, params, options) => this.#send(method, params, options),
    )
    return this.#subscriptions
  }

  drained(): Promise<void> {
    return this.#inUse.drained()
  }

  close(): Promise<void> {
    return this.#channel.close()
  }

  /**
   * Checks once, for any number of doubts, whether the server still answers. A server that cannot be reached, or that
   * wants a sign-in, ends the channel by its answer. A server that forgot the session gets a new handshake.
   */
  check(stream: Doubt): void {
    if (stream === 'given-up') this.#isDeaf = true
    if (this.#isChecking) return
    this.#isChecking = true
    void this.#ping().finally(() => {
      this.#isChecking = false
      // The server still knows the session, but has no stream for notifications.
      if (this.#isDeaf) this.#subscriptions?.lose()
    })
  }

  async #ping(): Promise<void> {
    // A server that shuts down may refuse new requests and still finish the running ones.
    await this.#inUse.drained()
    await this.request('ping', {}, { timeoutMs: RENEWAL_MS }).catch((error: unknown) => {
      // Every other answer, even an error, proves that the server is there.
      if (error instanceof SessionError && error.failure.kind === 'lost' && isUnmanned(error.failure.wire))
        this.#channel.onEnd(error.failure.wire)
    })
  }

  #send(method: string, params: Params, options: RequestOptions): Promise<Result> {
    return this.#channel.request(method, params, options)
  }

  /** Repairs the cause and sends the request again, at most once for each cause. */
  async #mend(error: unknown, again: () => Promise<Result>, options: RequestOptions): Promise<Result> {
    const { signal } = options
    let failed = error
    if (isForgotten(error)) {
      await unlessAborted(this.#renew(), signal)
      try {
        return await again()
      } catch (next) {
        failed = next
      }
    }
    const { handlers, completions, server } = this.#client
    const pages = options.unfinished === 'returned' ? [] : pagesToOpen(failed, handlers)
    if (pages.length === 0) throw failed
    const { gone } = this.#channel
    const wanted = AbortSignal.any([gone, toAbortSignal(signal ?? gone)])
    const opening = openPages(pages, handlers, { server, signal: wanted, completions })
    if ((await whileWanted(opening, wanted)) === false) throw failed
    return again()
  }

  /** The server forgot the session because it was restarted. All callers that notice share one handshake. */
  #renew(): Promise<unknown> {
    this.#renewal ??= shakeHands(this.#channel, this.#client, { timeoutMs: RENEWAL_MS })
      .then(() => this.#onRenewed())
      .finally(() => (this.#renewal = undefined))
    return this.#renewal
  }

  #onRenewed(): void {
    this.#isDeaf = false
    this.#subscriptions?.resume()
    this.#client.onRenewed()
  }
}

/** Short, because the server answered a moment ago. */
const RENEWAL_MS = 10_000

/** The answer of a proxy in front of a server that is down. */
function isUnmanned(wire: WireFailure): boolean {
  return wire.kind === 'http' && [502, 503, 504].includes(wire.status)
}

/** Stops waiting when this caller gives up, and leaves the work to the other callers. */
function unlessAborted(work: Promise<unknown>, signal: Signal | undefined): Promise<unknown> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new SessionError({ kind: 'aborted', wasSent: false }))
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

async function shakeHands(
  channel: Channel,
  { info, capabilities, handlers }: Client,
  options: Pick<RequestOptions, 'signal' | 'timeoutMs'>,
): Promise<Hello> {
  const params = { protocolVersion: LEGACY_VERSIONS[0], capabilities, clientInfo: info }
  // The specification forbids to cancel `initialize`.
  const answer = await channel.request('initialize', params, { ...options, cancelBy: 'nothing' })
  const hello = toHello(answer)
  channel.wire.setVersion?.(hello.version)
  channel.notify('notifications/initialized')
  if (handlers.logLevel !== undefined && hello.capabilities['logging'] !== undefined) {
    // Not awaited: a server that refuses it still works.
    channel
      .request('logging/setLevel', { level: handlers.logLevel }, { timeoutMs: RENEWAL_MS })
      .catch(() => undefined)
  }
  return hello
}

function toHello(answer: Result): Hello {
  const { protocolVersion, capabilities, serverInfo, instructions } = answer
  if (!LEGACY_VERSIONS.includes(protocolVersion as (typeof LEGACY_VERSIONS)[number])) {
    const message = `it speaks revision \`${String(protocolVersion)}\`, which is none that we know`
    throw new SessionError({ kind: 'bad-answer', message })
  }
  return {
    era: 'legacy',
    version: protocolVersion as string,
    capabilities: isObject(capabilities) ? capabilities : {},
    ...(isObject(serverInfo) ? { serverInfo } : {}),
    ...(typeof instructions === 'string' ? { instructions } : {}),
  }
}

function isForgotten(error: unknown): boolean {
  if (!(error instanceof SessionError) || error.failure.kind !== 'lost') return false
  const { wire } = error.failure
  if (wire.kind !== 'http') return false
  const isUnknown = wire.status === 404 && wire.hadNoSession !== true
  return isUnknown || (wire.status === 400 && MISSES_SESSION.test(wire.body))
}

/**
 * The specification wants 404. The examples of the official SDK, and the many servers that began as a copy of them,
 * answer 400: "No valid session ID provided", "Server not initialized".
 */
const MISSES_SESSION = /session|not initialized/i
