/**
 * board-notification: what a server of a board tells, as it said it.
 */
import type { Params } from '../model/message.ts'
import type { Audience } from '../model/session.ts'

export interface BoardNotification {
  readonly server: string
  readonly method: string
  readonly params: Params
  /** Of the clients for whom requests were made. Undefined: everybody. */
  readonly audience?: Audience | undefined
}
