/**
 * sender: how requests are handed over, and what is told of them; undici's way, as far as it is used.
 */

/** To one peer, for requests that can wait. */
export const MAX_CONNECTIONS = 128

/** Where the server does not say: shorter than what the usual proxies allow, longer than a model thinks. */
export const KEEP_MS = 30_000

export interface Agents {
  /** For what can wait until a connection is free. */
  readonly patient: Sender
  readonly urgent: Sender
}

export interface Sender {
  dispatch(request: Sendable, handler: Handler): unknown
}

export interface Sendable {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly origin: string
  readonly path: string
  /** Name, value, name, value; not to be changed any more. */
  readonly headers: string[]
  readonly body: string | Uint8Array | null
}

/** `onResponseEnd` or `onResponseError` is the last to be called, once. Of what was aborted undici tells that it was, we nothing. */
export interface Handler {
  onRequestStart(controller: Controller): void
  onResponseStart(
    controller: Controller,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void
  /** To be looked at before it returns. */
  onResponseData(controller: Controller, bytes: Buffer): void
  onResponseEnd(controller: Controller): void
  onResponseError(controller: Controller | undefined, error: Error): void
}

export interface Controller {
  abort(reason: Error): void
  /** Whether nothing of the request is left to be written; absent where nobody knows. */
  readonly hasWritten?: boolean
}
