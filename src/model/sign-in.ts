/**
 * sign-in: what was given to us to speak for somebody at a server: the client we are there, and the tokens we have.
 *
 * Made by authorize, kept by the credential store, turned into headers when a request is sent. Holds live secrets, so it
 * is never shown or logged; what may be shown of one is a `SignInSummary`.
 */
import type { Secret } from '../base/secret.ts'
import type { Leeway } from './leeway.ts'
import type { NetworkFailure } from './network.ts'

/** Of one token. Servers take no longer headers, and what is longer comes of a mistake or an attack. */
export const MAX_TOKEN_BYTES = 16 * 1024

/** For whom a token was issued, and by whom. It is sent nowhere else. */
export interface SignInKey {
  /** The server's address, as `toKeyUrl` has it. Absent: a credential by its name alone, for servers that are started. */
  readonly url?: string
  /** The authorization server, by its `issuer`. Another one means another client and other tokens. */
  readonly issuer: string
  /** A name that entries may ask for with `auth.credentialId`. */
  readonly credentialId?: string
}

export interface SignIn {
  readonly key: SignInKey
  readonly client: OAuthClient
  readonly tokens: Tokens
  /** Where tokens are renewed and taken back, as discovery found it. */
  readonly endpoints: SignInEndpoints
  /** The `resource` that every request for tokens names. Absent: the server has none. */
  readonly resource?: string
  /** Nobody had to agree: when it ends, it is asked for again in the same way. */
  readonly grant?: 'client_credentials'
  /** Set when it cannot be renewed any more. Its tokens are of no use; its client may be. */
  readonly ended?: SignInEnd
  /** What the server asked for beyond what was given: the next sign-in asks for these, too. */
  readonly wantedScopes?: readonly string[]
}

export interface SignInEnd {
  readonly at: number
  /** The error of OAuth: `invalid_grant`. */
  readonly error: string
}

/** Addresses that are the same for a token: without fragment, name and password. Undefined for what is none. */
export function toKeyUrl(url: string): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined) return undefined
  parsed.hash = ''
  parsed.username = ''
  parsed.password = ''
  return parsed.href
}

export interface OAuthClient {
  readonly id: string
  readonly secret?: Secret
  /** By the entry, by a document at an address, or registered there and then. */
  readonly from: 'entry' | 'document' | 'registered'
  /** How it proves itself at the token endpoint. */
  readonly method: 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'
  /** For `private_key_jwt`: PEM (PKCS #8), and what it signs with. */
  readonly key?: { readonly pem: Secret; readonly algorithm: string }
  /** Those it was registered with. */
  readonly redirectUris: readonly string[]
}

export interface Tokens {
  readonly access: Secret
  readonly type: 'bearer' | 'dpop'
  /** Absent: when this one ends, somebody must sign in again. */
  readonly refresh?: Secret
  /** Milliseconds since 1970, by our clock. Absent: nobody said. */
  readonly expiresAt?: number
  readonly scopes: readonly string[]
  /** The private key of a token that is bound to one, as a JWK. */
  readonly dpopKey?: Secret
}

export interface SignInEndpoints {
  readonly token: string
  readonly revocation?: string
}

/** What may be shown to anyone. */
export interface SignInSummary {
  readonly key: SignInKey
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly expiresAt?: number
  /** It needs nobody when its time is over. */
  readonly canRenew: boolean
  readonly ended?: SignInEnd
  readonly wantedScopes?: readonly string[]
  /** `keychain`: on disk too, but only the keychain can open it. */
  readonly kept: 'keychain' | 'file'
  /** Tells sign-ins apart, and stays the same while one is renewed. */
  readonly account: string
}

/** What a server said when it turned a request down. */
export interface Challenge {
  readonly status: 401 | 403
  readonly error?: string
  readonly scopes: readonly string[]
  /** Where the server describes itself. */
  readonly resourceMetadataUrl?: string
  /** It takes only tokens that are bound to a key. */
  readonly wantsDpop?: boolean
  /** A nonce for the next proof. */
  readonly dpopNonce?: string
  /** What the clock of the server showed then: proofs have a time, and ours may be wrong. */
  readonly at?: number
}

