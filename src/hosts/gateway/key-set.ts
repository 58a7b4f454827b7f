/**
 * key-set: the keys that an issuer signs with, as it publishes them.
 *
 * in     an address; the head of a token
 * out    the key that it names
 * never  asks the issuer more than once at a time, or more often than `COOLDOWN_MS` because of keys that it does not have
 */
import type { CryptoKey, JSONWebKeySet, JWTHeaderParameters, FlattenedJWSInput } from 'jose'
import type { Clock } from '../../world/world.ts'

type FindKey = (header: JWTHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>

export interface KeySetOptions {
  readonly clock: Clock
  /** Rejects when they cannot be had. */
  fetch(): Promise<JSONWebKeySet>
  readonly open: (keys: JSONWebKeySet) => FindKey
}

/** A token with a key that nobody knows costs the issuer one question in so long, however many there are. */
const COOLDOWN_MS = 30_000

/** Keys that were withdrawn are used no longer than this, as long as the issuer answers. */
const MAX_AGE_MS = 10 * 60_000

/** The issuer has not answered, and there are no keys from before. */
export class KeysUnavailableError extends Error {}

export class KeySet {
  readonly #options: KeySetOptions
  #find: FindKey | undefined
  #loadedAt = 0
  #triedAt: number | undefined
  #loading: Promise<void> | undefined

  constructor(options: KeySetOptions) {
    this.#options = options
  }

  /** Rejects as the issuer's answer does. */
  load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => (this.#loading = undefined))
    return this.#loading
  }

  /** Rejects with what `jose` has for a key that is not there. */
  readonly find: FindKey = async (header, token) => {
    const { clock } = this.#options
    if (clock.now() - this.#loadedAt > MAX_AGE_MS) await this.#tryAgain()
    if (this.#find === undefined) throw new KeysUnavailableError('the issuer does not answer')
    try {
      return await this.#find(header, token)
    } catch (error) {
      if ((error as { readonly code?: string }).code !== 'ERR_JWKS_NO_MATCHING_KEY') throw error
      // It may have new ones since.
      if (!(await this.#tryAgain())) throw error
      return this.#find(header, token)
    }
  }

  /** Says whether they were read anew. Old keys serve while the issuer does not answer. */
  async #tryAgain(): Promise<boolean> {
    const now = this.#options.clock.now()
    const isTooSoon = this.#triedAt !== undefined && now - this.#triedAt < COOLDOWN_MS
    if (this.#loading === undefined && isTooSoon) return false
    if (this.#loading === undefined) this.#triedAt = now
    return this.load().then(
      () => true,
      () => false,
    )
  }

  async #load(): Promise<void> {
    const { fetch, open, clock } = this.#options
    this.#find = open(await fetch())
    this.#loadedAt = clock.now()
  }
}
