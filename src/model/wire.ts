/**
 * wire: what carries messages to one server and back, whatever it is made of.
 *
 * Opening a wire returns it at once; what goes wrong later arrives through the listener, so that nothing is lost
 * between opening and listening.
 */
import type { Message, RequestId } from './message.ts'
import type { NetworkFailure, ViaProxy } from './network.ts'

export interface Wire {
  readonly kind: WireKind
  /**
   * Never throws. A message that cannot be delivered is told through `onFailure`, a wire that is gone through `onEnd`.
   * Gives the exchange that it began, where each has a stream of its own (HTTP).
   */
  send(message: Message, options?: SendOptions): Sent | void
  /** Told once the handshake is done; a wire that names the version with every message needs it. */
  setVersion?(version: string): void
  /** Ends the wire and everything behind it. Settles when it is gone, whatever happened on the way. */
  close(): Promise<void>
}

export type WireKind = 'stdio' | 'http' | 'sse' | 'ws' | 'in-process'

/** A message on its way, with the answer that is to come. Not an AbortController, which costs more than all the rest of it here. */
export interface Sent {
  /** Ends the exchange; nothing more is told of it. */
  abort(): void
}

/** Handed on as it is, never copied or taken apart: it may be an object with a life of its own. */
export interface SendOptions {
  /** For this message alone (HTTP). */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** This message did not get through, or its own stream ended without an answer. The wire itself may go on. */
  onFailure?(failure: WireFailure): void
}

/** What became of the stream on which a server speaks of its own accord. */
export type Doubt = 'broken' | 'given-up'

export interface WireListener {
  /** `of`: the request on whose own stream it came (HTTP). */
  onMessage(message: Message, of?: RequestId): void
  /** Text where a message should be: banners, logs. Already shortened. */
  onNoise?(text: string): void
  /** What a process writes to stderr, in lines without their ends; secrets are still in it. */
  onLog?(line: string): void
  /** Something is there: a process wrote its first byte, a host accepted the connection. At most once. */
  onFirstSign?(): void
  /** A package runner (`npx`) still installs the server, or installs it no longer: until then no answer is due. */
  onInstallation?(state: 'begun' | 'over'): void
  /**
   * The stream on which the server speaks of its own accord broke, and perhaps nobody is there any more. The wire does not
   * know: who wants to know asks the server. `broken` may come often; after `given-up` there is no such stream any more.
   */
  onDoubt?(failure: WireFailure, stream: Doubt): void
  /** The wire is gone. Exactly once, also after `close`; nothing follows. */
  onEnd(failure: WireFailure): void
}

export type WireFailure =
  /** The program could not be started. */
  | { readonly kind: 'spawn'; readonly code: string; readonly message: string }
  | { readonly kind: 'exit'; readonly exitCode?: number; readonly signal?: string }
  | {
      readonly kind: 'http'
      readonly status: number
      /** The beginning of what the server said. */
      readonly body: string
      /** Of a 404: the request named no session, so that none can have been forgotten. */
      readonly hadNoSession?: true
      /** `WWW-Authenticate`, for 401 and 403. */
      readonly challenge?: string
      /** How long it wants to be left alone: `Retry-After`. */
      readonly retryAfterMs?: number
      /** It may as well have been the proxy that said so. */
      readonly via?: ViaProxy
    }
  /** No connection, or a broken one: `ECONNREFUSED`, `ENOTFOUND`, a certificate. */
  | ({ readonly kind: 'network' } & NetworkFailure)
  /** A web page, where messages should be. */
  | { readonly kind: 'page'; readonly title: string }
  /** It speaks, but not this protocol. */
  | { readonly kind: 'protocol'; readonly message: string }
  /** This message was not sent: so many bytes wait already for a server that does not read them. The wire goes on. */
  | { readonly kind: 'not-read'; readonly bytes: number }
  /** The other side hung up in good order, or we did. */
  | { readonly kind: 'closed' }
