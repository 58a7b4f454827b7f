/**
 * gateway: every server of a board behind one endpoint. What the fronts share.
 */
import type { Params, Result } from '../../model/message.ts'
import type { ClientHandlers } from '../../model/session.ts'
import type { Board, BoardSnapshot } from '../../runtime/board.ts'
import type { World } from '../../world/world.ts'
import { createAggregate } from './aggregate-view.ts'
import { mostTalkative, type Caller } from './caller.ts'
import { Events } from './events.ts'
import { toHandlers } from './questions.ts'
import { Relay } from './relay.ts'
import { route } from './router.ts'
import { createServerView } from './server-view.ts'
import type { View } from './view.ts'

export interface GatewayOptions {
  readonly version: string
}

export interface Gateway {
  readonly board: Board
  readonly world: World
  readonly events: Events
  /** Undefined: there is no such server, and none of this name is declared. */
  viewOf(server: string | undefined): View | undefined
  /** Rejects with an RpcFaultError. */
  request(view: View, request: GatewayRequest): Promise<Result>
  /** What the most talkative of all clients wants is what servers are asked for. Undefined: it is gone. */
  setLevel(client: object, level: string | undefined): Promise<void>
  close(): void
}

export interface GatewayRequest {
  readonly method: string
  readonly params: Params
  readonly caller: Caller
  readonly signal: AbortSignal
}

/** For a board that a gateway will be opened on: the questions of its servers go back to whoever made them ask. */
export function createRelay(world: World): { readonly relay: Relay; readonly handlers: ClientHandlers } {
  const relay = new Relay(world)
  const handlers = toHandlers((question) => relay.askFor(question))
  return { relay, handlers }
}

export function openGateway(
  from: { readonly world: World; readonly board: Board; readonly relay: Relay },
  options: GatewayOptions,
): Gateway {
  const { world, board, relay } = from
  const events = new Events(board, relay, world.clock)
  const aggregate = createAggregate(board, options)
  const views = new Map<string, View>()
  const levels = new Map<object, string>()
  return {
    board,
    world,
    events,
    viewOf(server) {
      if (server === undefined) return aggregate
      if (board.server(server) === undefined) return undefined
      const view = views.get(server) ?? createServerView(board, server)
      views.set(server, view)
      return view
    },
    async request(view, request) {
      return route({ board, relay }, { ...request, view })
    },
    async setLevel(client, level) {
      if (level === undefined) levels.delete(client)
      else levels.set(client, level)
      if (level === undefined) return
      const talking = board.snapshot().servers.filter(hearsLevel)
      const params = { level: mostTalkative([...levels.values()]) }
      // A server that refuses logs as it likes; whoever set the level hears no more than that.
      await Promise.allSettled(talking.map(({ name }) => board.request(name, 'logging/setLevel', params)))
    },
    close() {
      events.close()
      relay.close()
    },
  }
}

/** To a modern server the level is told with each request. */
function hearsLevel({ connection, era, offering }: BoardSnapshot['servers'][number]): boolean {
  const isLegacy = connection.state === 'ready' && era === 'legacy'
  return isLegacy && offering?.hello.capabilities['logging'] !== undefined
}
