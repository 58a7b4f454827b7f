/**
 * open-request: one request of a client while it is under way, as its work sees it.
 */
import type { Signal } from '../../base/abort.ts'
import type { Params, Result } from '../../model/message.ts'
import type { AskCaller, Caller } from './caller.ts'

export interface OpenRequest {
  readonly signal: Signal
  /** Asks whoever waits for it now. */
  readonly ask: AskCaller
  /** Its client was asked something and has not answered yet. */
  readonly isWaiting: boolean
  notify(method: string, params: Params): void
  /** Who waits for it now: in another round it may be another request of the same client. */
  readonly caller: Caller
  /** Answers to what the server itself asked in an earlier round, and its note. */
  readonly more: Params
  /** Its person has said yes in an earlier round, for this call alone. */
  readonly isPermitted: boolean
  /** Somebody said yes for this call alone. */
  markPermitted(): void
  /** The server asked something that this client does not answer: these capabilities it would have to have. */
  missed(capabilities: Params): void
}

export type Work = (request: OpenRequest) => Promise<Result>
