/**
 * sse: the HTTP+SSE transport of 2024-11-05, one stream for everything the server says and a POST for each message.
 *
 * in     where the stream is; the stream says where messages go
 * out    messages; the end of the stream is the end of the wire
 * never  posts to another origin than the stream's
 */
import type { Message } from '../../../model/message.ts'
import type { Authorization } from '../../../model/sign-in.ts'
import type { SendOptions, Wire, WireFailure, WireListener } from '../../../model/wire.ts'
import type { BodyUse, Http, HttpHead, World } from '../../../world/world.ts'
import { titleOf } from '../page.ts'
import { parseAddress, toHeaderList, type Address } from './address.ts'
import { deliver } from './deliver.ts'
import { createEventStream, type EventStream } from './event-stream.ts'
import { Exchange, type AnswerListener } from './exchange.ts'
import type { HttpLaunch } from './http.ts'
import { mediaType } from './media-type.ts'
import { toJson } from './to-json.ts'

export function openSse(launch: HttpLaunch, world: Pick<World, 'http'>, listener: WireListener): Wire {
  return new SseWire(launch, world.http, listener)
}

class SseWire implements Wire, AnswerListener {
  readonly kind = 'sse'
  readonly #http: Http
  readonly #listener: WireListener
  readonly #authorization: Authorization | undefined
  #address: Address | undefined
  #stream: Exchange | undefined
  #events: EventStream | undefined
  /** Where messages go, once the server has said so. */
  #path: string | undefined
  #unsent: (readonly [Message, SendOptions])[] = []
  readonly #posts = new Set<Exchange>()
  /** A web page instead of a stream, by what it calls itself. */
  #page: string | undefined
  #hasSign = false
  #isOver = false

  constructor(launch: HttpLaunch, http: Http, listener: WireListener) {
    this.#http = http
    this.#authorization = launch.authorization
    this.#listener = listener
    // Later, so that whoever opens it holds it before it can end.
    queueMicrotask(() => this.#open(launch))
  }

  send(message: Message, options: SendOptions = {}): void {
    if (this.#isOver) return queueMicrotask(() => options.onFailure?.({ kind: 'closed' }))
    if (this.#path === undefined) this.#unsent.push([message, options])
    else this.#post(message, options)
  }

  async close(): Promise<void> {
    this.#end({ kind: 'closed' })
  }

  #open(launch: HttpLaunch): void {
    if (this.#isOver) return
    const address = parseAddress(launch)
    if ('kind' in address) return this.#end(address)
    this.#address = address
    const { origin, path } = address
    const headers = toHeaderList(address.headers, [['accept', 'text/event-stream']])
    const about = { isUrgent: true, mayRepeat: true, authorization: this.#authorization }
    const request = { method: 'GET', origin, path, headers, ...about } as const
    this.#stream = new Exchange(this.#http, request, this)
  }

  onSign(): void {
    if (this.#hasSign) return
    this.#hasSign = true
    this.#listener.onFirstSign?.()
  }

  onHead({ headers }: HttpHead): BodyUse {
    const type = mediaType(headers)
    if (type === 'text/html') {
      this.#page = ''
      return 'whole'
    }
    if (type !== 'text/event-stream') {
      this.#end({ kind: 'protocol', message: 'it did not answer with a stream of events' })
      return 'nothing'
    }
    this.#events = createEventStream({
      onEvent: ({ event, data }) => {
        if (this.#isOver) return
        if (event === 'endpoint') this.#setEndpoint(data)
        else if (event === undefined || event === 'message') deliver(data, this.#listener)
      },
      onRetry: () => undefined,
      onTooLarge: (message) => this.#end({ kind: 'protocol', message }),
    })
    return 'pieces'
  }

  onText(text: string): void {
    if (this.#page === undefined) this.#events?.push(text)
    else this.#page = titleOf(text) ?? ''
  }

  onEnd(): void {
    this.#end(this.#page === undefined ? { kind: 'closed' } : { kind: 'page', title: this.#page })
  }

  onFailure(failure: WireFailure): void {
    this.#end(failure)
  }

  #setEndpoint(place: string): void {
    const { origin } = this.#address!
    const target = tryUrl(place, origin + this.#stream!.path)
    if (target?.origin !== origin) {
      const message = 'it wants messages sent to another origin than its own, which is not done'
      return this.#end({ kind: 'protocol', message })
    }
    this.#path = target.pathname + target.search
    const unsent = this.#unsent
    this.#unsent = []
    for (const [message, options] of unsent) this.#post(message, options)
  }

  #post(message: Message, options: SendOptions): void {
    const { origin, headers } = this.#address!
    const request = {
      method: 'POST',
      origin,
      path: this.#path!,
      headers: toHeaderList(headers, [['content-type', 'application/json']]),
      body: toJson(message),
      isUrgent: false,
      mayRepeat: false,
      authorization: this.#authorization,
    } as const
    const over = (): void => void this.#posts.delete(exchange!)
    let exchange: Exchange | undefined
    exchange = new Exchange(this.#http, request, {
      onSign: () => undefined,
      onHead: () => 'nothing',
      onText: () => undefined,
      onEnd: over,
      onFailure(failure) {
        over()
        options.onFailure?.(failure)
      },
    })
    this.#posts.add(exchange)
  }

  #end(failure: WireFailure): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stream?.abort()
    for (const post of this.#posts) post.abort()
    this.#listener.onEnd(failure)
  }
}

function tryUrl(place: string, base: string): URL | undefined {
  try {
    return new URL(place, base)
  } catch {
    return undefined // told like one that leads elsewhere
  }
}
