/**
 * session: a live conversation with one server. Nothing above `connect` knows what speaks underneath.
 */
import type { Signal } from '../base/abort.ts'
import type { Params, RequestId, Result, RpcError } from './message.ts'
import { describeNetwork } from './network.ts'
import type { WireFailure, WireKind } from './wire.ts'

/** `legacy`: the revisions that begin with `initialize`. `modern`: 2026-07-28, where every request stands for itself. */
export type Era = 'legacy' | 'modern'

export const MODERN_VERSION = '2026-07-28'

/** Newest first: the first is what we ask for. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

export interface Session {
  readonly hello: Hello
  readonly wire: WireKind
  /** Its process was ended because nobody used it, and starts again with the next request. */
  readonly isAsleep?: boolean
  /** The result as the server sent it. Rejects with a SessionError. */
  request(method: string, params?: Params, options?: RequestOptions): Promise<Result>
  /** `client`: whom it is about, where each client may have a session of its own: through that one. */
  notify(method: string, params?: Params, client?: RequestClient): void
  readonly subscriptions: ResourceSubscriptions
  /** Where each client may have a session of its own: through that one. */
  subscriptionsOf?(client: object): ResourceSubscriptions
  /**
   * At a server of both eras: the session of legacy clients, opened when it is first asked for. Undefined: the server has
   * none, and they share this one. Never rejects.
   */
  legacy?(): Promise<Session | undefined>
  /** Resolves when no request is waiting for its answer. */
  drained(): Promise<void>
  /** Never rejects. */
  close(): Promise<void>
}

/** What the server said of itself. */
export interface Hello {
  readonly era: Era
  readonly version: string
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly serverInfo?: Readonly<Record<string, unknown>>
  readonly instructions?: string
}

export interface RequestOptions {
  readonly signal?: Signal | undefined
  /** Without a word from the server, progress included. 0: no limit. */
  readonly timeoutMs?: number | undefined
  /** In all, whatever the server says meanwhile; but not while a person is asked on its behalf. 0: no limit. */
  readonly maxDurationMs?: number | undefined
  /** How much of `maxDurationMs` is over already, where this is a part of something longer. */
  readonly spentMs?: number | undefined
  readonly onProgress?: ((progress: Params) => void) | undefined
  /** `Mcp-Param-*` and the like, over HTTP. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * What becomes of a result in which a modern server asks for more before it goes on. `returned`: the caller gets it as it
   * is, and has somebody to ask. Default: the handlers of the session are asked, and the request is sent again.
   */
  readonly unfinished?: 'returned' | undefined
  /**
   * Who answers what the server asks about this very request, in place of those of the session, where that can be told: on
   * a stream of its own (HTTP).
   */
  readonly handlers?: ClientHandlers | undefined
  /**
   * Who makes it, where that can be told: some servers have a process or a session for each. The same value for all
   * requests of one client.
   */
  readonly client?: RequestClient | undefined
  /** What the server logs about this very request, where that can be told: on a stream of its own (HTTP). */
  readonly onLog?: ((params: Params) => void) | undefined
}

export type RequestClient = object & {
  /** Which era it speaks: a server of both has a session of each. Undefined: that of the server. */
  readonly era?: Era | undefined
  /** It asks once and is gone; nothing is begun for it alone, unless the entry of the server wants that. */
  readonly isPassing?: true
  /** On whose behalf, where that is somebody else than those for whom servers run: all clients of one have a share. */
  readonly guest?: string | undefined
  /** The person of an issuer, where one says who comes in: a stdio server runs once for each, unless its entry says otherwise. */
  readonly person?: string | undefined
  /** Who answers and hears what its own session asks and logs while none of its requests is under way. Default: nobody. */
  readonly atRest?: Pick<RequestOptions, 'handlers' | 'onLog'> | undefined
}

export function speaksLegacy(client: object | undefined): boolean {
  return (client as RequestClient | undefined)?.era === 'legacy'
}

/** For whom something is that a server tells or asks, of those whose requests it may get. Undefined: for whoever has no name. */
export type Audience = (client: object | undefined) => boolean

/** What the server tells of: `notifications/resources/updated` comes for these, and for no other resource. */
export interface ResourceSubscriptions {
  /** Resolves when the server has agreed. Rejects with a SessionError. */
  add(uri: string, subscriber: Subscriber, timeoutMs: number): Promise<void>
  /** Whether the server hears it is its own affair. */
  remove(uri: string): void
}

/** What becomes of a subscription while the session lives. */
export interface Subscriber {
  /** For a while nobody listened, so there may have been changes. */
  onGap(): void
  /** The server does not tell any more. */
  onLost(error: SessionError): void
}

