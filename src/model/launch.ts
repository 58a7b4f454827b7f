/**
 * launch: a server with every value filled in, ready to be started or reached. No other value of the pipeline holds
 * live secrets.
 *
 * resolve makes it and connect reads it.
 *
 * never  stored or shown
 */
import type { Secret } from '../base/secret.ts'
import type { AuthorizationLimits } from './leeway.ts'
import type { Problem } from './problem.ts'
import type { Authorization } from './sign-in.ts'

/** A value that came from a variable, a command or a credential is wrapped. */
export type LaunchValue = string | Secret

export interface LaunchSpec {
  readonly name: string
  readonly transport: LaunchTransport
  readonly protocol: 'auto' | 'legacy' | '2026-07-28'
  /** 0: no limit. */
  readonly timeoutMs: number
  readonly startupTimeoutMs: number
  /** Must not appear in any log or message. */
  readonly secrets: readonly Secret[]
  /** Values that could not be filled in. The launch is tried all the same, without them. */
  readonly problems: readonly Problem[]
  /** Why Plugboard must not start it. */
  readonly refusal?: Problem
}

export type LaunchTransport =
  | {
      readonly kind: 'stdio'
      readonly command: LaunchValue
      readonly args: readonly LaunchValue[]
      /** The whole environment of the child. */
      readonly env: ReadonlyMap<string, LaunchValue>
      readonly cwd: string
    }
  | {
      readonly kind: 'http' | 'sse'
      readonly url: LaunchValue
      readonly headers: ReadonlyMap<string, LaunchValue>
      readonly fallback: 'sse' | 'none'
      /** Absent: only the headers above are sent. */
      readonly authorization?: Authorization
    }
  | {
      readonly kind: 'ws'
      readonly url: LaunchValue
      readonly headers: ReadonlyMap<string, LaunchValue>
      /** WebSocket subprotocols, `mcp` for the IDE extensions. */
      readonly protocols: readonly string[]
    }
  /** A server that the host registered under this name. */
  | { readonly kind: 'in-process'; readonly serverName: string }

export function reveal(value: LaunchValue): string {
  return typeof value === 'string' ? value : value.reveal()
}

/** Where credentials come from: a token store, the host, a test. */
export interface CredentialSource {
  /** Undefined: there is none, and the connection is tried without one. */
  find(request: CredentialRequest): Promise<Secret | undefined>
  /**
   * Whose token `find` would give; undefined when it has none. Synchronous, and the same when the token is renewed. A
   * list that a server gave to one account is not shown to another. A source without this method: every token is an
   * account of its own.
   */
  account?(request: CredentialRequest): string | undefined
  /** Used instead of `find` for servers over HTTP: tokens may change during a session. */
  authorize?(request: CredentialRequest): Promise<Authorization | undefined>
}

export interface CredentialRequest {
  readonly server: string
  readonly credentialId?: string
  /** Absent for a server that is a process. */
  readonly url?: string
  /** What its entry allows when tokens are renewed. Absent: nothing. */
  readonly leeway?: AuthorizationLimits
}
