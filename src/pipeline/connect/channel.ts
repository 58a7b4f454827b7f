/**
 * channel: requests and their answers over a wire. JSON-RPC, and nothing of MCP but progress and cancellation.
 *
 * in     a wire, and who answers what the server asks
 * out    for every request exactly one outcome: a result, or a SessionError
 * never  keeps a timer or a listener for a request that is over
 */
import { isObject } from '../../base/is-object.ts'
import type { Message, Params, RequestId, Result, RpcError } from '../../model/message.ts'
import { SessionError, type RequestOptions, type SessionFailure } from '../../model/session.ts'
import type { Wire, WireFailure, WireListener } from '../../model/wire.ts'
import type { Clock } from '../../world/world.ts'

export interface Channel {
  readonly wire: Wire
  /** Aborted when the wire is gone. */
  readonly gone: AbortSignal
  request(method: string, params: Params | undefined, options: ChannelOptions): Promise<Result>
  notify(method: string, params?: Params): void
  /** Resolves when nobody waits for an answer any more. */
  drained(): Promise<void>
  close(): Promise<void>
}

export interface ChannelOptions extends RequestOptions {
  /** It lasts as long as the session, and nobody waits for it. */
  readonly isBeside?: boolean
  /** How the server learns that nobody waits any more. `stream`: by the end of the request's own stream. */
  readonly cancelBy: 'message' | 'stream' | 'nothing'
}

export interface ChannelHooks extends Pick<WireListener, 'onNoise' | 'onLog' | 'onFirstSign'> {
  onNotification(method: string, params: Params): void
  /** Gives the answer; rejects with an RpcFaultError to refuse. */
  onQuestion(method: string, params: Params, signal: AbortSignal): Promise<Result>
  onOddity(text: string): void
  onEnd(failure: WireFailure): void
}

/** A refusal of ours, on its way to the server. */
export class RpcFaultError extends Error {
  readonly fault: RpcError

  constructor(fault: RpcError) {
    super(fault.message)
    this.fault = fault
  }
}

interface Pending {
  readonly resolve: (result: Result) => void
  readonly reject: (error: SessionError) => void
  readonly options: ChannelOptions
  /** When the server last said something about it. */
  seenAt: number
  /** Ends the exchange on wires where each has a stream. */
  readonly stream: AbortController | undefined
  readonly onAbort: (() => void) | undefined
}

