/**
 * login-host: the interface between a host and a login. Only types, so that a host need not load the OAuth code.
 */
import type { Challenge, DeviceCode } from '../model/sign-in.ts'
import type { BrowserOutcome } from '../world/world.ts'

/**
 * `paste`: Plugboard opens no browser; the user pastes the answer. `device`: the user types a code on another device.
 */
export type LoginWay = 'browser' | 'paste' | 'device'

export interface LoginArguments {
  readonly way: LoginWay
  /** The server's challenge, when it is known. Otherwise the login asks the server. */
  readonly challenge?: Challenge | undefined
  /** These scopes and no others. */
  readonly scopes?: readonly string[] | undefined
  /** For the whole login. 0: no limit. Default: five minutes. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface LoginHost {
  onStep(step: LoginStep): void
  /** Calls the listener with each line that the user types meanwhile. The returned function stops it. */
  onTyped?(listener: (line: string) => void): () => void
}

/** What the login is doing, or what the user has to do. */
export type LoginStep =
  | { readonly kind: 'asking-server'; readonly host: string }
  | { readonly kind: 'registering'; readonly issuer: string }
  | {
      readonly kind: 'page'
      readonly url: string
      readonly redirectUri: string
      /** The client that the entry names. It must be registered with this `redirectUri`. */
      readonly clientId?: string
      readonly way: LoginWay
    }
  | { readonly kind: 'browser'; readonly outcome: BrowserOutcome }
  | { readonly kind: 'device'; readonly code: DeviceCode }
  /** A request arrived that was not the answer. */
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'exchanging'; readonly issuer: string }

/** Default of `way`: `browser`. */
export interface LoginOptions extends Partial<LoginArguments>, Partial<LoginHost> {}

/** The parts of a sign-in that may be shown. */
export type SignedIn =
  | {
      readonly kind: 'signed-in'
      readonly issuer: string
      readonly scopes: readonly string[]
      readonly expiresAt?: number
    }
  /** The server answers without a sign-in. */
  | { readonly kind: 'not-needed' }
