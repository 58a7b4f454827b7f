/**
 * http: Streamable HTTP, where each message is a POST of its own.
 *
 * in     where the server is; what is sent along with everything
 * out    messages from the answers, and from the stream that a server of the older revisions may offer beside them
 * never  ends by itself: a message that fails is that message's failure; sends anything to another origin
 */
import { Numbered } from '../../../base/numbered.ts'
import { lendRoom } from '../../../base/room.ts'
import type { LaunchTransport } from '../../../model/launch.ts'
import type { Message, RpcNotification } from '../../../model/message.ts'
import type { SendOptions, Sent, Wire, WireFailure, WireListener } from '../../../model/wire.ts'
import type { Clock, Http, HttpHead, World } from '../../../world/world.ts'
import { parseAddress, toHeaderList, type Address } from './address.ts'
import { deliver } from './deliver.ts'
import { Exchange, toText, type ExchangeRequest } from './exchange.ts'
import { ownHeaders, revisionOf, withExtra, withoutOwn } from './http-headers.ts'
import { Listening } from './listening.ts'
import { Post, type PostLine } from './post.ts'
import { toJson } from './to-json.ts'

export type HttpLaunch = Extract<LaunchTransport, { kind: 'http' | 'sse' }>

export function openHttp(
  launch: HttpLaunch,
  world: Pick<World, 'http' | 'clock'>,
  listener: WireListener,
): Wire {
  return new HttpWire(launch, world, listener)
}

/** How long the server may take to hear that its session is over. */
const LEAVE_MS = 1000

/** How long messages wait for the server's own stream. */
const OPEN_MS = 100

/** Streams that have given their answer and are still open; the oldest is ended when there are more. */
const MAX_LINGERING = 64

const JSON_BODY = [
  ['accept', 'application/json, text/event-stream'],
  ['content-type', 'application/json'],
] as const

class HttpWire implements Wire, PostLine {
  readonly kind = 'http'
  readonly http: Http
  readonly clock: Clock
  readonly listener: WireListener
  readonly #launch: HttpLaunch
  #address: Address | WireFailure | undefined
  #session: string | undefined
  #version: string | undefined
  /** Of every message that does not name its revision itself; made anew when session or version change. */
  #legacyHeaders: readonly string[] | undefined
  #modernHeaders: readonly string[] | undefined
  readonly #posts = new Numbered<Post>()
  /** Those among them that linger, oldest first; made when the first does. */
  #lingering: Set<Post> | undefined
  /** What the server has to say of its own accord. */
  #stream: Listening | undefined
  #hasSign = false
  /**
   * Waiting until the server has taken `notifications/initialized` and opened its own stream: over other connections
   * they might overtake both, and what the server asks in return would have no way to come.
   */
  #held: (() => void)[] | undefined
  #isClosed = false
  #closing: Promise<void> | undefined

  constructor(launch: HttpLaunch, { http, clock }: Pick<World, 'http' | 'clock'>, listener: WireListener) {
    this.#launch = launch
    this.http = http
    this.clock = clock
    this.listener = listener
  }