export function openChannel(
  openWire: (listener: WireListener) => Wire,
  clock: Clock,
  hooks: ChannelHooks,
): Channel {
  const pending = new Map<RequestId, Pending>()
  const questions = new Map<RequestId, AbortController>()
  let lastId = 0
  const gone = new AbortController()
  let ended: WireFailure | undefined
  /** When requests are next looked at, and how to take that back. */
  let watching: { readonly at: number; readonly cancel: () => void } | undefined
  let onDrained: (() => void)[] = []

  const isDrained = (): boolean => [...pending.values()].every(({ options }) => options.isBeside === true)

  const settle = (id: RequestId): Pending | undefined => {
    const one = pending.get(id)
    if (one === undefined) return undefined
    pending.delete(id)
    if (one.onAbort !== undefined) one.options.signal!.removeEventListener('abort', one.onAbort)
    if (pending.size === 0) {
      watching?.cancel()
      watching = undefined
    }
    if (onDrained.length > 0 && isDrained()) {
      for (const tell of onDrained) tell()
      onDrained = []
    }
    return one
  }
  const fail = (id: RequestId, failure: SessionFailure): void =>
    settle(id)?.reject(new SessionError(failure, id))

  /** Nobody waits any more: the server should know, and not work for nothing. */
  const giveUp = (id: RequestId, failure: SessionFailure): void => {
    const one = pending.get(id)
    if (one === undefined) return
    const reason = failure.kind === 'timeout' ? `no word for ${failure.afterMs} ms` : 'the caller gave up'
    if (one.options.cancelBy === 'stream') one.stream!.abort()
    else if (one.options.cancelBy === 'message') notify('notifications/cancelled', { requestId: id, reason })
    fail(id, failure)
  }

  /** One timer for all requests in flight, set for the one that runs out first. */
  const watchFrom = (at: number): void => {
    if (watching !== undefined && watching.at <= at) return
    watching?.cancel()
    watching = { at, cancel: clock.after(at - clock.now(), watch) }
  }
  const watch = (): void => {
    watching = undefined
    const now = clock.now()
    let next = Infinity
    for (const [id, one] of pending) {
      const { timeoutMs = 0 } = one.options
      if (timeoutMs === 0) continue
      // While somebody here thinks about a question of the server's, the server cannot be the one that is slow.
      if (questions.size > 0) one.seenAt = now
      const at = one.seenAt + timeoutMs
      if (at <= now) giveUp(id, { kind: 'timeout', afterMs: timeoutMs })
      else next = Math.min(next, at)
    }
    if (next !== Infinity) watchFrom(next)
  }

  function lose(failure: WireFailure): void {
    if (ended !== undefined) return
    ended = failure
    for (const id of pending.keys()) fail(id, { kind: 'lost', wire: failure, wasSent: true })
    for (const question of questions.values()) question.abort()
    gone.abort()
    void wire.close()
    hooks.onEnd(failure)
  }

  const wire = openWire({
    onMessage: receive,
    onNoise: (text) => hooks.onNoise?.(text),
    onLog: (line) => hooks.onLog?.(line),
    onFirstSign: () => hooks.onFirstSign?.(),
    onEnd: lose,
  })

  function request(method: string, params: Params | undefined, options: ChannelOptions): Promise<Result> {
    return new Promise((resolve, reject) => {
      const { signal, timeoutMs = 0 } = options
      if (ended !== undefined) return reject(new SessionError({ kind: 'lost', wire: ended, wasSent: false }))
      if (signal?.aborted === true) return reject(new SessionError({ kind: 'aborted', wasSent: false }))
      const id = ++lastId
      const onAbort =
        signal === undefined ? undefined : (): void => giveUp(id, { kind: 'aborted', wasSent: true })
      const stream = options.cancelBy === 'stream' ? new AbortController() : undefined
      if (onAbort !== undefined) signal!.addEventListener('abort', onAbort, { once: true })
      const now = clock.now()
      pending.set(id, { resolve, reject, options, seenAt: now, stream, onAbort })
      if (timeoutMs > 0) watchFrom(now + timeoutMs)
      wire.send(
        params === undefined
          ? { jsonrpc: '2.0', id, method }
          : { jsonrpc: '2.0', id, method, params: withToken(params, id, options) },
        {
          signal: stream?.signal,
          headers: options.headers,
          onFailure(failure) {
            const wasSent = mayHaveArrived(failure)
            fail(id, { kind: 'lost', wire: failure, wasSent })
            // There is nobody at this address any more: what holds for one request holds for all.
            if (failure.kind === 'network' && !wasSent) lose(failure)
          },
        },
      )
    })
  }

  function notify(method: string, params?: Params): void {
    if (ended === undefined)
      wire.send(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params })
  }

  function receive(message: Message): void {
    if ('method' in message) {
      if ('id' in message && message.id !== null)
        void answer(message.id, message.method, message.params ?? {})
      else hear(message.method, message.params ?? {})
      return
    }
    const { id } = message as { readonly id?: unknown }
    const one = typeof id === 'number' || typeof id === 'string' ? settle(id) : undefined
    if (one === undefined) return hooks.onOddity(`an answer that nobody asked for (id ${JSON.stringify(id)})`)
    if ('error' in message)
      one.reject(new SessionError({ kind: 'rpc', error: toRpcError(message.error) }, id as RequestId))
    else if (isObject((message as { readonly result?: unknown }).result))
      one.resolve((message as { readonly result: Result }).result)
    else
      one.reject(
        new SessionError({ kind: 'bad-answer', message: 'the answer has no result' }, id as RequestId),
      )
  }

  function hear(method: string, params: Params): void {
    if (method === 'notifications/progress') {
      const one = pending.get(params['progressToken'] as RequestId)
      if (one === undefined) return hooks.onOddity('progress of a request that is over')
      one.seenAt = clock.now()
      one.options.onProgress?.(params)
    } else if (method === 'notifications/cancelled') questions.get(params['requestId'] as RequestId)?.abort()
    else hooks.onNotification(method, params)
  }

  async function answer(id: RequestId, method: string, params: Params): Promise<void> {
    const controller = new AbortController()
    questions.set(id, controller)
    try {
      const result = await hooks.onQuestion(method, params, controller.signal)
      // A question that was taken back must not be answered.
      if (!controller.signal.aborted) wire.send({ jsonrpc: '2.0', id, result })
    } catch (error) {
      if (controller.signal.aborted) return
      wire.send({
        jsonrpc: '2.0',
        id,
        error:
          error instanceof RpcFaultError
            ? error.fault
            : { code: -32603, message: 'the host failed to answer' },
      })
      if (!(error instanceof RpcFaultError))
        hooks.onOddity(`the host failed to answer ${method}: ${String(error)}`)
    } finally {
      questions.delete(id)
      // The server goes on only now.
      for (const one of pending.values()) one.seenAt = clock.now()
    }
  }

  const drained = (): Promise<void> =>
    isDrained() ? Promise.resolve() : new Promise((resolve) => onDrained.push(resolve))

  return { wire, gone: gone.signal, request, notify, drained, close: () => wire.close() }
}

/** With it the server may tell how far it is, which is also a sign of life. */
function withToken(params: Params, id: RequestId, { onProgress }: ChannelOptions): Params {
  if (onProgress === undefined) return params
  return { ...params, _meta: { ...(params['_meta'] as object | undefined), progressToken: id } }
}

/** A connection that was never made, or a refusal, is the only certain sign that nothing happened. */
function mayHaveArrived(failure: WireFailure): boolean {
  if (failure.kind === 'spawn') return false
  if (failure.kind === 'http') return failure.status >= 500
  return !(failure.kind === 'network' && NEVER_SENT.has(failure.code))
}

const NEVER_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

function toRpcError(error: unknown): RpcError {
  if (isObject(error) && typeof error['code'] === 'number') {
    return { ...error, code: error['code'], message: String(error['message'] ?? '') }
  }
  return { code: -32603, message: 'the server answered with an error that is none', data: error }
}
