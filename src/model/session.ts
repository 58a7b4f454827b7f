/** session: an open session with one server. No module above `connect` knows the transport below it. */
import type { Signal } from '../base/abort.ts'
import type { Params, RequestId, Result, RpcError } from './message.ts'
import { describeNetwork } from './network.ts'
import type { Problem } from './problem.ts'
import type { WireFailure, WireKind } from './wire.ts'

/** `legacy`: the revisions that begin with `initialize`. `modern`: 2026-07-28, where every request is independent. */
export type Era = 'legacy' | 'modern'

export const MODERN_VERSION = '2026-07-28'

/** Newest first: Plugboard requests the first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

export interface Session {
  readonly hello: Hello
  readonly wire: WireKind
  /** Its idle process was ended, and starts again with the next request. */
  readonly isAsleep?: boolean
  /** The result as the server sent it. Rejects with a SessionError. */
  request(method: string, params?: Params, options?: RequestOptions): Promise<Result>
  /**
   * `client`: the client that the notification is about. It goes through that client's own session, where there is one.
   */
  notify(method: string, params?: Params, client?: RequestClient): void
  readonly subscriptions: ResourceSubscriptions
  /** Through the client's own session, where each client may have one. */
  subscriptionsOf?(client: object): ResourceSubscriptions
  /**
   * For a server of both eras: the session of legacy clients, opened on first use. Undefined: the server has none, and
   * they share this one. Never rejects.
   */
  legacy?(): Promise<Session | undefined>
  /** Resolves when no request is waiting for its response. */
  drained(): Promise<void>
  /** Never rejects. */
  close(): Promise<void>
}

/** The server's description of itself. */
export interface Hello {
  readonly era: Era
  readonly version: string
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly serverInfo?: Readonly<Record<string, unknown>>
  readonly instructions?: string
}

export interface RequestOptions {
  readonly signal?: Signal | undefined
  /** The longest silence of the server; progress counts as a message. 0: no limit. */
  readonly timeoutMs?: number | undefined
  /**
   * The limit for the whole request, whatever the server sends meanwhile. The time in which a person answers the
   * server's question does not count. 0: no limit.
   */
  readonly maxDurationMs?: number | undefined
  /** How much of `maxDurationMs` has passed already, where this request is a part of a longer operation. */
  readonly spentMs?: number | undefined
  readonly onProgress?: ((progress: Params) => void) | undefined
  /** `Mcp-Param-*` and the like, over HTTP. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * What happens when a modern server asks for input before it goes on. `returned`: the caller gets that result
   * unchanged, and asks its own client. Default: the handlers of the session are asked, and the request is sent again.
   */
  readonly unfinished?: 'returned' | undefined
  /**
   * Answer the server's questions about this very request, instead of the handlers of the session. Only where each
   * request has its own stream (HTTP).
   */
  readonly handlers?: ClientHandlers | undefined
  /**
   * Which client makes the request, where that is known: some servers have a process or a session for each. All
   * requests of one client carry the same value.
   */
  readonly client?: RequestClient | undefined
  /** Gets the server's log messages about this very request, where each request has its own stream (HTTP). */
  readonly onLog?: ((params: Params) => void) | undefined
}

export type RequestClient = object & {
  /** The client's era: a server of both eras has a session for each. Undefined: that of the server. */
  readonly era?: Era | undefined
  /** The client makes one request and leaves. Nothing starts for it alone, unless the server's entry wants that. */
  readonly isPassing?: true
  /** The user, if servers do not run for that user anyway. All clients of one user get one share of the instances. */
  readonly guest?: string | undefined
  /**
   * The user that an issuer names, where one authenticates clients. A stdio server runs once for each, unless its entry
   * says otherwise.
   */
  readonly person?: string | undefined
  /**
   * Handles the questions and log messages of the client's own session while none of its requests is in progress.
   * Default: none.
   */
  readonly atRest?: Pick<RequestOptions, 'handlers' | 'onLog'> | undefined
}

