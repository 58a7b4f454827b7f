/**
 * channel: sends JSON-RPC requests over a wire and matches the answers to them. Of MCP it knows only what belongs to a
 * request: progress, cancellation, and the acknowledgement of a subscription.
 *
 * in     a wire, and the hooks that answer the server's requests
 * out    for every request exactly one outcome: a result, or a SessionError
 * never  takes or sends a message that is nested too deep; keeps a listener for a request that is over; keeps a timer
 *        that delays the exit after its last request
 */
import type { Signal } from '../../base/abort.ts'
import { isTooDeep, MAX_DEPTH } from '../../base/depth.ts'
import { isObject } from '../../base/is-object.ts'
import { IdTable } from '../../base/id-table.ts'
import { tell } from '../../base/tell.ts'
import {
  RPC_CODES,
  type Message,
  type Params,
  type RequestId,
  type Result,
  type RpcError,
  type RpcNotification,
} from '../../model/message.ts'
import { wasNeverMade } from '../../model/network.ts'
import { RpcFaultError } from '../../model/rpc-fault.ts'
import {
  describeTimeout,
  describeWireFailure,
  SessionError,
  type ClientHandlers,
  type RequestOptions,
  type SessionFailure,
} from '../../model/session.ts'
import type { Doubt, SendOptions, Sent, Wire, WireFailure, WireListener } from '../../model/wire.ts'
import type { Clock } from '../../world/world.ts'

export interface ChannelOptions extends RequestOptions {
  /**
   * How the server learns that the caller gave up. `stream`: only by the end of the request's own stream. Over HTTP,
   * where each request has a stream, the channel ends the stream in any case, or its connection would stay in use.
   * Default: `message`.
   */
  readonly cancelBy?: 'message' | 'stream' | 'nothing'
  /** The server agreed to a subscription, in whole or in part. */
  readonly onAgreed?: (params: Params) => void
}

export interface AskedQuestion {
  readonly method: string
  readonly params: Params
  readonly signal: AbortSignal
  /** The handlers of the request that the question is about, if it is known and has any. */
  readonly handlers?: ClientHandlers | undefined
}

export interface ChannelHooks extends Pick<
  WireListener,
  'onNoise' | 'onLog' | 'onFirstSign' | 'onInstallation'
> {
  onNotification(method: string, params: Params): void
  /** Returns the answer. Rejects with an RpcFaultError to refuse. */
  onQuestion(question: AskedQuestion): Promise<Result>
  onOddity(text: string): void
  /** Removes secrets: a server may repeat the values that it was given. */
  redact?(text: string): string
  onEnd(failure: WireFailure): void
}

/**
 * A request in flight. Channel, wire and signal share this one object, because every waiting call pays for its memory.
 */
class Pending implements SendOptions {
  id = 0
  readonly options: ChannelOptions
  /** The answer is a list, and each item is checked alone: one item that is too deep must not cost the others. */
  readonly isForList: boolean
  /** On the clock of requests, which stops while the user answers a question. */
  readonly startedAt: number
  /** When the server last sent something about it. */
  seenAt: number
  /** Ends the exchange on wires where each request has a stream. */
  stream: Sent | undefined
  onAbort: (() => void) | undefined
  /**
   * Both are set until the request is settled. A wire may hold this object for longer and must not keep the answer
   * alive.
   */
  #resolve: ((result: Result) => void) | undefined
  #reject: ((error: SessionError) => void) | undefined
  readonly #onUndelivered: OnUndelivered

  constructor(
    method: string,
    options: ChannelOptions,
    { startedAt, onUndelivered }: { readonly startedAt: number; readonly onUndelivered: OnUndelivered },
  ) {
    this.options = options
    this.isForList = method.endsWith('/list')
    this.startedAt = startedAt
    this.seenAt = startedAt
    this.#onUndelivered = onUndelivered
  }

