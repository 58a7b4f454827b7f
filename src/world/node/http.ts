/**
 * http: exchanges over connections of our own, or undici's where they are encrypted.
 *
 * out    connections are kept and used again, per origin; through a proxy where the environment names one
 * never  loads undici before the first request that is encrypted, or what proxies need before the first one; keeps a body
 *        beyond the limit
 */
import type { StringDecoder } from 'node:string_decoder'
import { Gathered } from '../../base/gathered.ts'
import { giveBack, withhold } from '../../base/room.ts'
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
import { agentsFor, isTunnelled } from './agents-for.ts'
import { createDecoder } from './decoder.ts'
import type { Agents, Controller, Handler } from './sender.ts'
import { toText } from './to-text.ts'

export function createNodeHttp(env: Env): Http {
  /** By origin: what the environment says is looked at once. */
  const routes = new Map<string, Route>()
  return {
    request(request, listener) {
      const { origin } = request
      let route = routes.get(origin)
      if (route === undefined) routes.set(origin, (route = findRoute(origin, env)))
      const exchange = new Exchange(request, listener, route)
      const agents = agentsFor(route, request)
      if (agents instanceof Promise) void agents.then((loaded) => exchange.start(loaded))
      else exchange.start(agents)
      return () => exchange.abort()
    },
  }
}

/** With whom an exchange has been completed: the next one may get the same connection. */
const known = new Set<string>()

class Exchange implements Handler {
  readonly #request: HttpRequest
  readonly #listener: HttpListener
  readonly #route: Route
  /** Whose connection it gets: the server's, or that of a proxy which reads what is asked. */
  #peer = ''
  #controller: Controller | undefined
  #isOver = false
  #isAborted = false
  /** What was asked with success is not sent again. */
  #isSuccess = false
  #use: BodyUse = 'nothing'
  /** Where all of it is wanted, and it comes in pieces, or nobody said how long it is. */
  #body: Gathered | undefined
  /** Where all of it came at once, as short answers do: to keep a copy of the bytes would take longer than to read them. */
  #text = ''
  /** As many bytes as the server says. */
  #expected = 0
  #decoder: StringDecoder | undefined
  #hasText = false

  constructor(request: HttpRequest, listener: HttpListener, route: Route) {
    this.#request = request
    this.#listener = listener
    this.#route = route
  }

  start(agents: Agents): void {
    if (this.#isOver) return
    // Later, so that whoever asks holds what ends it before it can fail.
    if (this.#route.kind === 'unusable') return queueMicrotask(() => this.#refuseProxy(PROXY_UNUSABLE))
    const { method, origin, path, headers, body, isUrgent } = this.#forward() ?? this.#request
    this.#peer = origin
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

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#isAborted) controller.abort(ABORTED)
  }

  onResponseStart(
    _: Controller,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // 1xx: the answer is still to come.
    if (this.#isOver || status < 200) return
    // The one status that only a proxy answers with; behind a tunnel it is the server that says it, whatever it means by it.
    const isProxied = this.#route.kind === 'proxy' && !isTunnelled(this.#request.origin)
    if (status === 407 && isProxied) return this.#refuseProxy(PROXY_REFUSED)
    const via = this.#route.kind === 'proxy' ? { via: this.#route.proxy.via } : {}
    this.#isSuccess = status < 300
    this.#use = this.#listener.onHead({ status, headers, ...via })
    if (this.#isOver || this.#use !== 'whole') return
    this.#expected = Number(headers['content-length']) || 0
    if (this.#expected > MAX_BODY_BYTES) this.#refuse()
  }

  onResponseData(_: Controller, chunk: Buffer): void {
    if (this.#isOver || this.#use === 'nothing') return
    if (this.#use === 'pieces') this.#tell((this.#decoder ??= createDecoder()).write(chunk))
    else if (chunk.length === this.#expected) this.#text = toText(chunk)
    else if ((this.#body ??= new Gathered()).length + chunk.length > MAX_BODY_BYTES) this.#refuse()
    else this.#body.add(chunk, this.#expected)
  }

  onResponseEnd({ hasWritten }: Controller): void {
    if (this.#isOver) return
    known.add(this.#peer)
    this.#returnBody(hasWritten)
    this.#tell(this.#body?.take(toText) ?? this.#text)
    // The listener may have had enough.
    if (this.#isOver) return
    this.#isOver = true
    this.#listener.onEnd()
  }

  /**
   * A server may answer before it has read everything, and what is refused may be sent again, over another connection: then
   * the first one still writes from this memory when the second one is done with it.
   */
  #returnBody(hasWritten: boolean | undefined): void {
    const { body } = this.#request
    if (typeof body !== 'object') return
    if (hasWritten !== true) withhold(body)
    else if (this.#isSuccess) giveBack(body)
  }

  onResponseError(_: Controller | undefined, error: Error): void {
    if (!this.#isOver)
      return this.#fail({ ...toHttpError(error, known.has(this.#peer)), ...this.#blame(error) })
    // What a listener throws comes here, too; a mistake of ours must not vanish.
    if (!this.#isAborted) queueMicrotask(() => raise(error))
  }

  /** Some servers begin with a byte order mark, which neither JSON nor an event may begin with. */
  #tell(text: string): void {
    if (text === '') return
    const isMarked = !this.#hasText && text.codePointAt(0) === 0xfeff
    this.#hasText = true
    this.#listener.onText(isMarked ? text.slice(1) : text)
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
  const { code } = error as NodeJS.ErrnoException
  return { code: code ?? 'UNKNOWN', message: error.message || (first?.message ?? 'unknown'), mayBeStale }
}
