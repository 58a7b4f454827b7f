/**
 * wire: carries messages to one server and back, over any transport.
 *
 * Opening a wire returns it at once. Later failures arrive through the listener, so that nothing is lost between
 * opening and listening.
 */
import type { Message, RequestId } from './message.ts'
import type { NetworkFailure, ViaProxy } from './network.ts'

export interface Wire {
  readonly kind: WireKind
  /**
   * Never throws. `onFailure` reports a message that cannot be delivered, `onEnd` a wire that is gone. Returns the
   * exchange that it began, where each message has a stream of its own (HTTP).
   */
  send(message: Message, options?: SendOptions): Sent | void
  /** Called once the handshake is done, for a wire that must name the version with every message. */
  setVersion?(version: string): void
  /** Ends the wire and everything behind it. Settles when it is gone, even after errors. */
  close(): Promise<void>
}

export type WireKind = 'stdio' | 'http' | 'sse' | 'ws' | 'in-process'

/**
 * A message in progress, and its response to come. Not an AbortController, which costs more than everything else here.
 */
export interface Sent {
  /** Ends the exchange. The listener gets no more calls about it. */
  abort(): void
}

/** Passed on unchanged, never copied or taken apart: it may be an object with state. */
export interface SendOptions {
  /** For this message alone (HTTP). */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** This message was not delivered, or its own stream ended without a response. The wire itself may go on. */
  onFailure?(failure: WireFailure): void
}

/** The state of the stream on which a server sends its own messages. */
export type Doubt = 'broken' | 'given-up'

export interface WireListener {
  /** `of`: the request whose own stream carried it (HTTP). */
  onMessage(message: Message, of?: RequestId): void
  /** Text where a message should be: banners, logs. Already shortened. */
  onNoise?(text: string): void
  /** What a process writes to stderr, in lines without their ends. It may still contain secrets. */
  onLog?(line: string): void
  /** The first sign of life: a process wrote its first byte, or a server accepted the connection. At most once. */
  onFirstSign?(): void
  /** A package runner (`npx`) begins or ends the installation of the server. Until the end, no response is due. */
  onInstallation?(state: 'begun' | 'over'): void
  /**
   * The stream for the server's own messages broke, and the server may be gone. The wire does not know: the caller must
   * ping the server. `broken` may come often; after `given-up` there is no such stream any more.
   */
  onDoubt?(failure: WireFailure, stream: Doubt): void
  /** The wire is gone. Called exactly once, also after `close`, and last. */
  onEnd(failure: WireFailure): void
}

export type WireFailure =
  /** The program could not be started. */
  | { readonly kind: 'spawn'; readonly code: string; readonly message: string }
  | { readonly kind: 'exit'; readonly exitCode?: number; readonly signal?: string }
  | {
      readonly kind: 'http'
      readonly status: number
      /** The beginning of the server's response. */
      readonly body: string
      /** For a 404: the request named no session, so the server cannot have forgotten one. */
      readonly hadNoSession?: true
      /** `WWW-Authenticate`, for 401 and 403. */
      readonly challenge?: string
      /** How long Plugboard must wait before it retries: `Retry-After`. */
      readonly retryAfterMs?: number
      /** The response may have come from this proxy. */
      readonly via?: ViaProxy
    }
  /** No connection, or a broken one: `ECONNREFUSED`, `ENOTFOUND`, a certificate. */
  | ({ readonly kind: 'network' } & NetworkFailure)
  /** The server sent a web page where messages should be. */
  | { readonly kind: 'page'; readonly title: string }
  /** The other side does not follow the protocol. */
  | { readonly kind: 'protocol'; readonly message: string }
  /** This message was not sent: so many bytes already wait for a server that does not read. The wire goes on. */
  | { readonly kind: 'not-read'; readonly bytes: number }
  /** One side closed the connection normally. */
  | { readonly kind: 'closed' }
