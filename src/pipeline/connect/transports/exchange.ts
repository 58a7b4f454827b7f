/**
 * exchange: sends one request to a remote server until it has an answer that can be used.
 *
 * in     the request, and a listener for the answer
 * out    the head and body of a 2xx answer, or one failure
 * never  sends anything to another origin than the request's own; repeats a request that the server might then perform
 *        twice
 */
import { parseChallenge } from '../../../model/challenge.ts'
import type { Authorization } from '../../../model/sign-in.ts'
import type { WireFailure } from '../../../model/wire.ts'
import {
  TOO_LARGE,
  type BodyUse,
  type Http,
  type HttpError,
  type HttpHead,
  type HttpListener,
  type HttpRequest,
} from '../../../world/world.ts'

export interface ExchangeRequest extends HttpRequest {
  /** The exchange repeats the request once if the server had already closed the connection that carried it. */
  readonly mayRepeat: boolean
  /** Absent: the headers are complete. */
  readonly authorization?: Authorization | undefined
}

/** Each exchange calls exactly one of `onEnd` and `onFailure`, once, as its last call. */
export interface AnswerListener {
  /** The server answers, whatever the answer says. */
  onSign(): void
  onHead(head: HttpHead): BodyUse
  onText(text: string): void
  onEnd(): void
  /** With the whole body of the server's answer, if it had one. */
  onFailure(failure: WireFailure, body: string): void
}

const MAX_REDIRECTS = 5

/** How much of a refusal's text is kept. */
const MAX_EXPLANATION = 2048

/** Errors of a connection that was idle for too long. */
const STALE: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

export class Exchange implements HttpListener {
  readonly #http: Http
  readonly #listener: AnswerListener
  #request: ExchangeRequest
  #end: (() => void) | undefined
  #isAborted = false
  #hasHead = false
  #hasRepeated = false
  #redirects = 0
  /** The authorization headers that were sent; undefined without authorization. */
  #shown: readonly string[] | undefined
  #hasRenewed = false
  /** A status that means no success, with the body that follows it. */
  #refusal: HttpHead | undefined
  #explanation = ''

  constructor(http: Http, request: ExchangeRequest, listener: AnswerListener) {
    this.#http = http
    this.#request = request
    this.#listener = listener
    this.#start()
  }

  /** The path after all redirects. */
  get path(): string {
    return this.#request.path
  }

  /** The listener gets no further calls. */
  abort(): void {
    this.#isAborted = true
    this.#end?.()
  }

  #start(): void {
    const { authorization } = this.#request
    if (authorization === undefined) return this.#send(this.#request)
    const waiting = authorization.prepare()
    if (waiting === undefined) this.#sendAs(authorization)
    else void waiting.then(() => this.#isAborted || this.#sendAs(authorization))
  }

