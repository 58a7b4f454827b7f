/**
 * sign-in: the credentials of a user at a server: the registered client, and its tokens.
 *
 * authorize makes it, the credential store keeps it, and requests turn it into headers.
 *
 * never  shown or logged, since it holds live secrets; a `SignInSummary` is the part that may be shown
 */
import type { Secret } from '../base/secret.ts'
import type { AuthorizationLimits } from './leeway.ts'
import type { NetworkFailure } from './network.ts'

/** For one token. Servers refuse longer headers, and a longer token is a mistake or an attack. */
export const MAX_TOKEN_BYTES = 16 * 1024

/** The server and the issuer of a token. It is never sent to another server. */
export interface SignInKey {
  /** The server's address, from `toKeyUrl`. Absent: a credential by its name alone, for servers that are processes. */
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
  /** Where tokens are renewed and revoked, as discovery found it. */
  readonly endpoints: SignInEndpoints
  /** The `resource` that every request for tokens names. Absent: the server has none. */
  readonly resource?: string
  /** No user had to agree: when it ends, Plugboard requests it again in the same way. */
  readonly grant?: 'client_credentials'
  /** Set when it cannot be renewed any more. Its tokens are useless, but its client may still work. */
  readonly ended?: SignInEnd
  /** Scopes that the server required beyond those granted: the next sign-in requests these, too. */
  readonly wantedScopes?: readonly string[]
}

export interface SignInEnd {
  readonly at: number
  /** The error of OAuth: `invalid_grant`. */
  readonly error: string
}

/** Addresses that are the same for a token: without fragment, name and password. Undefined for an invalid address. */
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
  /** From the entry, from a document at an address, or from a registration during the sign-in. */
  readonly from: 'entry' | 'document' | 'registered'
  /** How the client authenticates at the token endpoint. */
  readonly method: 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'
  /** For `private_key_jwt`: PEM (PKCS #8), and the algorithm. */
  readonly key?: { readonly pem: Secret; readonly algorithm: string }
  /** The URIs of its registration. */
  readonly redirectUris: readonly string[]
}

export interface Tokens {
  readonly access: Secret
  readonly type: 'bearer' | 'dpop'
  /** Absent: when the token expires, the user must sign in again. */
  readonly refresh?: Secret
  /** Milliseconds since 1970, by our clock. Absent: the server did not say. */
  readonly expiresAt?: number
  readonly scopes: readonly string[]
  /** The private key that the token is bound to, as a JWK. */
  readonly dpopKey?: Secret
}

export interface SignInEndpoints {
  readonly token: string
  readonly revocation?: string
}

/** The part of a sign-in that contains no secret. */
export interface SignInSummary {
  readonly key: SignInKey
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly expiresAt?: number
  /** It can be renewed without the user. */
  readonly canRenew: boolean
  readonly ended?: SignInEnd
  readonly wantedScopes?: readonly string[]
  /** `keychain`: on disk too, but only the keychain can decrypt it. */
  readonly kept: 'keychain' | 'file'
  /** Identifies a sign-in, and stays the same when it is renewed. */
  readonly account: string
}

/** Why a server refused a request. */
export interface Challenge {
  readonly status: 401 | 403
  readonly error?: string
  readonly scopes: readonly string[]
  /** Where the server's metadata is. */
  readonly resourceMetadataUrl?: string
  /** The server accepts only tokens that are bound to a key. */
  readonly wantsDpop?: boolean
  /** A nonce for the next proof. */
  readonly dpopNonce?: string
  /** The time of the server's clock then: proofs carry a time, and our clock may be wrong. */
  readonly at?: number
}

/** What an entry says about signing in, with its values filled in. The server decides the absent parts. */
export interface SignInPlan extends AuthorizationLimits {
  /** The server's address. */
  readonly url: string
  readonly grant: GrantPlan
  readonly client?: PlannedClient
  /** The address of our client metadata document, for servers that accept it as a client id. */
  readonly clientDocumentUrl?: string
  /** Exactly these scopes. */
  readonly scopes?: readonly string[]
  readonly callback: { readonly port?: number; readonly path?: string; readonly redirectUri?: string }
  /** The only issuer that may get our secrets. */
  readonly issuer?: string
  /**
   * The issuer that got our secrets before, for sign-ins without a user: if the server names another one now, an
   * attacker may control it.
   */
  readonly knownIssuer?: string
  readonly metadataUrl?: string
  readonly authorizationUrl?: string
  readonly tokenUrl?: string
  readonly resource?: string
  readonly prompt?: string
  readonly credentialId?: string
}

/** What a user needs to sign in on another device. */
export interface DeviceCode {
  readonly userCode: string
  readonly url: string
  /** Already contains the code. */
  readonly completeUrl?: string
  readonly expiresInMs: number
}

/** `code` and `device` need a user; the others do not. */
export type GrantPlan =
  | { readonly kind: 'code' }
  | { readonly kind: 'device' }
  | { readonly kind: 'client-credentials' }
  /** Workload identity: an issuer that this machine trusts vouches for it. */
  | { readonly kind: 'jwt-bearer'; readonly assertion: Secret }
  /** A company's identity provider vouches for its user (cross-app access). */
  | { readonly kind: 'enterprise'; readonly idToken: Secret; readonly provider: IdentityProvider }

export interface IdentityProvider {
  /** One of the two is set. */
  readonly issuer?: string
  readonly tokenUrl?: string
  readonly clientId: string
  readonly clientSecret?: Secret
}

/** The client that the entry names. */
export interface PlannedClient {
  readonly id: string
  readonly secret?: Secret
  /** The client signs with it instead of sending a secret. PEM (PKCS #8). */
  readonly key?: { readonly pem: Secret; readonly algorithm: string }
}

/** A sign-in, and a mark that tells it from those that are saved later. */
export interface Kept {
  readonly signIn: SignIn
  readonly account: string
  readonly mark: string
}

/** All sign-ins of this user. */
export interface SignInStore {
  /** By the name in the entry, otherwise by the address of its server. Throws `authorize/store-…` problems. */
  find(wanted: SignInQuery): Promise<SignIn | undefined>
  /** Throws `authorize/store-unwritable` where nothing could be saved. */
  requireFolder(): void
  /** Replaces the sign-in with the same key. */
  save(signIn: SignIn): Promise<Kept>
  forget(key: SignInKey): Promise<void>
}

export type SignInQuery = Pick<SignInKey, 'url' | 'credentialId'>

/** How requests to one server authenticate. Asked again for every request: tokens may change during a session. */
export interface Authorization {
  /** Identifies the account: a list that a server gave to one account is not for another. */
  readonly account: string
  /** Fetches what a request needs to succeed. Undefined: nothing is needed. Never rejects. */
  prepare(): Promise<void> | undefined
  /** Name, value, name, value. Empty: there is no token. Synchronous: a request does not wait for a file. */
  headersFor(request: { readonly method: string; readonly url: string }): readonly string[]
  /**
   * The server refused a request. After `renewed`, the caller sends it once more. Never opens a browser, never rejects.
   */
  renew(challenge: Challenge, refused: readonly string[]): Promise<Renewal>
  /** Removes from a text every secret that this server ever got. */
  redact(text: string): string
  /** Whether the store holds another sign-in than the one in use: the user has signed in again. */
  isOutdated(): boolean
  /** Why there is no valid token, as a note to the user. */
  whyNot(): string | undefined
}

/** A NetworkFailure: the authorization server refused nothing, but could not be reached. */
export type Renewal = 'renewed' | 'refused' | NetworkFailure
