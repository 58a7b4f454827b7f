/**
 * client: who we are to a server.
 */
import type { Params } from '../../model/message.ts'
import type { ClientHandlers } from '../../model/session.ts'
import type { Clock } from '../../world/world.ts'
import type { Completions } from './pages.ts'

export interface ClientInfo {
  readonly name: string
  readonly version: string
}

/** Who we are to the server, for as long as the session lasts. */
export interface Client {
  readonly info: ClientInfo
  /** What the server is called here. */
  readonly server: string
  readonly capabilities: Params
  readonly handlers: ClientHandlers
  readonly clock: Clock
  readonly listens: 'always' | 'never'
  readonly completions: Completions
  /** The server had forgotten us, and knows us again: what it lists may be something else by now. */
  onRenewed(): void
}
