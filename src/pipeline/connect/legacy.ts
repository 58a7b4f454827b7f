/**
 * legacy: the revisions that begin with `initialize`, from 2024-11-05 to 2025-11-25.
 */
import { isObject } from '../../base/is-object.ts'
import type { Params, Result } from '../../model/message.ts'
import {
  LEGACY_VERSIONS,
  SessionError,
  type Hello,
  type RequestOptions,
  type Session,
} from '../../model/session.ts'
import type { Channel } from './channel.ts'
import type { Client } from './client.ts'
import { createLegacySubscriptions } from './legacy-subscriptions.ts'

export async function openLegacy(
  channel: Channel,
  client: Client,
  options: Pick<RequestOptions, 'signal' | 'timeoutMs'>,
): Promise<Session> {
  const hello = await shakeHands(channel, client, options)
  let renewal: Promise<unknown> | undefined
  /** How often that was needed. */
  let renewals = 0

  /** The server forgot the session, because it was restarted: one handshake for all who find out. */
  const renew = (): Promise<unknown> => {
    renewal ??= shakeHands(channel, client, { timeoutMs: RENEWAL_MS })
      .then(onRenewed)
      .finally(() => (renewal = undefined))
    return renewal
  }
  const onRenewed = (): void => {
    renewals += 1
    subscriptions.resume()
  }
  const send = (method: string, params: Params | undefined, request: RequestOptions): Promise<Result> =>
    channel.request(method, params, { ...request, cancelBy: 'message' })
  const request: Session['request'] = async (method, params = {}, options = {}) => {
    try {
      return await send(method, params, options)
    } catch (error) {
      if (!isForgotten(error)) throw error
      await unlessAborted(renew(), options.signal)
      return send(method, params, options)
    }
  }
  const subscriptions = createLegacySubscriptions(request, (method, params, options) =>
    channel.request(method, params, { ...options, isBeside: true, cancelBy: 'message' }),
  )
  // Somebody waits to be told, and there is no way any more: a question finds out whether the server forgot the session.
  channel.onDeaf = () => {
    if (subscriptions.isEmpty()) return
    const before = renewals
    const look = (): void => void (renewals === before && subscriptions.lose())
    request('ping', {}, { timeoutMs: RENEWAL_MS }).then(look, look)
  }

  return {
    hello,
    wire: channel.wire.kind,
    request,
    notify: (method, params) => channel.notify(method, params),
    subscriptions,
    drained: () => channel.drained(),
    close: () => channel.close(),
  }
}

/** For a server that was just there. */
const RENEWAL_MS = 10_000

/** Others may still wait for it when this one does not. */
function unlessAborted(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<unknown> {
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
  // The specification forbids to cancel it.
  const answer = await channel.request('initialize', params, { ...options, cancelBy: 'nothing' })
  const hello = toHello(answer)
  channel.wire.setVersion?.(hello.version)
  channel.notify('notifications/initialized')
  if (handlers.logLevel !== undefined && hello.capabilities['logging'] !== undefined) {
    // Beside everything else: a server that refuses it still works.
    channel
      .request(
        'logging/setLevel',
        { level: handlers.logLevel },
        { timeoutMs: RENEWAL_MS, isBeside: true, cancelBy: 'message' },
      )
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
  return wire.status === 404 || (wire.status === 400 && MISSES_SESSION.test(wire.body))
}

/**
 * The specification wants 404. The examples of the official SDK, and the many servers that began as a copy of them,
 * answer 400: "No valid session ID provided", "Server not initialized".
 */
const MISSES_SESSION = /session|not initialized/i