export function speaksLegacy(client: object | undefined): boolean {
  return (client as RequestClient | undefined)?.era === 'legacy'
}

/**
 * Which clients a message or question of the server is for, among those whose requests it may get. Undefined: a client
 * without a name.
 */
export type Audience = (client: object | undefined) => boolean

/**
 * Resources that the server reports on: `notifications/resources/updated` comes for these, and for no other resource.
 */
export interface ResourceSubscriptions {
  /** Resolves when the server has agreed. Rejects with a SessionError. */
  add(uri: string, subscriber: Subscriber, timeoutMs: number): Promise<void>
  /** Does not wait for the server's answer. */
  remove(uri: string): void
}

/** Gets the events of a subscription while the session lives. */
export interface Subscriber {
  /** For a while no stream was open, so changes may have been missed. */
  onGap(): void
  /** The server sends no more updates. */
  onLost(error: SessionError): void
}

/**
 * What a host can do for a server. Plugboard does not offer a missing handler to the server, and refuses a request for
 * it.
 */
export interface ClientHandlers {
  /** Folders that servers may use. When they change, the host calls `board.rootsChanged()`. */
  readonly roots?: ((context: HandlerContext) => Promise<readonly Params[]>) | undefined
  /** A function handles forms and pages (`params.mode`). An object offers only the kinds that it has. */
  readonly elicit?: Answerer | ElicitAnswerers | undefined
  readonly sample?: Answerer | undefined
  /** The lowest level of the server's log messages that the host wants: `debug` to `emergency`. */
  readonly logLevel?: string | undefined
}

export type Answerer = (params: Params, context: HandlerContext) => Promise<Result>

export interface ElicitAnswerers {
  /** Fields to fill in, `params.requestedSchema`. */
  readonly form?: Answerer | undefined
  /**
   * A page to open, `params.url`. The host must show the address to the user before. `accept` means that the user
   * opened it. Where the server asked for it in an error, the request is then sent once more, so wait for `completed`
   * or for the user's word.
   */
  readonly url?: Answerer | undefined
}

export interface HandlerContext {
  /** The server that asks. */
  readonly server: string
  /** Aborted when the server withdraws the question, or is gone. */
  readonly signal: AbortSignal
  /** For a page: settles when the server says that the user is done there. Not every server says so. */
  readonly completed?: Promise<void> | undefined
  /** Which clients may be asked. Undefined: any client. */
  readonly audience?: Audience | undefined
}

export interface SessionListener {
  /** Everything but progress, which goes to its request. Without an audience it is for every client. */
  onNotification(method: string, params: Params, audience?: Audience): void
  /** Responses without a request, and invalid messages: worth a line in the log. */
  onOddity?(text: string): void
  /** The session is gone. Requests in progress were rejected before. Called exactly once. */
  onEnd(failure: WireFailure): void
}

export type SessionFailure =
  /** The server answered with an error. */
  | { readonly kind: 'rpc'; readonly error: RpcError }
  /** Sent, and silent for too long. With `duration`: not done in time, with or without messages. */
  | { readonly kind: 'timeout'; readonly afterMs: number; readonly limit?: 'duration' }
  | { readonly kind: 'aborted'; readonly wasSent: boolean }
  /** The connection broke, or was never made. */
  | { readonly kind: 'lost'; readonly wire: WireFailure; readonly wasSent: boolean }
  /** An invalid response. */
  | { readonly kind: 'bad-answer'; readonly message: string }
  /** Plugboard must not start it. */
  | { readonly kind: 'not-started'; readonly problem: Problem }

/**
 * The command is built as several bundles, and each has its own copy of the class. This brand lets them recognise each
 * other's.
 */
const SESSION_BRAND: unique symbol = Symbol.for('plugboard.session')

export class SessionError extends Error {
  readonly [SESSION_BRAND] = true

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && SESSION_BRAND in value
  }

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
    case 'not-started':
      return failure.problem.message
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
