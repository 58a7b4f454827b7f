/**
 * pool-clients: gives each client a session of its own at a server, and over stdio a process.
 *
 * in     requests, each with the client that makes it, where that client is known
 * out    answers of the session of that client; its first request opens the session, which ends when the client is gone
 *        or idle
 * never  starts more sessions than its limit; `always`: lets two known clients share a session; `by-person`: lets two
 *        persons share one
 *
 * One more session, the base, is open from the beginning. It is for lists, and for clients that cannot be
 * distinguished. With `where-it-can-be` the base is also for:
 * - the first client, which is often the only one;
 * - clients that send one request and leave;
 * - clients that cannot have a session of their own, because the limit is reached or the server refuses another
 *   session.
 *
 * From then on the lists of the base are for these clients. Another session (pool-lists) reads the lists for all
 * clients again, if they are ever needed.
 */
import type { Signal } from '../base/abort.ts'
import { untilAborted } from '../base/until-aborted.ts'
import type { LaunchSpec } from '../model/launch.ts'
import type { Params, Result } from '../model/message.ts'
import {
  SessionError,
  type Audience,
  type RequestClient,
  type RequestOptions,
  type ResourceSubscriptions,
  type Session,
  type Subscriber,
} from '../model/session.ts'
import type { WireFailure } from '../model/wire.ts'
import { connect, type ConnectListener, type ConnectRequest } from '../pipeline/connect/connect.ts'
import { isGone, onGone } from './client-life.ts'
import { lost, reasonOf, toSessionError } from './pool-errors.ts'
import { handlersFor } from './pool-handlers.ts'
import { idleHandlers, placeFor, placeForPerson, type Instance, type Admittance } from './pool-instance.ts'
import { isListChange, isListing, ListsSession } from './pool-lists.ts'
import { SharedSubscriptions } from './shared-subscriptions.ts'
import { StartupLimit } from './startup-limit.ts'

export interface ClientsRequest extends ConnectRequest {
  readonly launch: LaunchSpec
}

export interface ClientsOptions {
  readonly idleMs: number
  readonly maxInstances: number
}

/**
 * `always`: the entry asks for it. `where-it-can-be`: the entry does not ask for it, so no client is refused because of
 * it. `by-person`: all clients of one person of an issuer share a process, and each of them has a session on it.
 */
export type Apart = 'always' | 'where-it-can-be' | 'by-person'

/** Rejects with a ConnectError. Without a person, the session is for all clients. */
export type Begin = (request: ConnectRequest, person: string | undefined) => Promise<Session>

/** For requests that no client waits for. */
const BESIDE_MS = 10_000

/** A session that ended by itself is opened again after this time, for clients with subscriptions. */
const AGAIN_MS = 1000

