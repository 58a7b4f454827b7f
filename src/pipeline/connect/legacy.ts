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
import { InUse, whileWanted } from './in-use.ts'
import { openPages, pagesToOpen } from './pages.ts'

export async function openLegacy(
  channel: Channel,
  client: Client,
  options: Pick<RequestOptions, 'signal' | 'timeoutMs'>,
): Promise<Session> {
  const hello = await shakeHands(channel, client, options)
  let renewal: Promise<unknown> | undefined

  /** The server forgot the session, because it was restarted: one handshake for all who find out. */
  const renew = (): Promise<unknown> => {
    renewal ??= shakeHands(channel, client, { timeoutMs: RENEWAL_MS }).finally(() => (renewal = undefined))
    return renewal
  }
  const send = (method: string, params: Params | undefined, request: RequestOptions): Promise<Result> =>
    channel.request(method, params, { ...request, cancelBy: 'message' })

  /** What can be mended is sent again, once for each thing that can be. */
  const mend = async (
    error: unknown,
    again: () => Promise<Result>,
    { signal }: RequestOptions,
  ): Promise<Result> => {
    let failed = error
    if (isForgotten(error)) {
      await unlessAborted(renew(), signal)
      try {
        return await again()
      } catch (next) {
        failed = next
      }
    }
    const pages = pagesToOpen(failed, client.handlers)
    if (pages.length === 0) throw failed
    const wanted = AbortSignal.any([channel.gone, signal ?? channel.gone])
    const opening = openPages(pages, client.handlers, { signal: wanted, completions: client.completions })
    if ((await whileWanted(opening, wanted)) === false) throw failed
    return again()
  }
  const inUse = new InUse()

  return {
    hello,
    wire: channel.wire.kind,
    async request(method, params = {}, request = {}) {
      inUse.enter()
      try {
        return await send(method, params, request)
      } catch (error) {
        return await mend(error, () => send(method, params, request), request)
      } finally {
        inUse.leave()
      }
    },
    notify: (method, params) => channel.notify(method, params),
    drained: () => inUse.drained(),
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
        { timeoutMs: RENEWAL_MS, cancelBy: 'message' },
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
