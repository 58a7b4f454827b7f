/**
 * shared: what all servers of one board have in common.
 */
import type { Params } from '../model/message.ts'
import type { ClientHandlers } from '../model/session.ts'
import type { ClientInfo } from '../pipeline/connect/client.ts'
import type { InProcessServers } from '../pipeline/connect/open-wire.ts'
import type { OurDirs } from '../pipeline/discover/project.ts'
import type { ResolveContext } from '../pipeline/resolve/resolve.ts'
import type { World } from '../world/world.ts'
import type { OfferingCache } from './offering-cache.ts'
import type { Slots } from './slots.ts'

export interface Shared {
  readonly world: World
  readonly dirs: OurDirs
  readonly cache: OfferingCache
  readonly slots: { readonly local: Slots; readonly remote: Slots }
  readonly client: ClientInfo
  readonly handlers: ClientHandlers
  /** As declared to servers: they change what a server lists. */
  readonly capabilities: Params
  readonly listens: 'always' | 'never'
  /** Whether a server that fails is tried again by itself. */
  readonly retries: 'always' | 'never'
  readonly inProcess: InProcessServers
  readonly resolving: ResolveContext
  /** Something about this server is not as it was. */
  onChange(server: string): void
  onNotification(server: string, method: string, params: Params): void
}