export class Clients implements Session {
  readonly #request: ClientsRequest
  readonly #options: ClientsOptions
  readonly #apart: Apart
  readonly #connect: Begin
  #base!: Session
  /** Requests at the base of clients that have no name, or no session. */
  #unnamed = 0
  /**
   * The client that has the base to itself, as far as others can be kept from it. `left`: this client is gone, but the
   * traces of its requests are not.
   */
  #first: object | 'nobody' | 'left' = 'nobody'
  /** The lists of the base changed while a client used it. */
  #isBaseChanged = false
  /** The guest on whose behalf the first client came. */
  #firstGuest: string | undefined
  readonly #baseSubscriptions = new SharedSubscriptions({
    reach: async () => this.#base,
    live: () => this.#base,
  })
  /**
   * The base shows its first client what may be for that client alone, and still does after that client has left. So
   * another session reads the lists for all clients.
   */
  readonly #lists = new ListsSession((controller) =>
    this.#begin(
      {
        handlers: handlersFor(
          this.#request.handlers,
          () => undefined,
          () => false,
        ),
        listener: this.#listenForLists(),
      },
      controller,
    ),
  )
  readonly #instances = new Map<object, Instance>()
  /** Subscriptions to resume, of clients whose process was lost. */
  readonly #resuming = new WeakMap<object, Map<string, Subscriber>>()
  readonly #closing = new Set<Promise<void>>()
  /** The last log level that was set. New sessions need it, too. */
  #level: Params | undefined
  #isClosed = false
  #isOver = false
  #cancelSweep: (() => void) | undefined

  /** Rejects with a ConnectError. */
  static async open(
    request: ClientsRequest,
    options: ClientsOptions,
    apart: Apart,
    begin?: Begin,
  ): Promise<Session> {
    const clients = new Clients(request, options, apart, begin)
    const handlers = handlersFor(request.handlers, () => clients.#soleHandlers(), clients.#atBase)
    const base = await clients.#connect(
      { ...request, handlers, listener: clients.#listenAtBase() },
      undefined,
    )
    clients.#base = base
    // In a modern session every request stands for itself, so there is nothing to keep apart.
    return apart === 'where-it-can-be' && base.hello.era === 'modern' ? base : clients
  }

  private constructor(
    request: ClientsRequest,
    options: ClientsOptions,
    apart: Apart,
    begin: Begin = (of) => connect(request.launch, of),
  ) {
    this.#request = request
    this.#options = options
    this.#apart = apart
    this.#connect = begin
  }

  get hello(): Session['hello'] {
    return this.#base.hello
  }

  get wire(): Session['wire'] {
    return this.#base.wire
  }

  /** For clients that cannot be distinguished. */
  readonly subscriptions: ResourceSubscriptions = this.#subscriptionsAtBase(this)

  subscriptionsOf(client: object): ResourceSubscriptions {
    return {
      add: (uri, subscriber, timeoutMs) => this.#subscribe(client, { uri, subscriber }, timeoutMs),
      remove: (uri) => this.#unsubscribe(client, uri),
    }
  }

  /** Where there is a session, adds no promise to the one of the request itself. */
  request(method: string, params?: Params, options: RequestOptions = {}): Promise<Result> {
    const { client, onLog, signal } = options
    if (client === undefined || !this.#isKept(client)) return this.#requestAtBase(method, params, options)
    const instance = this.#instanceOf(client)
    if (instance instanceof SessionError) return Promise.reject(instance)
    instance.onLog = onLog ?? instance.onLog
    instance.underWay += 1
    const answer =
      instance.live === undefined
        ? this.#ready(client, instance, signal).then((session) => session.request(method, params, options))
        : instance.live.request(method, params, options)
    const finish = (): void => {
      instance.underWay -= 1
      if (instance.underWay === 0) instance.onLog = undefined
      instance.usedAt = this.#request.world.clock.now()
    }
    void answer.then(finish, finish)
    return answer
  }

  notify(method: string, params?: Params, client?: RequestClient): void {
    if (client === undefined) return this.#base.notify(method, params)
    // A client without a session yet needs no notification: its session asks when it begins.
    const instance = this.#instances.get(client)
    const session = instance?.isOwn === false ? this.#base : instance?.live
    session?.notify(method, params, client)
  }

  async drained(): Promise<void> {
    const drainedOf = ({ session }: Instance): Promise<void> =>
      session.then(
        (one) => one.drained(),
        () => undefined, // the request that waits for it reports the failure
      )
    await Promise.all([
      this.#base.drained(),
      this.#lists.drained(),
      ...[...this.#instances.values()].map(drainedOf),
    ])
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelSweep?.()
    for (const client of this.#instances.keys()) this.#end(client)
    await Promise.all([this.#base.close(), this.#lists.close(), ...this.#closing])
  }

  #isKept({ isPassing, person }: RequestClient): boolean {
    if (this.#apart === 'by-person') return person !== undefined
    return this.#apart === 'always' || isPassing !== true
  }

  #requestAtBase(method: string, params: Params | undefined, options: RequestOptions): Promise<Result> {
    if (method === 'logging/setLevel') this.#tellLevel(params)
    if (this.#first !== 'nobody' && isListing(method)) return this.#lists.request(method, params, options)
    this.#unnamed += 1
    const answer = this.#base.request(method, params, options)
    const finish = (): void => void (this.#unnamed -= 1)
    void answer.then(finish, finish)
    return answer
  }

  #tellLevel(params: Params | undefined): void {
    this.#level = params
    for (const { live, isOwn } of this.#instances.values())
      if (isOwn && live !== undefined) void sendLevel(live, params)
  }

  /** Returns a SessionError that says why, when the client cannot have a session. */
  #instanceOf(client: RequestClient): Instance | SessionError {
    const known = this.#instances.get(client)
    if (known !== undefined) return known
    if (this.#isClosed) return lost('this session is closed')
    if (isGone(client)) return lost('this client is gone')
    if (this.#apart === 'where-it-can-be' && this.#first === 'nobody') {
      this.#first = client
      this.#firstGuest = client.guest
      return this.#keep(client, this.#base)
    }
    const place = this.#placeFor(client)
    if (place.kind === 'own') return this.#keep(client, 'own')
    const { why } = place
    // A client must not enter the session of another guest by coming often.
    const isKeptOut = place.of === 'guest' && client.guest !== this.#firstGuest
    if (this.#apart !== 'where-it-can-be' || isKeptOut) return lost(why)
    this.#request.listener.onOddity?.(`${why}: the next one shares a session`)
    const shared = this.#keep(client, this.#base)
    this.#showBase(client)
    return shared
  }

  #placeFor(client: RequestClient): Admittance {
    const { maxInstances } = this.#options
    const instances = [...this.#instances.values()]
    if (this.#apart !== 'by-person') return placeFor(client, instances, maxInstances)
    const { clock } = this.#request.world
    const { place, over } = placeForPerson(client, instances, { maxInstances, now: clock.now() })
    for (const one of over) this.#end(one)
    return place
  }

  #keep(client: RequestClient, session: Session | 'own'): Instance {
    const controller = new AbortController()
    const isOwn = session === 'own'
    const instance: Instance = {
      client,
      session: isOwn ? this.#open(client, () => instance, controller) : Promise.resolve(session),
      live: isOwn ? undefined : session,
      isOwn,
      underWay: 0,
      usedAt: this.#request.world.clock.now(),
      onLog: undefined,
      subscribers: new Map(),
      controller,
      forget: onGone(client, () => this.#end(client)),
    }
    instance.session.catch(() => undefined) // the request that waits for it reports the failure
    this.#instances.set(client, instance)
    this.#sweepLater()
    return instance
  }

  async #open(client: RequestClient, find: () => Instance, controller: AbortController): Promise<Session> {
    try {
      const audience: Audience = (one) => one === client
      const handlers = handlersFor(this.#request.handlers, () => this.#handlersAtRest(find()), audience)
      const sides = { handlers, listener: this.#listenFor(client, find) }
      const session = await this.#begin(sides, controller, client.person)
      if (this.#level !== undefined) await sendLevel(session, this.#level)
      find().live = session
      return session
    } catch (error) {
      const instance = find()
      if (this.#instances.get(client) !== instance) throw error
      const { startupTimeoutMs } = this.#request.launch
      const why = controller.signal.aborted ? `no answer within ${startupTimeoutMs} ms` : reasonOf(error)
      if (this.#apart !== 'where-it-can-be') throw controller.signal.aborted ? lost(why) : error
      // Some servers accept one session and no other. Whether the server still runs shows when the base is asked.
      this.#request.listener.onOddity?.(`one more session cannot be had (${why}): it is shared`)
      instance.isOwn = false
      instance.live = this.#base
      this.#showBase(client)
      return this.#base
    }
  }

  /**
   * A guest's roots are folders of another machine than the one that runs the process, so a stdio server does not get
   * them.
   */
  #handlersAtRest(instance: Instance): RequestOptions['handlers'] {
    const handlers = idleHandlers([instance])
    const isForeign = this.wire === 'stdio' && instance.client.guest !== undefined
    return isForeign && handlers !== undefined ? { ...handlers, roots: undefined } : handlers
  }

  /** Opens one more session, within the startup limit. */
  async #begin(
    sides: Pick<ConnectRequest, 'handlers' | 'listener'>,
    controller: AbortController,
    person?: string,
  ): Promise<Session> {
    const { launch, ...rest } = this.#request
    const { startupTimeoutMs } = launch
    const limit = new StartupLimit(rest.world.clock, startupTimeoutMs, () => controller.abort())
    const { signal } = controller
    const listener: ConnectListener = {
      ...sides.listener,
      onInstallation: (state) => limit.onInstallation(state),
    }
    try {
      const { handlers } = sides
      return await this.#connect(
        { ...rest, handlers, listener, signal, knownEra: this.#base.hello.era },
        person,
      )
    } finally {
      limit.stop()
    }
  }

  async #ready(client: object, instance: Instance, signal: Signal | undefined): Promise<Session> {
    try {
      return await untilAborted(instance.session, signal)
    } catch (error) {
      if (signal?.aborted === true) throw new SessionError({ kind: 'aborted', wasSent: false })
      if (this.#instances.get(client) === instance) this.#end(client)
      throw toSessionError(error)
    }
  }

  // Events of sessions.

  #listenAtBase(): ConnectListener {
    const { listener } = this.#request
    return {
      onLog: (line, from) => listener.onLog(line, from),
      redact: (text) => listener.redact?.(text) ?? text,
      onFirstSign: () => listener.onFirstSign(),
      onStartedAgain: () => listener.onStartedAgain?.(),
      onInstallation: (state) => listener.onInstallation?.(state),
      onRenewed: () => {
        this.#tellSharers()
        listener.onRenewed?.()
      },
      onOddity: (text) => listener.onOddity?.(text),
      onEnd: (failure) => this.#tellEnd(failure),
      onNotification: (method, params) => {
        if (!isListChange(method)) return listener.onNotification(method, params, this.#sharers)
        // Until the base has its first client, its lists are the lists for all clients.
        if (this.#first === 'nobody') return listener.onNotification(method, params)
        this.#tellSharers()
        // The change may concern all clients, so the lists for clients that have done nothing are read again, too.
        listener.onRenewed?.()
      },
    }
  }

  /** A client that shares the base from now on can use what the base lists. The lists for all clients may lack it. */
  #showBase(client: object): void {
    if (this.#isBaseChanged) this.#request.listener.onOwnLists?.(client, 'changed')
  }

  /** Only the clients that share the base see what it lists. */
  #tellSharers(): void {
    this.#isBaseChanged = true
    for (const [client, { isOwn }] of this.#instances)
      if (!isOwn) this.#request.listener.onOwnLists?.(client, 'changed')
  }

  #listenForLists(): ConnectListener {
    const { listener } = this.#request
    return {
      onLog: (line, from) => listener.onLog(line, from),
      redact: (text) => listener.redact?.(text) ?? text,
      onFirstSign: () => undefined,
      onRenewed: () => listener.onRenewed?.(),
      onOddity: (text) => listener.onOddity?.(text),
      onEnd: (failure) => this.#tellEnd(failure),
      // Other notifications for all clients also arrive in the other sessions.
      onNotification: (method, params) => {
        if (isListChange(method)) listener.onNotification(method, params)
      },
    }
  }

  #listenFor(client: RequestClient, find: () => Instance): ConnectListener {
    const { listener } = this.#request
    const isMeant: Audience = (one) => one === client
    return {
      onLog: (line, from) => listener.onLog(line, from),
      redact: (text) => listener.redact?.(text) ?? text,
      onFirstSign: () => undefined,
      // What the old session listed beyond the lists for all clients ended with it.
      onRenewed: () => listener.onOwnLists?.(client, 'changed'),
      onOddity: (text) => listener.onOddity?.(text),
      // What this session logs and sends is for its one client alone.
      onNotification: (method, params) => {
        const { underWay, onLog = underWay === 0 ? client.atRest?.onLog : undefined } = find()
        if (method === 'notifications/message' && onLog !== undefined) onLog(params)
        else if (isListChange(method)) listener.onOwnLists?.(client, 'changed')
        else listener.onNotification(method, params, isMeant)
      },
      onEnd: (failure) => {
        const instance = find()
        if (this.#instances.get(client) === instance) this.#onLost(client, instance, failure)
      },
    }
  }

  /**
   * The clients that get notifications of the base. A client without a session has done nothing there that a
   * notification could be about.
   */
  readonly #sharers: Audience = (client) =>
    client === undefined || this.#instances.get(client)?.isOwn === false

  /**
   * The clients that a question of the base may be for. A client without an instance is not among them: it may get a
   * session of its own.
   */
  readonly #atBase: Audience = (client) =>
    client === undefined ? this.#unnamed > 0 : this.#instances.get(client)?.isOwn === false

  /** While only one client uses the base, every question of the base goes to that client. */
  #soleHandlers(): RequestOptions['handlers'] {
    if (this.#unnamed > 0) return undefined
    return idleHandlers([...this.#instances.values()].filter(({ isOwn }) => !isOwn))
  }

  // Subscriptions.

  async #subscribe(
    client: object,
    { uri, subscriber }: { readonly uri: string; readonly subscriber: Subscriber },
    timeoutMs: number,
  ): Promise<void> {
    const instance = this.#instanceOf(client)
    if (instance instanceof SessionError) throw instance
    instance.subscribers.set(uri, subscriber)
    try {
      const session = await this.#ready(client, instance, undefined)
      const subscriptions = instance.isOwn ? session.subscriptions : this.#subscriptionsAtBase(instance)
      await subscriptions.add(uri, subscriber, timeoutMs)
    } catch (error) {
      instance.subscribers.delete(uri)
      throw error
    }
  }

  #unsubscribe(client: object, uri: string): void {
    this.#resuming.get(client)?.delete(uri)
    const instance = this.#instances.get(client)
    if (instance === undefined || !instance.subscribers.delete(uri)) return
    instance.usedAt = this.#request.world.clock.now()
    if (instance.isOwn) instance.live?.subscriptions.remove(uri)
    else this.#baseSubscriptions.remove(uri, instance)
  }

  #subscriptionsAtBase(holder: object): ResourceSubscriptions {
    return {
      add: (uri, subscriber, timeoutMs) =>
        this.#baseSubscriptions.add(uri, { holder, subscriber }, timeoutMs),
      remove: (uri) => this.#baseSubscriptions.remove(uri, holder),
    }
  }

  /** Over HTTP, an end concerns all sessions: nothing answers at the address, or the server no longer knows us. */
  #onLost(client: object, { subscribers }: Instance, failure: WireFailure): void {
    if (this.wire === 'http') return this.#tellEnd(failure)
    this.#end(client)
    if (subscribers.size === 0) return
    this.#resuming.set(client, subscribers)
    this.#request.world.clock.after(AGAIN_MS, () => void this.#resume(client, subscribers), 'loose')
  }

  /** Reports the end once, whichever session notices it first. */
  #tellEnd(failure: WireFailure): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#request.listener.onEnd(failure)
  }

  async #resume(client: object, subscribers: ReadonlyMap<string, Subscriber>): Promise<void> {
    if (this.#isClosed || isGone(client)) return
    for (const [uri, subscriber] of subscribers) {
      try {
        await this.#subscribe(client, { uri, subscriber }, BESIDE_MS)
        subscriber.onGap()
      } catch (error) {
        if (!(error instanceof SessionError)) throw error
        subscriber.onLost(error)
      }
    }
  }

  // Ends.

  #end(client: object): void {
    const instance = this.#instances.get(client)
    if (instance === undefined) return
    this.#instances.delete(client)
    instance.forget()
    if (this.#first === client) this.#first = 'left'
    this.#baseSubscriptions.removeAll(instance)
    this.#request.listener.onOwnLists?.(client, 'gone')
    if (!instance.isOwn) return
    instance.controller.abort()
    const over = instance.session
      .then(
        (session) => (session === this.#base ? undefined : session.close()),
        () => undefined, // it was never open
      )
      .finally(() => this.#closing.delete(over))
    this.#closing.add(over)
  }

  #sweepLater(): void {
    const { idleMs } = this.#options
    if (idleMs === 0) return
    const { clock } = this.#request.world
    this.#cancelSweep ??= clock.after(
      idleMs,
      () => {
        this.#cancelSweep = undefined
        for (const [client, { underWay, usedAt, subscribers }] of this.#instances) {
          const isIdle = underWay === 0 && subscribers.size === 0 && clock.now() - usedAt >= idleMs
          // What the first client did at the base stays in any case, so the client can keep its instance.
          if (isIdle && client !== this.#first) this.#end(client)
        }
        if (this.#instances.size > 0) this.#sweepLater()
      },
      'loose',
    )
  }
}

/** Ignores the answer: a server that refuses the level logs as it likes. */
async function sendLevel(session: Session, params: Params | undefined): Promise<void> {
  await session.request('logging/setLevel', params, { timeoutMs: BESIDE_MS }).catch(() => undefined)
}
