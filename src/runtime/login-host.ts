/**
 * login-host: what a host and a login have to say to each other. Types alone, so that a host need not know what speaks OAuth.
 */
import type { Challenge, DeviceCode } from '../model/sign-in.ts'
import type { BrowserOutcome } from '../world/world.ts'

/** `paste`: no browser is opened here. `device`: a code is typed in somewhere else. */
export type LoginWay = 'browser' | 'paste' | 'device'

export interface LoginWish {
  readonly way: LoginWay
  /** What the server said, where that is known; else it is asked. */
  readonly challenge?: Challenge | undefined
  /** Those and no others. */
  readonly scopes?: readonly string[] | undefined
  /** For all of it; 0 is no limit. Default: five minutes. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface LoginHost {
  onStep(step: LoginStep): void
  /** Tells what its user types meanwhile; the answer stops it. */
  onTyped?(listener: (line: string) => void): () => void
}

/** What it is doing, or what its user is to do. */
export type LoginStep =
  | { readonly kind: 'asking-server'; readonly host: string }
  | { readonly kind: 'registering'; readonly issuer: string }
  | {
      readonly kind: 'page'
      readonly url: string
      readonly redirectUri: string
      /** The client that the entry names, which must be registered with this `redirectUri`. */
      readonly clientId?: string
      readonly way: LoginWay
    }
  | { readonly kind: 'browser'; readonly outcome: BrowserOutcome }
  | { readonly kind: 'device'; readonly code: DeviceCode }
  /** Something came that was not the answer. */
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'exchanging'; readonly issuer: string }

/** Default of `way`: `browser`. */
export interface LoginOptions extends Partial<LoginWish>, Partial<LoginHost> {}

/** What may be shown of it. */
export type SignedIn =
  | {
      readonly kind: 'signed-in'
      readonly issuer: string
      readonly scopes: readonly string[]
      readonly expiresAt?: number
    }
  /** The server answers without. */
  | { readonly kind: 'not-needed' }