  #sendAs(authorization: Authorization): void {
    const { method, origin, path, headers } = this.#request
    this.#shown = authorization.headersFor({ method, url: origin + path })
    this.#send({ ...this.#request, headers: [...headers, ...this.#shown] })
  }

  #send(request: HttpRequest): void {
    this.#hasHead = false
    const end = this.#http.request(request, this)
    if (this.#isAborted) end()
    else this.#end = end
  }

  #startAnew(): void {
    this.#refusal = undefined
    this.#explanation = ''
    this.#start()
  }

  onHead(head: HttpHead): BodyUse {
    this.#hasHead = true
    this.#listener.onSign()
    if (head.status < 300) return this.#listener.onHead(head)
    this.#refusal = head
    return 'whole'
  }

  onText(text: string): void {
    if (this.#refusal === undefined) this.#listener.onText(text)
    else this.#explanation = text
  }

  onEnd(): void {
    if (this.#refusal === undefined) this.#listener.onEnd()
    else if (this.#refusal.status < 400) this.#redirect(this.#refusal)
    else this.#refuse(this.#refusal)
  }

  onFailed(error: HttpError): void {
    // The status says more than an error while its body was read.
    if (this.#refusal !== undefined) return this.#refuse(this.#refusal)
    const isStale = !this.#hasHead && error.mayBeStale && STALE.has(error.code)
    if (isStale && this.#request.mayRepeat && !this.#hasRepeated) {
      this.#hasRepeated = true
      return this.#start()
    }
    const { code, message, via } = error
    if (code === TOO_LARGE) return this.#listener.onFailure({ kind: 'protocol', message }, '')
    const host = new URL(this.#request.origin).host
    this.#listener.onFailure(
      { kind: 'network', code, message, host, ...(via === undefined ? {} : { via }) },
      '',
    )
  }

  #refuse(head: HttpHead): void {
    const { authorization } = this.#request
    const isAboutUs = head.status === 401 || head.status === 403
    if (authorization === undefined || !isAboutUs || this.#hasRenewed) this.#tellRefusal(head)
    else void this.#renew(authorization, head)
  }

  /**
   * A refused request did nothing, so it is safe to send it again; but only once, or a server that always refuses would
   * cause an endless loop.
   */
  async #renew(authorization: Authorization, head: HttpHead): Promise<void> {
    this.#hasRenewed = true
    const { status, headers } = head
    const challenge = parseChallenge(status as 401 | 403, {
      authenticate: toText(headers['www-authenticate']),
      dpopNonce: toText(headers['dpop-nonce']),
      date: toText(headers['date']),
    })
    const renewal = await authorization.renew(challenge, this.#shown ?? [])
    if (this.#isAborted) return
    if (renewal === 'renewed') this.#startAnew()
    else if (renewal === 'refused') this.#tellRefusal(head)
    else this.#listener.onFailure({ kind: 'network', ...renewal }, '')
  }

  #tellRefusal({ status, headers, via }: HttpHead): void {
    const challenge = status === 401 || status === 403 ? toText(headers['www-authenticate']) : undefined
    const retryAfterMs = parseRetryAfter(headers)
    const body = this.#explanation
    this.#listener.onFailure(
      {
        kind: 'http',
        status,
        body: body.slice(0, MAX_EXPLANATION),
        ...(challenge === undefined ? {} : { challenge }),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
        ...(via === undefined ? {} : { via }),
      },
      body,
    )
  }

  #redirect({ status, headers }: HttpHead): void {
    const target = findTarget(toText(headers['location']), this.#request)
    const keepsMethod = status === 307 || status === 308
    if (target === undefined || !keepsMethod || target.origin !== this.#request.origin)
      return this.#listener.onFailure(notFollowed(status, target), '')
    if (++this.#redirects > MAX_REDIRECTS)
      return this.#listener.onFailure({ kind: 'protocol', message: 'it redirects in circles' }, '')
    this.#request = { ...this.#request, path: target.pathname + target.search }
    this.#startAnew()
  }
}

/** Seconds, or a date. A date is compared with the server's own clock if the answer shows it. */
function parseRetryAfter(headers: HttpHead['headers']): number | undefined {
  const text = toText(headers['retry-after'])?.trim()
  if (text === undefined || text === '') return undefined
  const ms = /^\d+$/.test(text)
    ? Number(text) * 1000
    : Date.parse(text) - Date.parse(toText(headers['date']) ?? '')
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

export function toText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' || value === undefined ? value : value.join(', ')
}

function findTarget(location: string | undefined, { origin, path }: HttpRequest): URL | undefined {
  try {
    return location === undefined ? undefined : new URL(location, origin + path)
  } catch {
    return undefined // the caller reports that the redirect leads nowhere
  }
}

function notFollowed(status: number, target: URL | undefined): WireFailure {
  if (target === undefined)
    return { kind: 'protocol', message: `it redirects (HTTP ${status}) without saying where to` }
  // Without the query: it may hold a secret that is for that address alone.
  const place = `${target.origin}${target.pathname}`.slice(0, 200)
  return {
    kind: 'protocol',
    message: `it redirects to \`${place}\`, which is not followed; if that is the right server, use this address`,
  }
}