  /** The limit that ends first. */
  get limit(): Limit {
    const { timeoutMs = 0, maxDurationMs = 0, spentMs = 0 } = this.options
    const idleAt = timeoutMs === 0 ? Infinity : this.seenAt + timeoutMs
    const endAt = maxDurationMs === 0 ? Infinity : this.startedAt + maxDurationMs - spentMs
    return endAt <= idleAt
      ? { at: endAt, failure: { kind: 'timeout', afterMs: maxDurationMs, limit: 'duration' } }
      : { at: idleAt, failure: { kind: 'timeout', afterMs: timeoutMs } }
  }

  answer(): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  resolve(result: Result): void {
    this.#resolve?.(result)
    this.#forget()
  }

  reject(error: SessionError): void {
    this.#reject?.(error)
    this.#forget()
  }

  #forget(): void {
    this.#resolve = undefined
    this.#reject = undefined
    this.onAbort = undefined
  }

  get headers(): SendOptions['headers'] {
    return this.options.headers
  }

  onFailure(failure: WireFailure): void {
    this.#onUndelivered(this.id, failure)
  }
}

/** Requests that only a client sends. They come back from a program that echoes its input, such as `cat`. */
const OURS_ALONE: ReadonlySet<string> = new Set(['initialize', 'server/discover'])
const ECHO = 'it repeats what it is sent, and is no MCP server'

type OnUndelivered = (id: RequestId, failure: WireFailure) => void

interface Limit {
  readonly at: number
  readonly failure: Extract<SessionFailure, { kind: 'timeout' }>
}

/** Questions that the user answers. The host answers all others at once, so the clock of requests goes on. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage'])

/** After this time without an answer, the channel assumes that the user is gone: the clock of requests goes on. */
const MAX_THOUGHT_MS = 15 * 60_000

/**
 * A server that is still being installed cannot answer, so it is not late. The caller that started it has its own
 * limit.
 */
const MAX_INSTALLATION_MS = 15 * 60_000

export class Channel implements WireListener {
  readonly wire: Wire
  readonly #clock: Clock
  readonly #hooks: ChannelHooks
  readonly #pending = new IdTable<Pending>()
  /** The server's questions that the host has not answered yet. */
  #questions: Map<RequestId, AbortController> | undefined
  #ended: WireFailure | undefined
  #gone: AbortController | undefined
  #onDoubt: ((stream: Doubt) => void) | undefined
  /** How many questions wait for the user, when the first of them began, and how long all earlier ones took. */
  #holds = 0
  #heldSince = 0
  #heldMs = 0
  /** Restarts the clock of requests. */
  #installing: (() => void) | undefined
  /** When the channel next checks the limits, and how to cancel that check. */
  #watching: { readonly at: number; readonly cancel: () => void } | undefined

  constructor(openWire: (listener: WireListener) => Wire, clock: Clock, hooks: ChannelHooks) {
    this.#clock = clock
    this.#hooks = hooks
    this.wire = openWire(this)
  }