  send(message: Message, options: SendOptions = {}): Sent | undefined {
    if (this.#held === undefined) return this.#post(message, options)
    const waiting = new Waiting(() => this.#post(message, options))
    this.#held.push(() => waiting.start())
    return waiting
  }

  setVersion(version: string): void {
    this.#version = version
    this.#legacyHeaders = undefined
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#isClosed = true
    // What waits behind a message that is aborted now must not go out after all.
    this.#held = undefined
    this.#stream?.abort()
    for (const post of this.#posts.all()) post.abort()
    await this.#leave()
    this.listener.onEnd({ kind: 'closed' })
  }

  onSign(): void {
    if (this.#hasSign) return
    this.#hasSign = true
    this.listener.onFirstSign?.()
  }

  onAccepted(message: Message, { headers }: HttpHead): void {
    if (!('method' in message)) return
    if (message.method === 'initialize') {
      this.#session = toText(headers['mcp-session-id'])
      this.#legacyHeaders = undefined
    } else if (isGreeting(message)) this.#listen()
  }

  #release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const post of held) post()
  }

  onLinger(post: Post): void {
    this.#lingering ??= new Set()
    this.#lingering.add(post)
    if (this.#lingering.size <= MAX_LINGERING) return
    for (const oldest of this.#lingering) return oldest.abort()
  }

  onOver(post: Post): void {
    this.#posts.take(post.number)
    this.#lingering?.delete(post)
    // Refused: there will be no stream to wait for.
    if (isGreeting(post.message) && this.#stream === undefined) this.#release()
  }

  toGet(lastEventId: string | undefined): ExchangeRequest {
    const place = lastEventId === undefined ? [] : [['last-event-id', lastEventId] as const]
    const headers = [['accept', 'text/event-stream'] as const, ...place]
    return this.#toRequest('GET', headers)
  }

  #post(message: Message, options: SendOptions): Sent | undefined {
    const failure = this.#findFailure()
    if (failure !== undefined) {
      queueMicrotask(() => options.onFailure?.(failure))
      return undefined
    }
    if ('method' in message && message.method === 'initialize') this.#forget()
    const { origin, path } = this.#address as Address
    const request: ExchangeRequest = {
      method: 'POST',
      origin,
      path,
      headers: this.#headersOf(message, options),
      // What is encrypted is not given back.
      body: toJson(message, '', origin.startsWith('https:') ? undefined : lendRoom),
      isUrgent: !('method' in message && 'id' in message),
      mayRepeat: mayRepeat(message),
      authorization: this.#launch.authorization,
    }
    const post = new Post(this, { message, options, request, hasSession: this.#session !== undefined })
    post.number = this.#posts.add(post)
    if (isGreeting(message)) this.#held = []
    post.start()
    return post
  }

  /** Why nothing can be sent at all. */
  #findFailure(): WireFailure | undefined {
    if (this.#isClosed) return { kind: 'closed' }
    this.#address ??= parseAddress(this.#launch)
    return 'kind' in this.#address ? this.#address : undefined
  }

  /** A handshake begins a new session; what belongs to the one before is over. */
  #forget(): void {
    this.#stream?.abort()
    this.#stream = undefined
    this.#session = undefined
    this.#version = undefined
    this.#legacyHeaders = undefined
  }

  #listen(): void {
    this.#stream?.abort()
    const release = (): void => this.#release()
    // Some servers say nothing at all before they have something to say.
    const cancel = this.clock.after(OPEN_MS, release)
    const settle = (): void => {
      cancel()
      release()
    }
    let hasBeenOpen = false
    this.#stream = new Listening(this, {
      onOpen() {
        hasBeenOpen = true
        settle()
      },
      onData: (text) => void deliver(text, this.listener),
      onBroken: (failure) => this.listener.onDoubt?.(failure, 'broken'),
      onGiveUp: (failure) => {
        settle()
        // A server without such a stream refuses it, and all is well.
        if (hasBeenOpen || failure.kind === 'network') this.listener.onDoubt?.(failure, 'given-up')
      },
    })
    this.#stream.open()
  }

  #headersOf(message: Message, options: SendOptions): readonly string[] {
    const { headers } = this.#address as Address
    const revision = 'method' in message ? revisionOf(message.params) : undefined
    if (revision === undefined) {
      this.#legacyHeaders ??= toHeaderList(headers, JSON_BODY, this.#sessionHeaders())
      return withExtra(this.#legacyHeaders, options.headers)
    }
    this.#modernHeaders ??= toHeaderList(withoutOwn(headers), JSON_BODY)
    const own = ownHeaders(message as RpcNotification, revision)
    return withExtra([...this.#modernHeaders, ...own], options.headers)
  }

  #sessionHeaders(): readonly (readonly [string, string])[] {
    return [
      ...(this.#session === undefined ? [] : [['mcp-session-id', this.#session] as const]),
      ...(this.#version === undefined ? [] : [['mcp-protocol-version', this.#version] as const]),
    ]
  }

  /** A request without a body, for what belongs to the session and to no message. */
  #toRequest(method: 'GET' | 'DELETE', extra: Iterable<readonly [string, string]>): ExchangeRequest {
    const { origin, path, headers } = this.#address as Address
    const list = toHeaderList(headers, this.#sessionHeaders(), extra)
    const { authorization } = this.#launch
    return { method, origin, path, headers: list, isUrgent: true, mayRepeat: method === 'GET', authorization }
  }

  /** A server that keeps sessions wants to know when one is over; whether it listens is its own affair. */
  #leave(): Promise<void> {
    if (this.#session === undefined) return Promise.resolve()
    const request = this.#toRequest('DELETE', [])
    return new Promise((resolve) => {
      let exchange: Exchange | undefined
      const finish = (): void => {
        cancel()
        exchange?.abort()
        resolve()
      }
      const cancel = this.clock.after(LEAVE_MS, finish)
      exchange = new Exchange(this.http, request, {
        onSign: () => undefined,
        onHead: () => 'nothing',
        onText: () => undefined,
        onEnd: finish,
        onFailure: finish,
      })
    })
  }
}

/** A message that cannot go yet. */
class Waiting implements Sent {
  readonly #post: () => Sent | undefined
  #sent: Sent | undefined
  #isAborted = false

  constructor(post: () => Sent | undefined) {
    this.#post = post
  }

  start(): void {
    if (!this.#isAborted) this.#sent = this.#post()
  }

  abort(): void {
    this.#isAborted = true
    this.#sent?.abort()
  }
}

function isGreeting(message: Message): boolean {
  return 'method' in message && message.method === 'notifications/initialized'
}

/** What changes nothing at the server, and so may be asked twice. */
const SAFE: ReadonlySet<string> = new Set([
  'initialize',
  'server/discover',
  'ping',
  'resources/read',
  'prompts/get',
  'completion/complete',
])

function mayRepeat(message: Message): boolean {
  if (!('method' in message)) return false
  return !('id' in message) || SAFE.has(message.method) || message.method.endsWith('/list')
}
