/**
 * open-request: one running request of a client, as the code that carries it out sees it.
 */
import type { Signal } from '../../base/abort.ts'
import type { Params, Result } from '../../model/message.ts'
import type { AskCaller, Caller } from './caller.ts'

export interface OpenRequest {
  readonly signal: Signal
  /** Asks the client request that waits for it now. */
  readonly ask: AskCaller
  /** The client was asked something and has not answered yet. */
  readonly isWaiting: boolean
  notify(method: string, params: Params): void
  /** The request that waits for it now. In a later round it may be another request of the same client. */
  readonly caller: Caller
  /** Answers to the questions of the server in an earlier round, and the server's `requestState`. */
  readonly more: Params
  /** The user allowed it in an earlier round, for this call only. */
  readonly isPermitted: boolean
  /** Records that a user allowed it, for this call only. */
  markPermitted(): void
  /** The server asked something that this client cannot answer. The client would need these capabilities. */
  missed(capabilities: Params): void
}

export type Work = (request: OpenRequest) => Promise<Result>
