/**
 * launch: a server with every value filled in, ready to be started or reached. The only noun that holds live secrets;
 * it is made by resolve, read by connect, and never stored or shown.
 */
import type { Secret } from '../base/secret.ts'
import type { Leeway } from './leeway.ts'
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
  /** What must not appear in a log or a message, wherever it turns up. */
  readonly secrets: readonly Secret[]
  /** What could not be filled in. The launch is tried all the same, without it. */
  readonly problems: readonly Problem[]
  /** Why it must not be started. */
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
      /** Absent: what is in the headers is all there is. */
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
  /** Undefined: there is none, and the connection is tried without. */
  find(request: CredentialRequest): Promise<Secret | undefined>
  /**
   * Whose token `find` would give, said at once and the same whatever the token is by now; undefined when it has none. What
   * a server listed for one account is not shown to another. A source without this: every token is an account of its own.
   */
  account?(request: CredentialRequest): string | undefined
  /** For servers that are reached over HTTP, in place of `find`: tokens that change while a session lives. */
  authorize?(request: CredentialRequest): Promise<Authorization | undefined>
}

export interface CredentialRequest {
  readonly server: string
  readonly credentialId?: string
  /** Absent for a server that is started. */
  readonly url?: string
  /** What its entry allows where tokens are renewed. Absent: nothing. */
  readonly leeway?: Leeway
}
