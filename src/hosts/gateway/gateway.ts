/**
 * gateway: every server of a board behind one endpoint. What the fronts share.
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
import type { Seeing } from './seeing.ts'
import { limitTo, seenAs, type ServedBoard } from './served-board.ts'
import type { RootsClient, SharedRoots } from './shared-roots.ts'
import { createServerView } from './server-view.ts'
import type { View } from './view.ts'

export interface GatewayOptions {
  readonly version: string
  readonly seeing: Seeing
  /** For clients that come from now on: how often in a row they may get the same answer to the same call. */
  readonly loopLimit: () => number
  /** Estimated tokens of text in one result; 0: no limit. */
  readonly maxResultTokens: () => number
}

export interface Gateway {
  readonly board: ServedBoard
  readonly world: World
  readonly events: Pick<Events, 'listen'>
  readonly roots: Pick<SharedRoots, 'join'>
  readonly seeing: Seeing
  readonly loopLimit: () => number
  /** What there is of it for whoever asks: the same value for all who may use the same servers. */
  for(principal: Principal): Gateway
  /** Undefined: there is no such server, and none of this name is declared. */
  viewOf(server: string | undefined): View | undefined
  /** A view as this client has it: a server may show it something else than others. */
  viewFor(view: View, client: object | undefined): View
  /** A legacy client has come. Resolves when it is known what it is shown, or when that takes long; never rejects. */
  meet(client: object, view: View): Promise<void>
  /** Rejects with an RpcFaultError. */
  request(view: View, request: GatewayRequest): Promise<Result>
  /** What the most talkative of all clients wants is what servers are asked for. Undefined: it is gone. */
  setLevel(client: object, level: string | undefined): Promise<void>
  /** The roots of a client are other ones now, or it came or went with some: servers read them again. */
  rootsChanged(client: RootsClient & RequestClient): void
  /** Tells those who listen that nothing follows. */
  leave(): void
  /** Tells one of them so: a principal, by its key. */
  dismiss(holder: string): void
  close(): void
}

export interface GatewayRequest {
  readonly method: string
  readonly params: Params
  readonly caller: Caller
  readonly signal: Signal
}

/** For a board that a gateway will be opened on: the questions of its servers go back to whoever made them ask. */
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

/** What all who use the gateway have in common, whichever servers they may use. */
interface Shared {
  readonly world: World
  readonly relay: Relay
  readonly options: GatewayOptions
  readonly levels: Levels
  readonly results: KeptResults
}

type Part = Pick<Gateway, 'board' | 'events' | 'for' | 'leave' | 'dismiss' | 'close'>

/** So long a legacy client waits to be shown servers of both eras as such clients see them; a change is told later. */
const MEET_MS = 1000

/** As `MEET_MS`, where there is one server, whose capabilities are told once. */
const MEET_ONE_MS = 10_000

/** Resolves with the work, or before. */
function soon(
  work: Promise<void>,
  { clock, ms }: { readonly clock: World['clock']; readonly ms: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, resolve)
    work.then(resolve, reject).finally(cancel)
  })
}

/** Nobody gets from a part to the whole. */
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
  /** Of a client for whom a server lists something else than for all. */
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