/** What an entry says about signing in, with its values filled in. Absent parts are for the server to say. */
export interface SignInPlan extends Leeway {
  /** The server's address. */
  readonly url: string
  readonly grant: GrantPlan
  readonly client?: PlannedClient
  /** Where a document describes us, for servers that take its address as the name of a client. */
  readonly clientDocumentUrl?: string
  /** Those and no others. */
  readonly scopes?: readonly string[]
  readonly callback: { readonly port?: number; readonly path?: string; readonly redirectUri?: string }
  /** The only one that is to see our secrets. */
  readonly issuer?: string
  /** Who was given our secrets before, where nobody is asked: a server that names another one now may have been taken over. */
  readonly knownIssuer?: string
  readonly metadataUrl?: string
  readonly authorizationUrl?: string
  readonly tokenUrl?: string
  readonly resource?: string
  readonly prompt?: string
  readonly credentialId?: string
}

/** What somebody must be told who signs in on another device. */
export interface DeviceCode {
  readonly userCode: string
  readonly url: string
  /** With the code already in it. */
  readonly completeUrl?: string
  readonly expiresInMs: number
}

/** `code` and `device` need a person; the others do not. */
export type GrantPlan =
  | { readonly kind: 'code' }
  | { readonly kind: 'device' }
  | { readonly kind: 'client-credentials' }
  /** Workload identity: somebody this machine trusts vouches for it. */
  | { readonly kind: 'jwt-bearer'; readonly assertion: Secret }
  /** The identity provider of a company vouches for its user (cross-app access). */
  | { readonly kind: 'enterprise'; readonly idToken: Secret; readonly provider: IdentityProvider }

export interface IdentityProvider {
  /** One of the two is there. */
  readonly issuer?: string
  readonly tokenUrl?: string
  readonly clientId: string
  readonly clientSecret?: Secret
}

/** The client that the entry names. */
export interface PlannedClient {
  readonly id: string
  readonly secret?: Secret
  /** Proves itself by signing, in place of a secret. PEM (PKCS #8). */
  readonly key?: { readonly pem: Secret; readonly algorithm: string }
}

/** A sign-in, and by what it is told from what is kept later. */
export interface Kept {
  readonly signIn: SignIn
  readonly account: string
  readonly mark: string
}

/** All sign-ins of this user. */
export interface SignInStore {
  /** By the name that an entry asks for, else by the address of its server. Throws `authorize/store-…` problems. */
  find(wanted: SignInWish): Promise<SignIn | undefined>
  /** Throws `authorize/store-unwritable` where nothing could be kept. */
  requireFolder(): void
  /** In place of what was kept for the same key. */
  save(signIn: SignIn): Promise<Kept>
  forget(key: SignInKey): Promise<void>
}

export type SignInWish = Pick<SignInKey, 'url' | 'credentialId'>

/** How requests to one server prove for whom they speak. Asked anew for every request: tokens change while a session lives. */
export interface Authorization {
  /** Tells accounts apart: what a server showed to one is not for another. */
  readonly account: string
  /** Something must be fetched before a request has a chance. Undefined: go ahead. Never rejects. */
  prepare(): Promise<void> | undefined
  /** Name, value, name, value. Empty: there is no token. At once: a request does not wait for a file. */
  headersFor(request: { readonly method: string; readonly url: string }): readonly string[]
  /** A request was turned down. Once `renewed`, it is sent again, once. Never opens a browser, never rejects. */
  renew(challenge: Challenge, refused: readonly string[]): Promise<Renewal>
  /** Takes out of a text what this server was given in secret, whenever that was. */
  redact(text: string): string
  /** Whether another sign-in is kept by now than the one it speaks with: somebody has signed in. */
  isOutdated(): boolean
  /** Why there is no token that is any good, as a note to a person. */
  whyNot(): string | undefined
}

/** A failure: nobody said no, but the one to ask could not be reached. */
export type Renewal = 'renewed' | 'refused' | NetworkFailure
