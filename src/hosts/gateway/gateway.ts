/**
 * gateway: every server of a board behind one endpoint. All fronts (HTTP, stdio) share this part.
 */
import type { Signal } from '../../base/abort.ts'
import type { Params, Result } from '../../model/message.ts'
import type { ClientHandlers, RequestClient } from '../../model/session.ts'
import type { World } from '../../world/world.ts'
import { createAggregate } from './aggregate-view.ts'
import type { Caller } from './caller.ts'
import { Events } from './events.ts'
import type { Principal } from './principal.ts'
import { KeptResults } from './kept-results.ts'
import { Levels } from './levels.ts'
import { toHandlers } from './questions.ts'
import { Relay } from './relay.ts'
import { route } from './router.ts'
import type { Observability } from './seeing.ts'
import { limitTo, seenAs, type ServedBoard } from './served-board.ts'
import type { RootsClient, SharedRoots } from './shared-roots.ts'
import { createServerView } from './server-view.ts'
import type { View } from './view.ts'

export interface GatewayOptions {
  readonly version: string
  readonly seeing: Observability
  /**
   * For clients that connect from now on: how many times in a row a client may get the same answer to the same call.
   */
  readonly loopLimit: () => number
  /** Estimated tokens of text in one result; 0: no limit. */
  readonly maxResultTokens: () => number
}

export interface Gateway {
  readonly board: ServedBoard
  readonly world: World
  readonly events: Pick<Events, 'listen'>
  readonly roots: Pick<SharedRoots, 'join'>
  readonly seeing: Observability
  readonly loopLimit: () => number
  /**
   * The gateway with the servers that this principal may use. The same value for all principals with the same servers.
   */
  for(principal: Principal): Gateway
  /** Undefined: no server of this name exists, and no entry declares one. */
  viewOf(server: string | undefined): View | undefined
  /** The view of this client: a server may show it something different. */
  viewFor(view: View, client: object | undefined): View
  /**
   * Registers a legacy client. Resolves when the gateway knows what servers show this client, or when that takes too
   * long; never rejects.
   */
  meet(client: object, view: View): Promise<void>
  /** Rejects with an RpcFaultError. */
  request(view: View, request: GatewayRequest): Promise<Result>
  /** The gateway asks servers for the most verbose level that any client wants. Undefined: the client is gone. */
  setLevel(client: object, level: string | undefined): Promise<void>
  /** The roots of a client changed, or it came or went with some: servers read them again. */
  rootsChanged(client: RootsClient & RequestClient): void
  /** Tells all listeners that the gateway closes. */
  leave(): void
  /** Tells the listeners of one principal, by its key. */
  dismiss(holder: string): void
  close(): void
}

export interface GatewayRequest {
  readonly method: string
  readonly params: Params
  readonly caller: Caller
  readonly signal: Signal
}

/**
 * For a board that a gateway will be opened on: questions of its servers go to the client whose request caused them.
 */
export function createRelay(world: World): { readonly relay: Relay; readonly handlers: ClientHandlers } {
  const relay = new Relay(world)
  const handlers = toHandlers((question) => relay.askFor(question))
  return { relay, handlers }
}

export function openGateway(
  from: { readonly world: World; readonly board: ServedBoard; readonly relay: Relay },
  options: GatewayOptions,
): Gateway {
  const { world, board, relay } = from
  const events = new Events(board, relay, world.clock)
  const shared: Shared = { world, relay, options, levels: new Levels(), results: new KeptResults(world) }
  const limited = new Map<string, Gateway>()
  const whole = createGateway(shared, {
    board,
    events,
    for({ servers }) {
      if (servers === undefined) return whole
      const { key, allows } = servers
      const made = limited.get(key) ?? createGateway(shared, limit({ board, events }, allows))
      limited.set(key, made)
      return made
    },
    leave: () => events.close(),
    dismiss: (holder) => events.dismiss(holder),
    close() {
      events.close()
      relay.close()
    },
  })
  return whole
}

/** Shared by all clients, whichever servers they may use. */
interface Shared {
  readonly world: World
  readonly relay: Relay
  readonly options: GatewayOptions
  readonly levels: Levels
  readonly results: KeptResults
}

type Part = Pick<Gateway, 'board' | 'events' | 'for' | 'leave' | 'dismiss' | 'close'>

/**
 * A legacy client waits this long until servers of both eras have shown it their lists. The gateway announces later
 * changes.
 */
const MEET_MS = 1000

/** As `MEET_MS`, at the endpoint of one server, whose capabilities are announced only once. */
const MEET_ONE_MS = 10_000

/** Resolves with the work, or earlier when the time is up. */
function soon(
  work: Promise<void>,
  { clock, ms }: { readonly clock: World['clock']; readonly ms: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, resolve)
    work.then(resolve, reject).finally(cancel)
  })
}

/** A limited part of the gateway gives no access to the rest. */
function limit({ board, events }: Pick<Part, 'board' | 'events'>, allows: (server: string) => boolean): Part {
  const part: Part = {
    board: limitTo(board, allows),
    events: {
      listen: (ear) =>
        events.listen({
          server: ear.server,
          holder: ear.holder,
          client: ear.client,
          isOwners: ear.isOwners,
          allows,
          hear: (event) => ear.hear(event),
          onClose: () => ear.onClose?.(),
        }),
    },
    for: () => {
      throw new Error("a part of a gateway is nobody else's")
    },
    leave: () => undefined,
    dismiss: () => undefined,
    close: () => undefined,
  }
  return part
}

function createGateway({ world, relay, options, levels, results }: Shared, part: Part): Gateway {
  const { board } = part
  const viewOn = (of: ServedBoard, server: string | undefined): View =>
    server === undefined
      ? createAggregate(of, { ...options, clock: world.clock })
      : createServerView(of, server)
  const { maxResultTokens } = options
  const routing = { board, relay, levels, results, maxResultTokens, platform: world.platform }
  const aggregate = viewOn(board, undefined)
  const views = new Map<string, View>()
  const ofClients = new WeakMap<object, Map<string | undefined, View>>()
  /** The view for a client to which a server shows a different list. */
  const ownView = (view: View, client: object | undefined): View => {
    const seen = client === undefined ? undefined : board.seenBy(client)
    if (client === undefined || seen === undefined) return view
    const theirs = ofClients.get(client) ?? new Map<string | undefined, View>()
    const own = theirs.get(view.server) ?? viewOn(seenAs(board, seen), view.server)
    theirs.set(view.server, own)
    ofClients.set(client, theirs)
    return own
  }
  return {
    ...part,
    world,
    roots: relay.roots,
    seeing: options.seeing,
    loopLimit: options.loopLimit,
    viewOf(server) {
      if (server === undefined) return aggregate
      if (board.server(server) === undefined) return undefined
      const view = views.get(server) ?? viewOn(board, server)
      views.set(server, view)
      return view
    },
    viewFor: ownView,
    meet: (client, { server }) =>
      soon(board.meet(client, server), {
        clock: world.clock,
        ms: server === undefined ? MEET_MS : MEET_ONE_MS,
      }),
    request: (view, { method, params, caller, signal }) =>
      route(routing, { method, params, caller, signal, view: ownView(view, caller.instance) }),
    rootsChanged(client) {
      for (const { name } of board.snapshot().servers) {
        if (client.server === undefined || client.server === name) board.rootsChanged(name, client)
      }
    },
    setLevel: (client, level) => levels.set(board, client, level),
  }
}