/** What a host can do for a server. A missing one is not offered, and refused politely when asked for all the same. */
export interface ClientHandlers {
  /** Folders that servers may use. Where they change, the host says so with `board.rootsChanged()`. */
  readonly roots?: ((context: HandlerContext) => Promise<readonly Params[]>) | undefined
  /** A function answers forms and pages (`params.mode`); an object offers only what it has. */
  readonly elicit?: Answerer | ElicitAnswerers | undefined
  readonly sample?: Answerer | undefined
  /** From which level on the server's log messages are wanted: `debug` to `emergency`. */
  readonly logLevel?: string | undefined
}

export type Answerer = (params: Params, context: HandlerContext) => Promise<Result>

export interface ElicitAnswerers {
  /** Fields to fill in, `params.requestedSchema`. */
  readonly form?: Answerer | undefined
  /**
   * A page to open, `params.url`, which must be shown to the person before. `accept` means that they went there; where the
   * server asked for it in an error, the request is then sent once more, so wait for `completed` or for their word.
   */
  readonly url?: Answerer | undefined
}

export interface HandlerContext {
  /** Which server asks. */
  readonly server: string
  /** Aborted when the server takes the question back, or is gone. */
  readonly signal: AbortSignal
  /** For a page: settles when the server says that the person is done there. Not every server does. */
  readonly completed?: Promise<void> | undefined
  /** Of whom it may be asked. Undefined: of anybody. */
  readonly audience?: Audience | undefined
}

export interface SessionListener {
  /** Everything but progress, which goes to the request it belongs to. Without an audience it is for everybody. */
  onNotification(method: string, params: Params, audience?: Audience): void
  /** Answers that belong to no request, messages that are none: noise worth a line in the log. */
  onOddity?(text: string): void
  /** The session is gone; requests in flight have been rejected before. Exactly once. */
  onEnd(failure: WireFailure): void
}

export type SessionFailure =
  /** The server answered, with an error. */
  | { readonly kind: 'rpc'; readonly error: RpcError }
  /** Sent, and no word for so long; `duration`: not done after so long, whether or not there was a word. */
  | { readonly kind: 'timeout'; readonly afterMs: number; readonly limit?: 'duration' }
  | { readonly kind: 'aborted'; readonly wasSent: boolean }
  /** The connection went, or never was. */
  | { readonly kind: 'lost'; readonly wire: WireFailure; readonly wasSent: boolean }
  /** An answer that is none. */
  | { readonly kind: 'bad-answer'; readonly message: string }

export class SessionError extends Error {
  readonly failure: SessionFailure
  readonly requestId: RequestId | undefined

  constructor(failure: SessionFailure, requestId?: RequestId) {
    super(describeFailure(failure))
    this.name = 'SessionError'
    this.failure = failure
    this.requestId = requestId
  }
}

function describeFailure(failure: SessionFailure): string {
  switch (failure.kind) {
    case 'rpc':
      return `the server answered with error ${failure.error.code}: ${failure.error.message}`
    case 'timeout':
      return `no answer within ${failure.afterMs} ms`
    case 'aborted':
      return 'the request was aborted'
    case 'lost':
      return describeWireFailure(failure.wire)
    case 'bad-answer':
      return failure.message
  }
}

export function describeTimeout({ afterMs, limit }: Extract<SessionFailure, { kind: 'timeout' }>): string {
  return limit === 'duration' ? `not done after ${afterMs} ms` : `no word for ${afterMs} ms`
}

export function describeWireFailure(failure: WireFailure): string {
  switch (failure.kind) {
    case 'spawn':
      return SPAWN_WORDS[failure.code] ?? failure.message
    case 'exit':
      return failure.exitCode === undefined
        ? `the process was ended by ${failure.signal ?? 'a signal'}`
        : `the process exited with code ${failure.exitCode}`
    case 'http':
      return describeStatus(failure)
    case 'network':
      return describeNetwork(failure)
    case 'page':
      return 'it answered with a web page'
    case 'protocol':
      return failure.message
    case 'not-read':
      return `the server does not read what is sent to it: ${failure.bytes >> 20} MB wait already`
    case 'closed':
      return 'the connection was closed'
  }
}

function describeStatus({ status, retryAfterMs }: Extract<WireFailure, { kind: 'http' }>): string {
  const words = status === 429 ? 'HTTP 429 (too many requests)' : `HTTP ${status}`
  return retryAfterMs === undefined ? words : `${words}; it asks to wait ${Math.ceil(retryAfterMs / 1000)} s`
}

const SPAWN_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'its command was not found',
  EACCES: 'its command may not be run (permission denied)',
}
