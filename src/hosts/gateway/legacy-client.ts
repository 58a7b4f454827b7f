/**
 * legacy-client: one client of the revisions that begin with `initialize`, over any transport.
 *
 * in     its messages, each with the stream for its answer and for messages that belong to it
 * out    answers; questions of servers; on the client's own stream, messages that answer no request
 * never  answers a cancelled request; leaves its own question open when the client is gone
 */
import { Abort, type Signal } from '../../base/abort.ts'
import { isObject } from '../../base/is-object.ts'
import { toPrintable } from '../../base/printable.ts'
import { RPC_CODES, type Message, type Params, type RequestId, type Result } from '../../model/message.ts'
import { RpcFaultError } from '../../model/rpc-fault.ts'
import { LEGACY_VERSIONS, type RequestClient } from '../../model/session.ts'
import { tellGone } from '../../runtime/client-life.ts'
import { isLevel, wantsLog, type AskCaller, type Caller } from './caller.ts'
import { invalid, toFault, unknownMethod } from './fault.ts'
import type { EventListener, GatewayEvent } from './events.ts'
import type { Gateway } from './gateway.ts'
import { isOwner, type Principal } from './principal.ts'
import type { ServedFork } from './served-board.ts'
import type { RootsClient } from './shared-roots.ts'
import type { RequestRecord } from './sighting.ts'
import { askBack, rootsIn, toHandlers } from './questions.ts'
import { Subscriber } from './subscriber.ts'
import type { View } from './view.ts'

/** False: the client was not connected. */
export type SendMessage = (message: Message) => boolean | void

/** A user may think about a question this long. Then the server learns that there is no answer. */
const QUESTION_MS = 10 * 60_000

export interface RequestMessage {
  readonly id: RequestId
  readonly method: string
  readonly params?: Params | undefined
}

/** One running request. */
interface Underway {
  readonly send: SendMessage
  readonly signal: Signal
  readonly sighting?: RequestRecord | undefined
}

