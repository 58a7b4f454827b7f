/**
 * pooled: one process, and the sessions that boards have on it.
 *
 * in     leases; what the server sends and asks
 * out    notifications for all leases; a question for the only lease that has a request under way, otherwise a refusal
 */
import type { Signal } from '../base/abort.ts'
import { Turns } from '../base/turns.ts'
import { RPC_CODES, type Params, type Result } from '../model/message.ts'
import { RpcFaultError } from '../model/rpc-fault.ts'
import {
  SessionError,
  type ClientHandlers,
  type HandlerContext,
  type Hello,
  type RequestOptions,
  type Session,
  type Subscriber,
} from '../model/session.ts'
import type { LaunchSpec } from '../model/launch.ts'
import type { WireFailure, WireKind } from '../model/wire.ts'
import {
  connect,
  ConnectError,
  type ConnectListener,
  type ConnectRequest,
} from '../pipeline/connect/connect.ts'
import { answerQuestion } from '../pipeline/connect/questions.ts'
import { joinRoots } from './join-roots.ts'
import { SharedSubscriptions } from './shared-subscriptions.ts'

export interface PooledOptions {
  /** 0: the process is never ended for being idle. */
  readonly idleMs: number
  /** Called when no board has a session on it any more, or when the process is gone. */
  onOver(): void
}

/** `asleep`: ended because no board used it. */
type State =
  | {
      readonly kind: 'opening'
      readonly session: Promise<Session>
      readonly controller: AbortController
      readonly heard: Heard
    }
  | { readonly kind: 'live'; readonly session: Session }
  | { readonly kind: 'asleep'; readonly hello: Hello; readonly wire: WireKind }
  | { readonly kind: 'over' }

/** What a start has reported so far, for boards that join it late: it may fail, and they need the reason. */
interface Heard {
  hasSign: boolean
  installation: 'begun' | 'over'
  readonly lines: string[]
}

/** More lines than the problem that may follow keeps. */
const HEARD_LINES = 20

