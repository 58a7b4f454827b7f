/**
 * relay: sends the question of a server back to the client whose request caused it.
 *
 * in     running requests; questions of legacy servers, which do not name the request
 * out    an answer or a refusal with its reason for every question; for a client that cannot be asked while it waits,
 *        an unfinished result now and the rest when it returns
 * never  sends a question to a client that the server may not mean; keeps a call open for a client that does not return
 */
import { Abort, type Signal } from '../../base/abort.ts'
import { isObject } from '../../base/is-object.ts'
import { IdTable } from '../../base/id-table.ts'
import { RPC_CODES, type Params, type Result } from '../../model/message.ts'
import { RpcFaultError } from '../../model/rpc-fault.ts'
import type { BoardNotification } from '../../runtime/board-notification.ts'
import type { World } from '../../world/world.ts'
import { canBeAsked, holderOf, wantsLog, type AskCaller, type Caller } from './caller.ts'
import { invalid } from './fault.ts'
import { isOurs, KeptStates } from './kept-states.ts'
import type { OpenRequest, Work } from './open-request.ts'
import { isOwner } from './principal.ts'
import { askBack, meetNeeds, rootsIn, type ServerQuestion } from './questions.ts'
import { SharedRoots, type RootsClient } from './shared-roots.ts'
import { SuspendedCall } from './suspended-call.ts'

/** A server that asks more often than this goes in circles. */
const MAX_ROUNDS = 10

/** Limit of servers that are remembered without a running request. */
const MAX_EMPTY = 200

interface Conversation {
  readonly caller: Caller
  readonly method: string
  readonly server: string
  readonly params: Params
  readonly signal: Signal
}

export class Relay {
  /** By server. A server with one request will get others, but invented names never end, hence the limit. */
  readonly #underWay = new Map<string, IdTable<OpenRequest>>()
  readonly #kept: KeptStates
  /** The roots of the connected clients. */
  readonly roots: SharedRoots

  constructor(world: Pick<World, 'clock' | 'keys'>) {
    this.#kept = new KeptStates(world)
    this.roots = new SharedRoots(world.clock)
  }

  /** Runs a request that may need answers of its caller. */
  converse(conversation: Conversation, work: Work): Promise<Result> {
    const { caller } = conversation
    return caller.ask === undefined
      ? this.#inRounds(conversation, work)
      : this.#attended(conversation, caller.ask, work)
  }

  /** While the work runs, a question of the server may be about this request. */
  async whileAt<T>(server: string, request: OpenRequest, work: () => T | Promise<T>): Promise<T> {
    const here = this.#at(server)
    const number = here.add(request)
    try {
      return await work()
    } finally {
      here.take(number)
      if (here.size === 0 && this.#underWay.size > MAX_EMPTY) this.#underWay.delete(server)
    }
  }

  #at(server: string): IdTable<OpenRequest> {
    let here = this.#underWay.get(server)
    if (here === undefined) this.#underWay.set(server, (here = new IdTable()))
    return here
  }

  /** As `whileAt`, for a caller that cannot be asked, and for which no other client may answer. */
  whileBusy<T>(server: string, work: () => Promise<T>): Promise<T> {
    return this.whileAt(server, createSilent(), work)
  }

  /** Answers a question of a legacy server. Rejects with an RpcFaultError. */
  async askFor({ server, method, params, signal, audience }: ServerQuestion): Promise<Result> {
    const here = this.#meant({ server, audience })
    const sharing = method === 'roots/list' && audience === undefined ? this.#sharing(server, here) : []
    if (sharing.length > 0) return { roots: await this.roots.ask(sharing, signal) }
    // A server that waits for an answer does not continue that call. A new question is about another call.
    const free = here.filter(({ isWaiting }) => !isWaiting)
    const meant = free.length > 0 ? free : here
    const clients = new Set(meant.map(({ caller }) => caller.client))
    if (clients.size !== 1) throw refusal(clients.size, method)
    return askBack(meant.at(-1)!, method, params, signal)
  }