  /** Aborted when the wire ends. */
  get gone(): AbortSignal {
    this.#gone ??= new AbortController()
    if (this.#ended !== undefined) this.#gone.abort()
    return this.#gone.signal
  }

  request(method: string, params: Params | undefined, options: ChannelOptions): Promise<Result> {
    const refusal = this.#whyNot(params, options)
    if (refusal !== undefined) return Promise.reject(new SessionError(refusal))
    const one = new Pending(method, options, { startedAt: this.#now(), onUndelivered: this.#onUndelivered })
    const { signal } = options
    try {
      if (signal !== undefined) this.#heed(signal, one)
    } catch (error) {
      return Promise.reject(error) // the caller passed something that is no signal; nothing has begun
    }
    one.id = this.#pending.add(one)
    const { at } = one.limit
    if (at !== Infinity) this.#watchFrom(at)
    const answer = one.answer()
    this.#send(one, toRequest(one.id, method, withToken(params, one.id, options)))
    return answer
  }

  #heed(signal: Signal, one: Pending): void {
    one.onAbort = () => this.#giveUp(one.id, { kind: 'aborted', wasSent: true })
    signal.addEventListener('abort', one.onAbort, { once: true })
  }

  #send(one: Pending, message: Message): void {
    try {
      one.stream = this.wire.send(message, one) ?? undefined
    } catch (error) {
      // A value that is not JSON (a BigInt, a circular object) was never sent.
      this.#fail(one.id, { kind: 'bad-answer', message: `the request cannot be sent: ${String(error)}` })
    }
  }

  notify(method: string, params?: Params): void {
    if (this.#ended !== undefined) return
    this.wire.send(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params })
  }

  /** Calls `step` when the wire has reason to check whether the server still answers. */
  whenInDoubt(step: (stream: Doubt) => void): void {
    this.#onDoubt = step
  }

  close(): Promise<void> {
    return this.wire.close()
  }

  // Calls from the wire.

  onMessage(message: Message, of?: RequestId): void {
    if (isTooDeep(message) && !this.#answersList(message)) this.#turnDown(message)
    else if (!('method' in message)) this.#settleWith(message)
    else if ('id' in message && message.id !== null) {
      if (OURS_ALONE.has(message.method) && this.#pending.get(message.id) !== undefined)
        return this.#fail(message.id, { kind: 'bad-answer', message: ECHO })
      void this.#answer(message.id, message, of)
    } else if (message.method === 'notifications/message') this.#hearLog(message.params ?? {}, of)
    else this.#hear(message.method, message.params ?? {})
  }

  onNoise(text: string): void {
    this.#hooks.onNoise?.(text)
  }

  onLog(line: string): void {
    this.#hooks.onLog?.(line)
  }

  onFirstSign(): void {
    this.#hooks.onFirstSign?.()
  }

  onInstallation(state: 'begun' | 'over'): void {
    this.#installing?.()
    this.#installing = state === 'begun' ? this.#holdFor(MAX_INSTALLATION_MS) : undefined
    this.#hooks.onInstallation?.(state)
  }

  onDoubt(failure: WireFailure, stream: Doubt): void {
    if (this.#ended !== undefined) return
    if (stream === 'given-up')
      this.#hooks.onOddity(`its own stream is gone for good: ${describeWireFailure(failure)}`)
    this.#onDoubt?.(stream)
  }

  onEnd(failure: WireFailure): void {
    if (this.#ended !== undefined) return
    this.#ended = failure
    for (const { id } of this.#pending.all()) this.#fail(id, { kind: 'lost', wire: failure, wasSent: true })
    for (const controller of this.#questions?.values() ?? []) controller.abort()
    this.#gone?.abort()
    this.#unwatch()
    void this.wire.close()
    this.#hooks.onEnd(failure)
  }

  #whyNot(params: Params | undefined, { signal }: ChannelOptions): SessionFailure | undefined {
    if (this.#ended !== undefined) return { kind: 'lost', wire: this.#ended, wasSent: false }
    if (signal?.aborted === true) return { kind: 'aborted', wasSent: false }
    // One level less: the parameters are part of the message.
    return isTooDeep(params, MAX_DEPTH - 1)
      ? { kind: 'bad-answer', message: `the request cannot be sent: it ${NESTED}` }
      : undefined
  }

  readonly #onUndelivered = (id: RequestId, failure: WireFailure): void => {
    const wasSent = mayHaveArrived(failure)
    this.#fail(id, { kind: 'lost', wire: failure, wasSent })
    // The address no longer answers, or the server no longer knows this client: every other request would fail the same
    // way.
    const isGone = failure.kind === 'network' && !wasSent
    if (isGone || (failure.kind === 'http' && failure.status === 401)) this.onEnd(failure)
  }

  #answersList(message: Message): boolean {
    return 'result' in message && this.#pending.get(message.id)?.isForList === true
  }

  /**
   * Reads only which request the message belongs to, so that a message that is too deep costs its own request and no
   * other.
   */
  #turnDown(message: Message): void {
    const id = 'id' in message && isId(message.id) ? message.id : undefined
    if (id === undefined) this.#hooks.onOddity(`a message was dropped: it ${NESTED}`)
    else if ('method' in message)
      this.wire.send({
        jsonrpc: '2.0',
        id,
        error: { code: RPC_CODES.invalidRequest, message: `it ${NESTED}` },
      })
    else this.#fail(id, { kind: 'bad-answer', message: `the answer ${NESTED}` })
  }

  #settleWith(message: Message): void {
    const { id, result, error } = message as { readonly [key in 'id' | 'result' | 'error']?: unknown }
    const one = isId(id) ? this.#settle(id) : undefined
    if (one === undefined) this.#hooks.onOddity(`an answer that nobody asked for (id ${JSON.stringify(id)})`)
    else if (error !== undefined)
      one.reject(new SessionError({ kind: 'rpc', error: this.#toRpcError(error) }, id as RequestId))
    else if (isObject(result)) one.resolve(result)
    else {
      const message = 'the answer has no result'
      one.reject(new SessionError({ kind: 'bad-answer', message }, id as RequestId))
    }
  }

  #hear(method: string, params: Params): void {
    if (method === 'notifications/progress') {
      const one = this.#pending.get(params['progressToken'])
      if (one === undefined) return this.#hooks.onOddity('progress of a request that is over')
      one.seenAt = this.#now()
      tell(() => one.options.onProgress?.(params))
    } else if (method === 'notifications/subscriptions/acknowledged')
      this.#pending.get(subscriptionOf(params))?.options.onAgreed?.(params)
    else if (method === 'notifications/cancelled')
      this.#questions?.get(params['requestId'] as RequestId)?.abort()
    else this.#hooks.onNotification(method, params)
  }

  /** Passes a log message to the caller of its request if that is known, else to all listeners. */
  #hearLog(params: Params, of: RequestId | undefined): void {
    const onLog = of === undefined ? undefined : this.#pending.get(of)?.options.onLog
    if (onLog === undefined) this.#hooks.onNotification('notifications/message', params)
    else tell(() => onLog(params))
  }

  async #answer(
    id: RequestId,
    { method, params = {} }: Pick<RpcNotification, 'method' | 'params'>,
    of: RequestId | undefined,
  ): Promise<void> {
    const handlers = of === undefined ? undefined : this.#pending.get(of)?.options.handlers
    const controller = new AbortController()
    this.#questions ??= new Map()
    this.#questions.set(id, controller)
    const release = FOR_PEOPLE.has(method) ? this.#holdFor(MAX_THOUGHT_MS) : undefined
    const send = (answer: { readonly result: Result } | { readonly error: RpcError }): void => {
      // The server cancelled this question, so it must not get an answer.
      if (!controller.signal.aborted) this.wire.send({ jsonrpc: '2.0', id, ...answer })
    }
    try {
      const { signal } = controller
      send({ result: await this.#hooks.onQuestion({ method, params, signal, handlers }) })
    } catch (error) {
      if (error instanceof RpcFaultError) return send({ error: error.fault })
      send({ error: { code: RPC_CODES.internalError, message: 'the host failed to answer' } })
      this.#hooks.onOddity(`the host failed to answer ${method}: ${String(error)}`)
    } finally {
      this.#questions!.delete(id)
      release?.()
    }
  }

  #toRpcError(error: unknown): RpcError {
    const { message, ...rest } = toRpcError(error)
    return { ...rest, message: this.#hooks.redact?.(message) ?? message }
  }

  #settle(id: RequestId): Pending | undefined {
    const one = this.#pending.take(id)
    if (one === undefined) return undefined
    if (one.onAbort !== undefined) one.options.signal!.removeEventListener('abort', one.onAbort)
    if (this.#pending.size === 0 && this.#timerKind === 'held') this.#unwatch()
    return one
  }

  #fail(id: RequestId, failure: SessionFailure): void {
    this.#settle(id)?.reject(new SessionError(failure, id))
  }

  /** The caller gave up. The server learns it, so that it does not work for nothing. */
  #giveUp(id: RequestId, failure: SessionFailure): void {
    const one = this.#pending.get(id)
    if (one === undefined) return
    const reason = failure.kind === 'timeout' ? describeTimeout(failure) : 'the caller gave up'
    if ((one.options.cancelBy ?? 'message') === 'message')
      this.notify('notifications/cancelled', { requestId: id, reason })
    one.stream?.abort()
    this.#fail(id, failure)
  }

  /** One timer for all requests in flight, set for the request that runs out first. */
  #watchFrom(at: number): void {
    if (this.#watching !== undefined && this.#watching.at <= at) return
    this.#watching?.cancel()
    const cancel = this.#clock.after(at - this.#now(), () => this.#watch(), this.#timerKind)
    this.#watching = { at, cancel }
  }

  #unwatch(): void {
    this.#watching?.cancel()
    this.#watching = undefined
  }

  /**
   * A process or a connection with a request in flight keeps this process alive by itself. There one loose timer can
   * serve request after request, which costs less than one timer each.
   */
  get #timerKind(): 'held' | 'loose' {
    return this.wire.kind === 'in-process' ? 'held' : 'loose'
  }

  #watch(): void {
    this.#watching = undefined
    if (this.#holds > 0) return // the last release checks the limits
    const now = this.#now()
    let next = Infinity
    for (const one of this.#pending.all()) {
      const { at, failure } = one.limit
      if (at <= now) this.#giveUp(one.id, failure)
      else next = Math.min(next, at)
    }
    if (next !== Infinity) this.#watchFrom(next)
  }

  /** The time on the clock of requests. */
  #now(): number {
    return (this.#holds > 0 ? this.#heldSince : this.#clock.now()) - this.#heldMs
  }

  /** Stops the clock of requests until the release, or for at most `limitMs`. */
  #holdFor(limitMs: number): () => void {
    if (this.#holds === 0) this.#heldSince = this.#clock.now()
    this.#holds += 1
    let isReleased = false
    const release = (): void => {
      if (isReleased) return
      isReleased = true
      cancel()
      this.#holds -= 1
      if (this.#holds > 0) return
      this.#heldMs += this.#clock.now() - this.#heldSince
      this.#unwatch()
      this.#watch()
    }
    const cancel = this.#clock.after(limitMs, release, 'loose')
    return release
  }
}

const NESTED = `is nested more than ${MAX_DEPTH} levels deep`

function isId(id: unknown): id is RequestId {
  return typeof id === 'number' || typeof id === 'string'
}

function toRequest(id: RequestId, method: string, params: Params | undefined): Message {
  return params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params }
}

/** With the token the server may report progress, which is also a sign of life. */
function withToken(
  params: Params | undefined,
  id: RequestId,
  { onProgress }: ChannelOptions,
): Params | undefined {
  if (onProgress === undefined || params === undefined) return params
  return { ...params, _meta: { ...(params['_meta'] as object | undefined), progressToken: id } }
}

/** The id of the request that a notification belongs to. */
function subscriptionOf({ _meta: meta }: Params): unknown {
  return isObject(meta) ? meta['io.modelcontextprotocol/subscriptionId'] : undefined
}

/** Only a connection that was never made, or a refusal, proves that the server did nothing. */
function mayHaveArrived(failure: WireFailure): boolean {
  if (failure.kind === 'spawn' || failure.kind === 'not-read') return false
  if (failure.kind === 'http') return failure.status >= 500
  return !(failure.kind === 'network' && wasNeverMade(failure))
}

function toRpcError(error: unknown): RpcError {
  if (isObject(error) && typeof error['code'] === 'number') {
    return { ...error, code: error['code'], message: String(error['message'] ?? '') }
  }
  return {
    code: RPC_CODES.internalError,
    message: 'the server answered with an error that is none',
    data: error,
  }
}