export class LegacyClient implements EventListener, RootsClient {
  readonly server: string | undefined
  readonly client = this
  /** As `RequestClient.era`. Undefined at first: a client on a pipe may be modern and never send `initialize`. */
  era: 'legacy' | undefined
  readonly isOwners: boolean
  /** As `RequestClient.guest`. */
  readonly guest: string | undefined
  /** As `RequestClient.person`. */
  readonly person: string | undefined
  /** Refers only to the client. A reference to a request would keep all its data in memory. */
  readonly atRest: RequestClient['atRest'] = {
    handlers: toHandlers(({ method, params, signal }) => askBack(this.#toAsked(), method, params, signal)),
    onLog: (params) => {
      if (wantsLog(this.#toCaller(this.#tell), params))
        this.#tell({ jsonrpc: '2.0', method: 'notifications/message', params })
    },
  }
  readonly #gateway: Gateway
  readonly #view: View
  /** Sends messages that belong to no request. */
  readonly #tell: SendMessage
  readonly desk: ServedFork
  readonly #subscriber: Subscriber
  readonly #stopListening: () => void
  readonly #leaveRoots: () => void
  /** The client has sent `initialized`, so servers may ask it. */
  #isInitialized = false
  #capabilities: Params = {}
  #info: Params | undefined
  #level: string | undefined
  #version: string = LEGACY_VERSIONS[0]
  readonly #underWay = new Map<RequestId, Abort>()
  readonly #questions = new Map<
    RequestId,
    { readonly method: string; resolve(result: Result): void; reject(error: Error): void }
  >()
  /**
   * Part of the id of each question. A client may still answer a question of an earlier process; that answer must match
   * no question of ours.
   */
  readonly #mark: string
  #lastQuestion = 0
  #canAnswer = true
  /** Servers of both eras are being asked what they show to this client. Undefined: that is known. */
  #meeting: Promise<void> | undefined

  constructor(
    gateway: Gateway,
    view: View,
    { tell, principal }: { readonly tell: SendMessage; readonly principal: Principal },
  ) {
    this.#gateway = gateway
    this.#view = view
    this.#tell = tell
    this.isOwners = isOwner(principal)
    this.guest = this.isOwners ? undefined : principal.key
    this.person = principal.person
    this.#mark = gateway.world.keys.random(9)
    this.server = view.server
    this.desk = gateway.board.fork({ loopLimit: gateway.loopLimit() })
    this.#subscriber = new Subscriber(gateway, () => this.#seen, this)
    this.#stopListening = gateway.events.listen(this)
    this.#leaveRoots = gateway.roots.join(this)
  }

  get hasRoots(): boolean {
    return this.#isInitialized && isObject(this.#capabilities['roots'])
  }

  async listRoots(signal: Signal): Promise<readonly Params[]> {
    return rootsIn(await askBack(this.#toAsked(), 'roots/list', {}, signal))
  }

  /** The client's own stream is open: servers may ask it without a request. */
  onReachable(): void {
    if (this.hasRoots) this.#gateway.rootsChanged(this)
  }

  /** The client cannot answer any more, so no server waits for it. Its own requests continue. */
  stopAsking(): void {
    this.#canAnswer = false
    for (const one of this.#questions.values()) one.reject(unanswered(one.method, 'the client is gone'))
  }

  close(): void {
    this.#stopListening()
    this.#leaveRoots()
    // While a guest is connected, shared servers get no roots outside a request. When the guest leaves, they may ask
    // again.
    if (this.hasRoots || !this.isOwners) this.#gateway.rootsChanged(this)
    this.#subscriber.close()
    void this.#gateway.setLevel(this, undefined)
    for (const one of this.#underWay.values()) one.abort()
    this.stopAsking()
    void this.desk.close()
    tellGone(this)
  }

  /** The answer and all messages that belong to the request go to `send`. Never rejects. */
  async onRequest(
    { id, method, params = {} }: RequestMessage,
    send: SendMessage,
    sighting?: RequestRecord,
  ): Promise<void> {
    const wanted = new Abort()
    this.#underWay.set(id, wanted)
    try {
      const result = await this.#answer(method, params, { send, signal: wanted, sighting })
      if (!wanted.aborted) send({ jsonrpc: '2.0', id, result })
    } catch (error) {
      if (wanted.aborted) sighting?.aborted()
      else sighting?.failed(error)
      if (!wanted.aborted) send({ jsonrpc: '2.0', id, error: toFault(error).fault })
    } finally {
      if (wanted.aborted) sighting?.aborted()
      this.#underWay.delete(id)
    }
  }

  /** Clients of earlier revisions treat an event without data as a broken message. */
  get takesEmptyEvents(): boolean {
    return this.#version >= '2025-11-25'
  }

  /** The name that the client gives itself, once it has sent it. */
  get name(): string | undefined {
    return nameOfClient(this.#info)
  }

  onNotification(method: string, params: Params = {}): void {
    if (method === 'notifications/cancelled') this.#underWay.get(params['requestId'] as RequestId)?.abort()
    if (method === 'notifications/initialized') this.#isInitialized = true
    const isAboutRoots =
      method === 'notifications/initialized' || method === 'notifications/roots/list_changed'
    if (isAboutRoots && this.hasRoots) this.#gateway.rootsChanged(this)
  }

  onAnswer(message: Message): void {
    const { id, result, error } = message as { readonly [key in 'id' | 'result' | 'error']?: unknown }
    const one = this.#questions.get(id as RequestId)
    if (one === undefined) return
    this.#questions.delete(id as RequestId)
    if (isObject(result)) one.resolve(result)
    else if (isObject(error) && typeof error['code'] === 'number')
      one.reject(
        new RpcFaultError({ ...error, code: error['code'], message: String(error['message'] ?? '') }),
      )
    else one.reject(new Error('the client answered with nothing that could be understood'))
  }

  hear(event: GatewayEvent): void {
    const { method, params } = toNotification(event)
    // The client has not seen any list yet, so no list has changed for it.
    if (event.kind === 'list' && this.#meeting !== undefined) return
    if (event.kind === 'resource' && !this.#subscriber.wants(event.uri)) return
    if (event.kind === 'log' && !wantsLog(this.#toCaller(this.#tell), params ?? {})) return
    this.#tell({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) })
  }

  #answer(method: string, params: Params, { send, signal, sighting }: Underway): Result | Promise<Result> {
    switch (method) {
      case 'initialize':
        return this.#greet(params)
      case 'ping':
        return {}
      case 'logging/setLevel':
        return this.#setLevel(params)
      case 'resources/subscribe':
        return this.#subscribe(params, { signal, sighting })
      case 'resources/unsubscribe':
        this.#subscriber.remove(String(params['uri']))
        return {}
      default: {
        const request = { method, params, caller: this.#toCaller(send, sighting), signal }
        return this.#meeting === undefined
          ? this.#gateway.request(this.#view, request)
          : this.#meeting.then(() => this.#gateway.request(this.#view, request))
      }
    }
  }

  get #seen(): View {
    return this.#gateway.viewFor(this.#view, this)
  }

  async #greet({ protocolVersion, capabilities, clientInfo }: Params): Promise<Result> {
    // Before the first `await`: some clients continue without waiting for the answer, and servers ask them at once.
    if (isObject(capabilities)) this.#capabilities = capabilities
    if (isObject(clientInfo)) this.#info = clientInfo
    this.#version = LEGACY_VERSIONS.find((known) => known === protocolVersion) ?? LEGACY_VERSIONS[0]
    this.era = 'legacy'
    await this.#view.ready()
    const meeting = this.#gateway.meet(this, this.#view).finally(() => (this.#meeting = undefined))
    this.#meeting = meeting
    // At the endpoint of all servers, the answer does not depend on it.
    if (this.server !== undefined) await meeting
    return { protocolVersion: this.#version, ...this.#seen.hello() }
  }

  async #setLevel({ level }: Params): Promise<Result> {
    if (this.#seen.capabilities()['logging'] === undefined) throw unknownMethod('logging/setLevel')
    if (!isLevel(level)) throw invalid('`level` is not one that the protocol has')
    this.#level = level
    await this.#gateway.setLevel(this, level)
    return {}
  }

  async #subscribe({ uri }: Params, { signal, sighting }: Omit<Underway, 'send'>): Promise<Result> {
    if (typeof uri !== 'string') throw invalid('`uri` must be a string')
    if (await this.#subscriber.add(uri, signal, sighting)) return {}
    throw new RpcFaultError({
      code: RPC_CODES.resourceNotFound,
      message: 'Resource not found',
      data: { uri },
    })
  }

  #toCaller(send: SendMessage, sighting?: RequestRecord): Caller {
    return {
      era: 'legacy',
      client: this,
      instance: this,
      info: this.#info,
      knowsLinks: this.#version >= '2025-06-18',
      capabilities: this.#capabilities,
      logLevel: this.#level,
      desk: this.desk,
      sighting,
      notify: (method, params) => send({ jsonrpc: '2.0', method, params }),
      ask: this.#askOver(send),
    }
  }

  #toAsked(): Parameters<typeof askBack>[0] {
    const caller = { capabilities: this.#capabilities }
    return { caller, ask: this.#askOver(this.#tell), missed: () => undefined }
  }

  #askOver(send: SendMessage): AskCaller {
    return (method, params, signal) =>
      new Promise((resolve, reject) => {
        if (!this.#canAnswer) return reject(unanswered(method, 'the client is gone'))
        const id = `plugboard-${this.#mark}-${++this.#lastQuestion}`
        // On the stream of the request. If that stream is gone, on the client's own stream.
        const say = (message: Message): boolean => send(message) !== false || this.#tell(message) !== false
        const giveUp = (error: Error): void => {
          this.#questions.get(id)?.reject(error)
          this.#questions.delete(id)
          say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
        }
        const onAbort = (): void => giveUp(new Error('the server took its question back'))
        signal.addEventListener('abort', onAbort, { once: true })
        const cancel = this.#gateway.world.clock.after(QUESTION_MS, () =>
          giveUp(unanswered(method, 'the client did not answer for 10 minutes')),
        )
        const settle = (tell: () => void): void => {
          cancel()
          signal.removeEventListener('abort', onAbort)
          tell()
        }
        this.#questions.set(id, {
          method,
          resolve: (result) => settle(() => resolve(result)),
          reject: (error) => settle(() => reject(error)),
        })
        if (say({ jsonrpc: '2.0', id, method, params })) return
        this.#questions.get(id)?.reject(unanswered(method, 'the client has no stream open to hear it on'))
        this.#questions.delete(id)
      })
  }
}

function unanswered(method: string, why: string): RpcFaultError {
  return new RpcFaultError({ code: RPC_CODES.internalError, message: `${method} cannot be answered: ${why}` })
}

/** `inspector/1.2.3`. */
export function nameOfClient(info: unknown): string | undefined {
  if (!isObject(info) || typeof info['name'] !== 'string') return undefined
  const { name, version } = info
  return toPrintable(typeof version === 'string' ? `${name}/${version}` : name).slice(0, 100)
}

export function toNotification(event: GatewayEvent): { readonly method: string; readonly params?: Params } {
  switch (event.kind) {
    case 'list':
      return { method: `notifications/${event.list}/list_changed` }
    case 'resource':
      return { method: 'notifications/resources/updated', params: { uri: event.uri } }
    case 'log':
      return { method: 'notifications/message', params: event.params }
    case 'other':
      return { method: event.method, params: event.params }
  }
}
