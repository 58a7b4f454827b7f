/**
 * http: Streamable HTTP, where each message is its own POST.
 *
 * in     the address of the server, and the headers of every request
 * out    messages from the answers, and from the stream that a server of the older revisions may offer beside them
 * never  ends by itself: a message that fails is that message's failure; sends anything to another origin
 */
import { IdTable } from '../../../base/id-table.ts'
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

export type HttpLaunch = Extract<LaunchTransport, { kind: 'http' | 'sse' }>

export function openHttp(
  launch: HttpLaunch,
  world: Pick<World, 'http' | 'clock'>,
  listener: WireListener,
): Wire {
  return new HttpWire(launch, world, listener)
}

/** How long the server may take to accept the end of its session. */
const LEAVE_MS = 1000

/** How long messages wait until the server's own stream is open. */
const OPEN_MS = 100

/** The most streams that stay open after their answer. Above that, the oldest is ended. */
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
  /** The headers of every message that does not name its revision itself. A new session or version resets them. */
  #legacyHeaders: readonly string[] | undefined
  #modernHeaders: readonly string[] | undefined
  readonly #posts = new IdTable<Post>()
  /** The posts that linger, oldest first. Made when the first one lingers. */
  #lingering: Set<Post> | undefined
  /** The stream for messages that the server starts itself. */
  #stream: Listening | undefined
  #hasSign = false
  /**
   * Messages that wait until the server has accepted `notifications/initialized` and opened its own stream. On other
   * connections they might overtake both, and then the server would have no stream for its questions.
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
    // Messages that must wait are checked too: a value that is not JSON fails at once.
    const body = JSON.stringify(message)
    if (this.#held === undefined) return this.#post(message, body, options)
    const waiting = new Waiting(() => this.#post(message, body, options))
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
    // A message that its caller aborts now must not be sent later.
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
    // Refused: no stream will open.
    if (isGreeting(post.message) && this.#stream === undefined) this.#release()
  }

  toGet(lastEventId: string | undefined): ExchangeRequest {
    const place = lastEventId === undefined ? [] : [['last-event-id', lastEventId] as const]
    const headers = [['accept', 'text/event-stream'] as const, ...place]
    return this.#toRequest('GET', headers)
  }

  #post(message: Message, body: string, options: SendOptions): Sent | undefined {
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
      body,
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

  /** Why no message can be sent at all. */
  #findFailure(): WireFailure | undefined {
    if (this.#isClosed) return { kind: 'closed' }
    this.#address ??= parseAddress(this.#launch)
    return 'kind' in this.#address ? this.#address : undefined
  }

  /** A handshake begins a new session and ends the one before. */
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
    // Some servers send nothing, not even headers, before their first message.
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
        // A server without such a stream refuses it, which is no fault.
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

  /** A request without a body, which belongs to the session and not to a message. */
  #toRequest(method: 'GET' | 'DELETE', extra: Iterable<readonly [string, string]>): ExchangeRequest {
    const { origin, path, headers } = this.#address as Address
    const list = toHeaderList(headers, this.#sessionHeaders(), extra)
    const { authorization } = this.#launch
    return { method, origin, path, headers: list, isUrgent: true, mayRepeat: method === 'GET', authorization }
  }

  /** Tells a server with sessions that this one is over. Its answer does not matter. */
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

/** A message that must wait. */
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

/** Methods that change nothing at the server, so the client may send them twice. */
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
