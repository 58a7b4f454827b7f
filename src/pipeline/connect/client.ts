/**
 * client: what this client says about itself to a server.
 */
import type { Params } from '../../model/message.ts'
import type { ClientHandlers } from '../../model/session.ts'
import type { Clock } from '../../world/world.ts'
import type { Completions } from './pages.ts'

export interface ClientInfo {
  readonly name: string
  readonly version: string
}

/** This client as the server sees it, for the whole session. */
export interface Client {
  readonly info: ClientInfo
  /** The server's name in the configuration. */
  readonly server: string
  readonly capabilities: Params
  readonly handlers: ClientHandlers
  readonly clock: Clock
  readonly listens: 'always' | 'never'
  readonly completions: Completions
  /** The server had forgotten the session and has a new one: its lists may have changed. */
  onRenewed(): void
}
