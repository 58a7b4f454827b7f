/**
 * pool-lists: the session that reads the lists for all clients, while the base session belongs to one client.
 *
 * in     requests for lists
 * out    what the server shows to a client that has done nothing there
 * never  opens before there is something to read
 */
import { untilAborted } from '../base/until-aborted.ts'
import type { Params, Result } from '../model/message.ts'
import { SessionError, type RequestOptions, type Session } from '../model/session.ts'
import { toSessionError } from './pool-errors.ts'

/** Rejects with a ConnectError. */
export type BeginSession = (controller: AbortController) => Promise<Session>

export class ListsSession {
  readonly #begin: BeginSession
  readonly #controller = new AbortController()
  #session: Promise<Session> | undefined

  constructor(begin: BeginSession) {
    this.#begin = begin
  }

  /** Rejects with a SessionError. When the session cannot be opened, the next request tries again. */
  async request(
    method: string,
    params: Params | undefined,
    { signal, ...options }: RequestOptions,
  ): Promise<Result> {
    const session = (this.#session ??= this.#open())
    try {
      const live = await untilAborted(session, signal)
      return await live.request(method, params, { signal, ...options })
    } catch (error) {
      if (signal?.aborted === true) throw new SessionError({ kind: 'aborted', wasSent: false })
      throw toSessionError(error)
    }
  }

  async drained(): Promise<void> {
    await this.#session?.then(
      (session) => session.drained(),
      () => undefined, // the request that waits for it reports the failure
    )
  }

  async close(): Promise<void> {
    this.#controller.abort()
    await this.#session?.then(
      (session) => session.close(),
      () => undefined, // it was never open
    )
  }

  #open(): Promise<Session> {
    const controller = new AbortController()
    const { signal } = this.#controller
    const stop = (): void => controller.abort()
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    const session = this.#begin(controller)
    session.catch(() => (this.#session = undefined)) // the request that waits for it reports the failure
    return session.finally(() => signal.removeEventListener('abort', stop))
  }
}

export function isListChange(method: string): boolean {
  return /^notifications\/(?:tools|resources|prompts)\/list_changed$/.test(method)
}

export function isListing(method: string): boolean {
  return /^(?:tools|resources|resources\/templates|prompts)\/list$/.test(method)
}
