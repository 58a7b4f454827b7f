/**
 * pool-lists: the session by which the lists of all are read, where the one that was there first belongs to a client.
 *
 * in     requests for lists
 * out    what is shown to somebody who did nothing there
 * never  is opened before there is something to read
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

  /** Rejects with a SessionError. One that could not be had is tried for again by the next request. */
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
      () => undefined, // whoever asked is told
    )
  }

  async close(): Promise<void> {
    this.#controller.abort()
    await this.#session?.then(
      (session) => session.close(),
      () => undefined, // it never was there
    )
  }

  #open(): Promise<Session> {
    const controller = new AbortController()
    const { signal } = this.#controller
    const stop = (): void => controller.abort()
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    const session = this.#begin(controller)
    session.catch(() => (this.#session = undefined)) // whoever asked is told
    return session.finally(() => signal.removeEventListener('abort', stop))
  }
}

export function isListChange(method: string): boolean {
  return /^notifications\/(?:tools|resources|prompts)\/list_changed$/.test(method)
}

export function isListing(method: string): boolean {
  return /^(?:tools|resources|resources\/templates|prompts)\/list$/.test(method)
}