  /** The clients whose roots a shared server gets. Empty: only a running request can decide. */
  #sharing(server: string, here: readonly OpenRequest[]): readonly RootsClient[] {
    const connected = this.roots.of(server)
    const isAmongStrangers = here.some(
      ({ caller: { sighting } }) => sighting !== undefined && !isOwner(sighting.begun.principal),
    )
    if (connected === undefined || isAmongStrangers) return []
    // Over HTTP, the stream of its request may be the only one that a client has.
    const reachable = connected.map((client) => {
      const request = here.findLast(({ caller }) => caller.client === client)
      return request === undefined ? client : toRootsClient(request, server)
    })
    // A modern client can be asked only through its request.
    const modern = here.filter(
      ({ caller }) => caller.ask === undefined && canBeAsked(caller.capabilities, 'roots/list'),
    )
    const isOne = new Set(modern.map(({ caller }) => caller.client)).size === 1
    return isOne ? [...reachable, toRootsClient(modern.at(-1)!, server)] : reachable
  }

  /** Sends a log that names no request. Returns whether it is meant only for the clients that wait. */
  tellLog({ server, params, audience }: Pick<BoardNotification, 'server' | 'params' | 'audience'>): boolean {
    const here = this.#meant({ server, audience })
    const byClient = new Map(here.map((request) => [request.caller.client, request]))
    const holders = new Set([...byClient.values()].map(({ caller }) => hearerOf(caller)))
    // The log may be private to one of them, and the gateway cannot tell which.
    if (holders.size > 1) return true
    for (const request of byClient.values())
      if (wantsLog(request.caller, params)) request.notify('notifications/message', params)
    return byClient.size > 0
  }

  close(): void {
    this.#kept.close()
  }

  /** The running requests that a server may mean, limited to the clients of its session. */
  #meant({ server, audience }: Pick<ServerQuestion, 'server' | 'audience'>): readonly OpenRequest[] {
    const here = this.#underWay.get(server)?.all() ?? []
    return audience === undefined ? here : here.filter(({ caller }) => audience(caller.instance))
  }

  /** Asks a client with a session while it waits. What a modern server needs is asked in the same way. */
  async #attended({ caller, signal }: Conversation, ask: AskCaller, work: Work): Promise<Result> {
    const request = new AttendedRequest(caller, signal, ask)
    for (let round = 0; round <= MAX_ROUNDS; round++) {
      const result = await work(request)
      if (result['resultType'] !== 'input_required') return result
      request.more = await meetNeeds(caller, ask, { result, signal })
    }
    const message = `the server asked for more input ${MAX_ROUNDS} times and never finished`
    throw new RpcFaultError({ code: RPC_CODES.internalError, message })
  }

  async #inRounds({ caller, method, server, params, signal }: Conversation, work: Work): Promise<Result> {
    const { requestState, inputResponses } = params
    // The holder counts too: a stolen state is of no use to another principal.
    const holder = holderOf(caller)
    const { name, uri, arguments: args, ref, argument } = params
    const about = JSON.stringify([holder, method, server, name, uri, args, ref, argument])
    const kept = isOurs(requestState) ? this.#kept.take(requestState) : undefined
    if (isOurs(requestState) && kept === undefined)
      throw invalid('this `requestState` is not known here, or not any more')
    if (kept?.kind === 'call') {
      if (kept.call.about !== about) {
        kept.call.abandon()
        throw invalid('this `requestState` belongs to another request')
      }
      kept.call.answer(isObject(inputResponses) ? inputResponses : {})
      return this.#settle(kept.call, { caller, signal })
    }
    if (kept !== undefined && kept.about !== about)
      throw invalid('this `requestState` belongs to another request')
    const state = kept === undefined ? requestState : kept.state
    const more = {
      ...(inputResponses === undefined ? {} : { inputResponses }),
      ...(state === undefined ? {} : { requestState: state }),
    }
    return this.#settle(new SuspendedCall(work, { caller, more, about, isPermitted: kept !== undefined }), {
      caller,
      signal,
    })
  }

  /** Waits until the call ends or asks a question. */
  async #settle(
    call: SuspendedCall,
    { caller, signal }: Pick<Conversation, 'caller' | 'signal'>,
  ): Promise<Result> {
    const round = await call.next(caller, signal)
    if (round.kind === 'questions') {
      return {
        resultType: 'input_required',
        inputRequests: round.questions,
        requestState: this.#kept.keep({ kind: 'call', call }, holderOf(caller)),
      }
    }
    const { result } = round
    if (result['resultType'] !== 'input_required' || !call.isPermitted) return result
    const { about } = call
    const requestState = this.#kept.keep(
      { kind: 'permission', state: result['requestState'], about },
      holderOf(caller),
    )
    return { ...result, requestState }
  }
}

/** The request of a client with a session, which can be asked while it waits. */
class AttendedRequest implements OpenRequest {
  readonly caller: Caller
  readonly signal: Signal
  more: Params = {}
  isPermitted = false
  readonly #ask: AskCaller
  #unanswered = 0

  constructor(caller: Caller, signal: Signal, ask: AskCaller) {
    this.caller = caller
    this.signal = signal
    this.#ask = ask
  }

  get isWaiting(): boolean {
    return this.#unanswered > 0
  }

  readonly ask: AskCaller = async (...question) => {
    this.#unanswered += 1
    try {
      return await this.#ask(...question)
    } finally {
      this.#unanswered -= 1
    }
  }

  notify(method: string, params: Params): void {
    this.caller.notify(method, params)
  }

  markPermitted(): void {
    this.isPermitted = true
  }

  /** The old era has no error for this. The server answers after the refusal. */
  missed(): void {}
}

/** A command of the gateway's own user, which cannot be asked. */
function createSilent(): OpenRequest {
  const caller: Caller = {
    era: 'modern',
    client: {},
    knowsLinks: false,
    capabilities: {},
    desk: { call: () => Promise.reject(new Error('nobody calls by it')) },
    notify: () => undefined,
  }
  return {
    caller,
    signal: new Abort(),
    ask: (method) => Promise.reject(refusal(0, method)),
    isWaiting: false,
    notify: () => undefined,
    more: {},
    isPermitted: false,
    markPermitted: () => undefined,
    missed: () => undefined,
  }
}

function toRootsClient(request: OpenRequest, server: string): RootsClient {
  return {
    server,
    isOwners: true,
    hasRoots: true,
    listRoots: async (signal) => rootsIn(await askBack(request, 'roots/list', {}, signal)),
  }
}

/** The principal of the caller. A caller without one stands for itself. */
function hearerOf({ sighting, client }: Caller): unknown {
  return sighting?.begun.principal.key ?? client
}

function refusal(clients: number, method: string): RpcFaultError {
  const why =
    clients === 0
      ? 'no client waits for this server'
      : 'several clients wait for this server, and nobody can tell which is meant'
  return new RpcFaultError({ code: RPC_CODES.internalError, message: `${method} cannot be answered: ${why}` })
}
