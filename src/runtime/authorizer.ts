/**
 * authorizer: the sign-ins of a board. A server that has one gets its Authorization.
 *
 * in     the store, and the server that needs a sign-in
 * out    an Authorization for servers over HTTP, a token for the others; undefined where no user has signed in
 * never  opens a browser; binds a port; reads a file before the first request
 */
import type { Secret } from '../base/secret.ts'
import type { CredentialRequest, CredentialSource } from '../model/launch.ts'
import { STRICT_LIMITS } from '../model/leeway.ts'
import { toKeyUrl, type Authorization, type SignInQuery } from '../model/sign-in.ts'
import { ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import { HeldSignIn, type Alone } from './held-sign-in.ts'
import { openSignInStore, type OpenSignInStore } from './sign-in-store.ts'

export interface AuthorizerOptions {
  readonly world: World
  readonly dirs: { readonly state: string }
  /** Signs in to a server without a user, when its entry says enough for that. */
  readonly aloneFor?: ((request: CredentialRequest) => Alone | undefined) | undefined
}

export function createAuthorizer(options: AuthorizerOptions): Authorizer {
  return new Authorizer(options)
}

export class Authorizer implements CredentialSource {
  readonly #options: AuthorizerOptions
  readonly #store: OpenSignInStore
  /** One for all servers at the same address, so that no server renews what another has just renewed. */
  readonly #held = new Map<string, HeldSignIn>()

  constructor(options: AuthorizerOptions) {
    this.#options = options
    this.#store = openSignInStore(options.world, options.dirs)
  }

  /** Throws `authorize/store-…`. */
  async authorize(request: CredentialRequest): Promise<Authorization | undefined> {
    return this.#hold(request)
  }

  /** The current token, for servers that are started, or reached by other means than HTTP. Throws `authorize/…`. */
  async find(request: CredentialRequest): Promise<Secret | undefined> {
    const held = this.#hold(request)
    await held?.prepare()
    return held?.token
  }

  account(request: CredentialRequest): string | undefined {
    try {
      return this.#store.look(toWish(request))?.account
    } catch (error) {
      // `find` reports it.
      if (error instanceof ProblemError) return undefined
      throw error
    }
  }

  #hold(request: CredentialRequest): HeldSignIn | undefined {
    const { world, aloneFor } = this.#options
    const wish = toWish(request)
    const summary = this.#store.look(wish)
    const alone = aloneFor?.(request)
    if (summary === undefined && alone === undefined) return undefined
    const account = summary?.account ?? 'alone'
    const { leeway = STRICT_LIMITS } = request
    const who = alone === undefined ? null : [request.server, alone.clientId ?? null]
    const key = JSON.stringify([wish, leeway, who])
    const known = this.#held.get(key)
    // After a new sign-in the account may be another one.
    if (known?.account === account) return known
    const held = new HeldSignIn({ world, store: this.#store, wish, account, alone, leeway })
    this.#held.set(key, held)
    return held
  }
}

function toWish({ url, credentialId }: CredentialRequest): SignInQuery {
  const own = url === undefined ? undefined : (toKeyUrl(url) ?? url)
  return {
    ...(own === undefined ? {} : { url: own }),
    ...(credentialId === undefined ? {} : { credentialId }),
  }
}
