/**
 * exchange: one request to a remote server, until it has an answer worth reading.
 *
 * in     what to ask, and who reads the answer
 * out    the head and body of a 2xx answer, or one failure
 * never  sends anything to another origin than the one it was made for; repeats what might be done twice by it
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
  /** Repeated once when it was sent into a connection that the other side had given up already. */
  readonly mayRepeat: boolean
  /** Absent: what is in the headers is all there is. */
  readonly authorization?: Authorization | undefined
}

/** `onEnd` or `onFailure` is the last to be called, exactly one of them, once. */
export interface AnswerListener {
  /** Something is there, whatever it will say. */
  onSign(): void
  onHead(head: HttpHead): BodyUse
  onText(text: string): void
  onEnd(): void
  /** With the whole of what the server said, where it said something. */
  onFailure(failure: WireFailure, body: string): void
}

const MAX_REDIRECTS = 5

/** As much of a refusal as is worth keeping. */
const MAX_EXPLANATION = 2048

/** What a connection dies of that had been idle for too long. */
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
  /** What was shown of the authorization; undefined without one. */
  #shown: readonly string[] | undefined
  #hasRenewed = false
  /** A status that is none of success, with what follows it. */
  #refusal: HttpHead | undefined
  #explanation = ''

  constructor(http: Http, request: ExchangeRequest, listener: AnswerListener) {
    this.#http = http
    this.#request = request
    this.#listener = listener
    this.#start()
  }

  /** Where it has led. */
  get path(): string {
    return this.#request.path
  }

  /** The listener hears nothing more. */
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
    // The status says more than how its explanation broke off.
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

  /** A request that was turned down did nothing, so it can be sent again; once, or a server that never agrees would never rest. */
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

/** Seconds, or a date, which is compared with the server's own clock, where it says what that shows. */
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
    return undefined // told as a redirect that leads nowhere
  }
}

function notFollowed(status: number, target: URL | undefined): WireFailure {
  if (target === undefined)
    return { kind: 'protocol', message: `it redirects (HTTP ${status}) without saying where to` }
  // Without the query: it may hold what was meant for that address alone.
  const place = `${target.origin}${target.pathname}`.slice(0, 200)
  return {
    kind: 'protocol',
    message: `it redirects to \`${place}\`, which is not followed; if that is the right server, use this address`,
  }
}
