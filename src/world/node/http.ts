/**
 * http: exchanges over undici's connections, which are kept and used again, per origin; through a proxy where the
 * environment names one.
 *
 * never  loads undici before the first request; keeps a body beyond the limit
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { findRoute, type Route } from '../proxy.ts'
import {
  MAX_BODY_BYTES,
  PROXY_REFUSED,
  PROXY_UNUSABLE,
  TOO_LARGE,
  type BodyUse,
  type Env,
  type Http,
  type HttpError,
  type HttpListener,
  type HttpRequest,
} from '../world.ts'
import { isTunnelled, type AgentCache } from './agent-cache.ts'
import type { Agents } from './agents.ts'

/** From here on an idle connection may have been closed without us having read that: while a host is busy, it reads nothing. */
const LOOK_MS = 1000

export function createNodeHttp(env: Env, agentCache: AgentCache): Http {
  /** By origin: what the environment says is looked at once. */
  const routes = new Map<string, Route>()
  const peers: Peers = new Map()
  return {
    request(request, listener) {
      const { origin } = request
      let route = routes.get(origin)
      if (route === undefined) routes.set(origin, (route = findRoute(origin, env)))
      const exchange = new Exchange(request, listener, { route, peers })
      const agents = agentCache.find(route, request)
      if (agents instanceof Promise) void agents.then((loaded) => exchange.start(loaded))
      else exchange.start(agents)
      return () => exchange.abort()
    },
  }
}

/** By origin: when an exchange was completed last. The next one may get the same connection. */
type Peers = Map<string, number>

class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest
  readonly #listener: HttpListener
  readonly #route: Route
  readonly #peers: Peers
  /** The origin that it has a connection to: the server's, or that of a proxy which reads what is asked. */
  #peer = ''
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #isAborted = false
  #use: BodyUse = 'nothing'
  /** Of a body that is wanted whole. */
  #pieces: Buffer[] = []
  #length = 0
  /** Leaves out a byte order mark, with which some servers begin and neither JSON nor an event may. */
  readonly #decoder = new TextDecoder()

  constructor(
    request: HttpRequest,
    listener: HttpListener,
    { route, peers }: { readonly route: Route; readonly peers: Peers },
  ) {
    this.#request = request
    this.#listener = listener
    this.#route = route
    this.#peers = peers
  }

  start(agents: Agents): void {
    if (this.#isOver) return
    // Later, so that whoever asks holds what ends it before it can fail.
    if (this.#route.kind === 'unusable') return queueMicrotask(() => this.#refuseProxy(PROXY_UNUSABLE))
    const request = this.#forward() ?? this.#request
    this.#peer = request.origin
    const usedAt = this.#peers.get(this.#peer)
    if (usedAt === undefined || performance.now() - usedAt < LOOK_MS) return this.#dispatch(request, agents)
    // Let the event loop read first what the other side has sent or closed meanwhile.
    setImmediate(() => setImmediate(() => this.#isOver || this.#dispatch(request, agents)))
  }

  #dispatch({ method, origin, path, headers, body, isUrgent }: HttpRequest, agents: Agents): void {
    const options = { method, origin, path, headers: headers as string[], body: body ?? null }
    ;(isUrgent ? agents.urgent : agents.patient).dispatch(options, this)
  }

  /** The request as the proxy wants it, where that reads it; undefined where it does not, or there is none. */
  #forward(): HttpRequest | undefined {
    const { origin, path, headers } = this.#request
    if (this.#route.kind !== 'proxy' || isTunnelled(origin)) return undefined
    const { via, authorization } = this.#route.proxy
    const hasHost = headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
    return {
      ...this.#request,
      origin: via.proxy,
      path: origin + path,
      headers: [
        ...headers,
        ...(hasHost ? [] : ['host', new URL(origin).host]),
        ...(authorization === undefined ? [] : ['proxy-authorization', authorization]),
      ],
    }
  }

  abort(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cutOff()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isAborted) controller.abort(ABORTED)
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // 1xx: the answer is still to come.
    if (this.#isOver || status < 200) return
    // The one status that only a proxy answers with; behind a tunnel it is the server that says it, whatever it means by it.
    const isProxied = this.#route.kind === 'proxy' && !isTunnelled(this.#request.origin)
    if (status === 407 && isProxied) return this.#refuseProxy(PROXY_REFUSED)
    const via = this.#route.kind === 'proxy' ? { via: this.#route.proxy.via } : {}
    this.#use = this.#listener.onHead({ status, headers, ...via })
    if (this.#isOver || this.#use !== 'whole') return
    if (Number(headers['content-length']) > MAX_BODY_BYTES) this.#refuse()
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver || this.#use === 'nothing') return
    if (this.#use === 'pieces') return this.#tell(this.#decoder.decode(chunk, { stream: true }))
    this.#length += chunk.length
    if (this.#length > MAX_BODY_BYTES) this.#refuse()
    else this.#pieces.push(chunk)
  }

  onResponseEnd(): void {
    if (this.#isOver) return
    this.#peers.set(this.#peer, performance.now())
    this.#tell(this.#decoder.decode(Buffer.concat(this.#pieces)))
    // The listener may have had enough.
    if (this.#isOver) return
    this.#isOver = true
    this.#listener.onEnd()
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (!this.#isOver)
      return this.#fail({ ...toHttpError(error, this.#peers.has(this.#peer)), ...this.#blame(error) })
    // What a listener throws comes here, too; a mistake of ours must not vanish.
    if (!this.#isAborted) queueMicrotask(() => raise(error))
  }

  #tell(text: string): void {
    if (text !== '') this.#listener.onText(text)
  }

  /** Behind a tunnel there is the server; a proxy that reads what we ask is all that we have a connection to. */
  #blame(error: Error): Pick<HttpError, 'via'> {
    if (this.#route.kind !== 'proxy') return {}
    const isAtFault = !isTunnelled(this.#request.origin) || error.name === 'ProxyError'
    return { via: { ...this.#route.proxy.via, isAtFault } }
  }

  #refuseProxy(code: typeof PROXY_REFUSED | typeof PROXY_UNUSABLE): void {
    if (this.#isOver || this.#route.kind === 'direct') return
    const [via, message] =
      this.#route.kind === 'proxy'
        ? [this.#route.proxy.via, 'HTTP 407']
        : [this.#route.via, this.#route.message]
    this.#fail({ code, message, mayBeStale: false, via: { ...via, isAtFault: true } })
    this.#cutOff()
  }

  #refuse(): void {
    this.#fail({
      code: TOO_LARGE,
      message: `the answer is larger than ${MAX_BODY_BYTES >> 20} MB`,
      mayBeStale: false,
    })
    this.#cutOff()
  }

  /** Closes the connection; one that has none yet is cut off when it gets it. */
  #cutOff(): void {
    this.#isAborted = true
    this.#controller?.abort(ABORTED)
  }

  #fail(error: HttpError): void {
    this.#isOver = true
    this.#listener.onFailed(error)
  }
}

const ABORTED = new Error('aborted')

function raise(error: Error): never {
  throw error
}

function toHttpError(error: Error, mayBeStale: boolean): HttpError {
  // One error for several addresses of a host that were tried: the first says enough.
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : []
  const { code = NO_CODE[error.name] ?? 'UNKNOWN' } = error as NodeJS.ErrnoException
  return { code, message: error.message || (first?.message ?? 'unknown'), mayBeStale }
}

/** undici gives the errors of its parser a code of Node's parser (`HPE_…`) in some of its versions only. */
const NO_CODE: Readonly<Record<string, string>> = { HTTPParserError: 'HPE_INVALID' }