export class Pooled implements ConnectListener {
  readonly #launch: LaunchSpec
  readonly #options: PooledOptions
  readonly #leases = new Set<Lease>()
  /** Set once a board says that the server does one thing at a time. */
  #turns: Turns | undefined
  readonly #subscriptions = new SharedSubscriptions({
    reach: () => this.#wake(),
    live: () => (this.#state.kind === 'live' ? this.#state.session : undefined),
  })
  #state: State = { kind: 'over' }
  /** The request of the first board: it holds what is needed to start the process again. */
  #request: ConnectRequest | undefined
  #ending: Promise<void> = Promise.resolve()
  #underWay = 0
  #cancelSleep: (() => void) | undefined

  constructor(launch: LaunchSpec, options: PooledOptions) {
    this.#launch = launch
    this.#options = options
  }

  /** Rejects with a ConnectError. */
  async lease(request: ConnectRequest, calls: 'parallel' | 'in-turn' = 'parallel'): Promise<Session> {
    const lease = new Lease(this, request)
    if (calls === 'in-turn') this.#turns ??= new Turns()
    if (this.#leases.size === 0) this.#request = request
    this.#leases.add(lease)
    if (this.#state.kind === 'opening') catchUp(request.listener, this.#state.heard)
    const onAbort = (): void => void this.release(lease)
    request.signal.addEventListener('abort', onAbort, { once: true })
    try {
      await this.awake()
      request.signal.throwIfAborted()
      // The process was there before this lease joined.
      request.listener.onFirstSign()
      return lease
    } catch (error) {
      await this.release(lease)
      throw error
    } finally {
      request.signal.removeEventListener('abort', onAbort)
    }
  }

  async release(lease: Lease): Promise<void> {
    if (!this.#leases.delete(lease)) return
    this.#subscriptions.removeAll(lease)
    if (this.#leases.size > 0) return
    await this.#end()
    this.#tellOver()
  }

  /**
   * Runs only after the end of the process, as it may hold a lock or a port. Only now may an equal process start
   * elsewhere. Boards that came meanwhile waited for the end, too.
   */
  #tellOver(): void {
    if (this.#leases.size === 0) this.#options.onOver()
  }

  get hello(): Hello {
    return this.#facts().hello
  }

  get wire(): WireKind {
    return this.#facts().wire
  }

  get isAsleep(): boolean {
    return this.#state.kind === 'asleep'
  }

  /** Returns the live session. Starts the process where it must. */
  awake(): Promise<Session> {
    const state = this.#state
    if (state.kind === 'live') return Promise.resolve(state.session)
    if (state.kind === 'opening') return state.session
    const isAgain = state.kind === 'asleep'
    const controller = new AbortController()
    const session = this.#open(controller, isAgain)
    this.#state = {
      kind: 'opening',
      session,
      controller,
      heard: { hasSign: false, installation: 'over', lines: [] },
    }
    return session
  }

  /** Adds no promise to the one of the request itself. */
  request(lease: Lease, send: (session: Session) => Promise<Result>): Promise<Result> {
    if (!this.#leases.has(lease)) return Promise.reject(released())
    this.#underWay += 1
    lease.underWay += 1
    this.#cancelSleep?.()
    const state = this.#state
    const answer = state.kind === 'live' ? send(state.session) : this.#wakeAnd(send)
    const finish = (): void => this.#finish(lease)
    void answer.then(finish, finish)
    return answer
  }

  /** Sends a call. Where the process takes one call at a time, the call waits for earlier calls of all boards. */
  call(
    lease: Lease,
    send: (session: Session) => Promise<Result>,
    signal: Signal | undefined,
  ): Promise<Result> {
    if (this.#turns === undefined) return this.request(lease, send)
    const refuse = (): Error => new SessionError({ kind: 'aborted', wasSent: false })
    lease.waiting += 1
    const turn = this.#turns.take(() => this.request(lease, send), { signal, refuse })
    const finish = (): void => {
      lease.waiting -= 1
      lease.tellDrained()
    }
    void turn.then(finish, finish)
    return turn
  }

  #finish(lease: Lease): void {
    this.#underWay -= 1
    lease.underWay -= 1
    lease.tellDrained()
    if (this.#underWay === 0) this.#sleepLater()
  }

  async #wakeAnd(send: (session: Session) => Promise<Result>): Promise<Result> {
    return send(await this.#wake())
  }

  notify(method: string, params: Params | undefined): void {
    if (this.#state.kind === 'live') this.#state.session.notify(method, params)
  }

  async subscribe(lease: Lease, uri: string, subscriber: Subscriber, timeoutMs: number): Promise<void> {
    if (!this.#leases.has(lease)) throw released()
    this.#cancelSleep?.()
    await this.#subscriptions.add(uri, { holder: lease, subscriber }, timeoutMs)
  }

  unsubscribe(lease: Lease, uri: string): void {
    this.#subscriptions.remove(uri, lease)
    if (this.#underWay === 0 && this.#state.kind === 'live') this.#sleepLater()
  }

  // Events of the server.

  onNotification(method: string, params: Params): void {
    const busy = [...this.#leases].filter(({ underWay }) => underWay > 0)
    const isLog = method === 'notifications/message'
    // A log line belongs to the request that caused it. With several requests under way, that request is unknown.
    if (isLog && busy.length > 1) return
    const hearing = isLog && busy.length === 1 ? busy : this.#leases
    for (const { listener } of hearing) listener.onNotification(method, params)
  }

  onLog(line: string, from: 'stderr' | 'stdout'): void {
    // All boards share one log, which the first lease writes. Every lease gets what went wrong.
    const [first, ...others] = this.#leases
    if (from === 'stderr') this.#keep(line)
    first?.listener.onLog(line, from)
    if (from === 'stderr') for (const { listener } of others) listener.onOverheard?.(line)
  }

  #keep(line: string): void {
    if (this.#state.kind !== 'opening') return
    const { lines } = this.#state.heard
    lines.push(line)
    if (lines.length > HEARD_LINES) lines.shift()
  }

  redact(text: string): string {
    return this.#first()?.redact?.(text) ?? text
  }

  onOddity(text: string): void {
    this.#first()?.onOddity?.(text)
  }

  onFirstSign(): void {
    if (this.#state.kind === 'opening') this.#state.heard.hasSign = true
    for (const { listener } of this.#leases) listener.onFirstSign()
  }

  onStartedAgain(): void {
    if (this.#state.kind === 'opening') this.#state.heard.lines.length = 0
    for (const { listener } of this.#leases) listener.onStartedAgain?.()
  }

  onInstallation(state: 'begun' | 'over'): void {
    if (this.#state.kind === 'opening') this.#state.heard.installation = state
    for (const { listener } of this.#leases) listener.onInstallation?.(state)
  }

  onRenewed(): void {
    for (const { listener } of this.#leases) listener.onRenewed?.()
  }

  onEnd(failure: WireFailure): void {
    if (this.#state.kind !== 'live') return
    this.#lose(failure)
  }

  #first(): ConnectListener | undefined {
    const [lease] = this.#leases
    return lease?.listener
  }

  async #open(controller: AbortController, isAgain: boolean): Promise<Session> {
    await this.#ending
    try {
      const session = await connect(this.#launch, {
        ...this.#request!,
        handlers: this.#handlers(),
        listener: this,
        signal: controller.signal,
      })
      if (controller.signal.aborted) {
        await session.close()
        throw new ConnectError({ kind: 'aborted', wasSent: false })
      }
      this.#state = { kind: 'live', session }
      this.#sleepLater()
      if (isAgain) this.onRenewed()
      return session
    } catch (error) {
      if (!controller.signal.aborted) this.#state = { kind: 'over' }
      throw error
    }
  }

  async #wake(): Promise<Session> {
    try {
      return await this.awake()
    } catch (error) {
      const wire: WireFailure =
        error instanceof ConnectError && error.failure.kind === 'lost'
          ? error.failure.wire
          : { kind: 'protocol', message: error instanceof Error ? error.message : String(error) }
      this.#lose(wire)
      throw new SessionError({ kind: 'lost', wire, wasSent: false })
    }
  }

  #lose(failure: WireFailure): void {
    this.#cancelSleep?.()
    const state = this.#state
    this.#state = { kind: 'over' }
    if (state.kind === 'live') this.#ending = state.session.close()
    void this.#ending.then(() => this.#tellOver())
    const leases = [...this.#leases]
    this.#leases.clear()
    for (const { listener } of leases) listener.onEnd(failure)
  }

  #sleepLater(): void {
    this.#cancelSleep?.()
    const { idleMs } = this.#options
    if (idleMs === 0 || this.#underWay > 0 || this.#subscriptions.size > 0) return
    this.#cancelSleep = this.#request!.world.clock.after(idleMs, () => this.#sleep(), 'loose')
  }

  #sleep(): void {
    if (this.#state.kind !== 'live' || this.#underWay > 0) return
    const { session } = this.#state
    this.#state = { kind: 'asleep', hello: session.hello, wire: session.wire }
    this.#ending = session.close()
    this.#first()?.onOddity?.('nobody used it for a while: ended until it is asked for')
  }

  async #end(): Promise<void> {
    this.#cancelSleep?.()
    const state = this.#state
    this.#state = { kind: 'over' }
    if (state.kind === 'live') this.#ending = state.session.close()
    if (state.kind === 'opening') {
      state.controller.abort()
      this.#ending = state.session.then(
        (session) => session.close(),
        () => undefined, // the boards that waited for it got the failure
      )
    }
    await this.#ending
  }

  #facts(): Pick<Session, 'hello' | 'wire'> {
    const state = this.#state
    if (state.kind === 'live') return state.session
    if (state.kind === 'asleep') return state
    return GONE
  }

  /**
   * A server keeps the roots for its whole session, which all boards share. So it gets the roots of all boards that can
   * name theirs.
   */
  async #rootsOfAll(context: HandlerContext): Promise<readonly Params[]> {
    const question = { method: 'roots/list', params: {} }
    const asked = [...this.#leases].map(async ({ handlers, server }) => {
      const { roots } = await answerQuestion(handlers, question, { ...context, server })
      return roots as readonly Params[]
    })
    if (asked.length === 0) throw refusal(0, question.method)
    return joinRoots(asked)
  }

  /** The handlers of the one lease that the server can mean. All boards answer the same kinds of questions. */
  #handlers(): ClientHandlers {
    const { handlers } = this.#request!
    const ask = async (method: string, params: Params, context: HandlerContext): Promise<Result> => {
      const busy = [...this.#leases].filter(({ underWay }) => underWay > 0)
      const [only] = busy
      if (only === undefined || busy.length > 1) throw refusal(busy.length, method)
      return answerQuestion(only.handlers, { method, params }, { ...context, server: only.server })
    }
    return {
      ...(handlers.roots === undefined ? {} : { roots: (context) => this.#rootsOfAll(context) }),
      ...(handlers.sample === undefined
        ? {}
        : { sample: (params, context) => ask('sampling/createMessage', params, context) }),
      ...(handlers.elicit === undefined
        ? {}
        : { elicit: (params, context) => ask('elicitation/create', params, context) }),
      ...(handlers.logLevel === undefined ? {} : { logLevel: handlers.logLevel }),
    }
  }
}

function catchUp(listener: ConnectListener, { hasSign, installation, lines }: Heard): void {
  if (hasSign) listener.onFirstSign()
  if (installation === 'begun') listener.onInstallation?.('begun')
  for (const line of lines) listener.onOverheard?.(line)
}

/** Of a process that is gone, until the callers have received the error. */
const GONE: Pick<Session, 'hello' | 'wire'> = {
  hello: { era: 'legacy', version: '', capabilities: {} },
  wire: 'stdio',
}

/** A lease that was released must not start a process. */
function released(): SessionError {
  const wire: WireFailure = { kind: 'protocol', message: 'this session is closed' }
  return new SessionError({ kind: 'lost', wire, wasSent: false })
}

function refusal(busy: number, method: string): RpcFaultError {
  const why =
    busy === 0
      ? 'nobody waits for this server'
      : 'clients of several projects wait for this server, and nobody can tell which is meant'
  return new RpcFaultError({ code: RPC_CODES.internalError, message: `${method} cannot be answered: ${why}` })
}

/** The session of one board. */
class Lease implements Session {
  readonly listener: ConnectListener
  readonly handlers: ClientHandlers
  readonly server: string
  underWay = 0
  /** Calls that are under way, or wait for their turn. */
  waiting = 0
  readonly #pooled: Pooled
  #onDrained: (() => void)[] = []

  constructor(pooled: Pooled, { listener, handlers, server = '' }: ConnectRequest) {
    this.#pooled = pooled
    this.listener = listener
    this.handlers = handlers
    this.server = server
  }

  get hello(): Hello {
    return this.#pooled.hello
  }

  get wire(): WireKind {
    return this.#pooled.wire
  }

  get isAsleep(): boolean {
    return this.#pooled.isAsleep
  }

  request(method: string, params?: Params, options?: RequestOptions): Promise<Result> {
    const send = (session: Session): Promise<Result> => session.request(method, params, options)
    return method === 'tools/call'
      ? this.#pooled.call(this, send, options?.signal)
      : this.#pooled.request(this, send)
  }

  notify(method: string, params?: Params): void {
    this.#pooled.notify(method, params)
  }

  readonly subscriptions = {
    add: (uri: string, subscriber: Subscriber, timeoutMs: number): Promise<void> =>
      this.#pooled.subscribe(this, uri, subscriber, timeoutMs),
    remove: (uri: string): void => this.#pooled.unsubscribe(this, uri),
  }

  tellDrained(): void {
    if (this.underWay + this.waiting > 0) return
    for (const tell of this.#onDrained.splice(0)) tell()
  }

  drained(): Promise<void> {
    return this.underWay + this.waiting === 0
      ? Promise.resolve()
      : new Promise((resolve) => this.#onDrained.push(resolve))
  }

  close(): Promise<void> {
    return this.#pooled.release(this)
  }
}
