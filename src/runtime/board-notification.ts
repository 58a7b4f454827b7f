/**
 * board-notification: a notification from a server of a board, unchanged.
 */
import type { Params } from '../model/message.ts'
import type { Audience } from '../model/session.ts'

export interface BoardNotification {
  readonly server: string
  readonly method: string
  readonly params: Params
  /** The clients for whom requests were made. Undefined: all clients. */
  readonly audience?: Audience | undefined
}
