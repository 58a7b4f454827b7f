/**
 * shared: what all servers of one board have in common.
 */
import type { AdmittedServer } from '../model/catalog.ts'
import type { CredentialSource } from '../model/launch.ts'
import type { Params } from '../model/message.ts'
import type { ClientHandlers } from '../model/session.ts'
import type { ClientInfo } from '../pipeline/connect/client.ts'
import type { InProcessServers } from '../pipeline/connect/open-wire.ts'
import { capabilitiesOf } from '../pipeline/connect/questions.ts'
import type { OurDirs } from '../pipeline/discover/project.ts'
import type { ResolveContext } from '../pipeline/resolve/resolve.ts'
import { createValueCache } from '../pipeline/resolve/value-cache.ts'
import type { World } from '../world/world.ts'
import { createAloneFor } from './alone-for.ts'
import { createAuthorizer } from './authorizer.ts'
import type { BoardNotification } from './board-notification.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import { openOfferingCache, type OfferingCache } from './offering-cache.ts'
import { connectAlone, type Connector } from './connector.ts'
import { createSlots, type Slots } from './slots.ts'

export interface Shared {
  readonly world: World
  readonly dirs: OurDirs
  readonly cache: OfferingCache
  readonly slots: { readonly local: Slots; readonly remote: Slots }
  readonly client: ClientInfo
  readonly handlers: ClientHandlers
  /** As declared to servers. Capabilities change what a server lists. */
  readonly capabilities: Params
  readonly listens: 'always' | 'never'
  /** Whether Plugboard retries a failed server by itself. */
  readonly retries: 'always' | 'never'
  readonly inProcess: InProcessServers
  readonly connect: Connector
  readonly resolving: ResolveContext
  /** Something about this server changed. */
  onChange(server: string): void
  /** A package runner begins to install this server, or has finished. */
  onInstallation(server: string, state: 'begun' | 'over'): void
  onNotification(told: BoardNotification): void
}

/** The options that a host may set. */
export interface ShareOptions extends Pick<Shared, 'onChange' | 'onNotification'> {
  /** A server by its current declaration. */
  find(name: string): AdmittedServer | undefined
  readonly handlers?: ClientHandlers | undefined
  readonly credentials?: CredentialSource | undefined
  readonly inProcess?: InProcessServers | undefined
  readonly client?: ClientInfo | undefined
  readonly deadlineMs?: number | undefined
  readonly onInstallation?: Shared['onInstallation'] | undefined
  readonly stay?: 'long' | 'once' | undefined
  /** The pool that processes are shared through. */
  readonly pool?: { readonly connect: Connector } | undefined
}

/** How many servers may start at once: local ones for each processor, remote ones in total. */
const STARTING = { local: 8, remote: 20 }

const CLIENT: ClientInfo = { name: 'plugboard', version: '0' }

export function share(
  world: World,
  { dirs, project }: Pick<LoadedCatalog, 'dirs' | 'project'>,
  options: ShareOptions,
): Shared {
  const { handlers = {}, inProcess = {}, client = CLIENT, stay = 'long' } = options
  const resolving = { world, project, cache: createValueCache() }
  const aloneFor = createAloneFor(resolving, options.find)
  const { credentials = createAuthorizer({ world, dirs, aloneFor }) } = options
  return {
    world,
    dirs,
    client,
    handlers,
    inProcess,
    connect: options.pool?.connect ?? connectAlone,
    cache: openOfferingCache(world, dirs),
    slots: {
      local: createSlots(STARTING.local * world.processors, world.clock),
      remote: createSlots(STARTING.remote, world.clock),
    },
    capabilities: capabilitiesOf(handlers),
    listens: stay === 'long' ? 'always' : 'never',
    retries: stay === 'long' || options.deadlineMs !== undefined ? 'always' : 'never',
    resolving: { ...resolving, credentials },
    onChange: options.onChange,
    onInstallation: options.onInstallation ?? (() => undefined),
    onNotification: options.onNotification,
  }
}
