/**
 * http: HTTP exchanges over undici's connections, which are kept and reused for each origin, and go through a proxy
 * where the environment names one.
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

/** The server may have closed a connection that was idle for this long, and a busy host has not read that yet. */
const LOOK_MS = 1000

export function createNodeHttp(env: Env, agentCache: AgentCache): Http {
  /** By origin: the environment is evaluated once for each. */
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

/** By origin: when an exchange last completed. The next one may get the same connection. */
type Peers = Map<string, number>

class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest
  readonly #listener: HttpListener
  readonly #route: Route
  readonly #peers: Peers
  /** The origin at the other end of the connection: the server, or a proxy that reads the request. */
  #peer = ''
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #isAborted = false
  #use: BodyUse = 'nothing'
  /** The pieces of a body that the caller wants whole. */
  #pieces: Buffer[] = []
  #length = 0
  /** Removes a byte order mark. Some servers send one, but neither JSON nor an event may begin with it. */
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
    // Later, so that the caller has the function that ends the exchange before the exchange can fail.
    if (this.#route.kind === 'unusable') return queueMicrotask(() => this.#refuseProxy(PROXY_UNUSABLE))
    const request = this.#forward() ?? this.#request
    this.#peer = request.origin
    const usedAt = this.#peers.get(this.#peer)
    if (usedAt === undefined || performance.now() - usedAt < LOOK_MS) return this.#dispatch(request, agents)
    // Let the event loop first read what the other side has sent or closed meanwhile.
    setImmediate(() => setImmediate(() => this.#isOver || this.#dispatch(request, agents)))
  }

  #dispatch({ method, origin, path, headers, body, isUrgent }: HttpRequest, agents: Agents): void {
    const options = { method, origin, path, headers: headers as string[], body: body ?? null }
    ;(isUrgent ? agents.urgent : agents.patient).dispatch(options, this)
  }

  /** The request in the form for a proxy that reads it. Undefined where there is no such proxy. */
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
    // 1xx: the final response is still to come.
    if (this.#isOver || status < 200) return
    // Only a proxy answers with this status. Behind a tunnel it comes from the server, whatever the server means by it.
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
    // The listener may have ended the exchange.
    if (this.#isOver) return
    this.#isOver = true
    this.#listener.onEnd()
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (!this.#isOver)
      return this.#fail({ ...toHttpError(error, this.#peers.has(this.#peer)), ...this.#blame(error) })
    // An error that a listener throws arrives here, too. A bug of ours must not be hidden.
    if (!this.#isAborted) queueMicrotask(() => raise(error))
  }

  #tell(text: string): void {
    if (text !== '') this.#listener.onText(text)
  }

  /**
   * Behind a tunnel, the server is at the other end. Otherwise the connection leads to the proxy that reads the
   * request.
   */
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

  /** Closes the connection. An exchange without one yet is ended when it gets one. */
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
  // One error holds those of all addresses of the host: the first says enough.
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : []
  const { code = NO_CODE[error.name] ?? 'UNKNOWN' } = error as NodeJS.ErrnoException
  return { code, message: error.message || (first?.message ?? 'unknown'), mayBeStale }
}

/** undici gives the errors of its parser a code of Node's parser (`HPE_…`) in some of its versions only. */
const NO_CODE: Readonly<Record<string, string>> = { HTTPParserError: 'HPE_INVALID' }
