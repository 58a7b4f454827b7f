/**
 * key-set: the keys that an issuer signs with, as it publishes them.
 *
 * in     an address; the header of a token
 * out    the key that the header names
 * never  sends the issuer more than one request at a time; sends one more often than `COOLDOWN_MS` because of unknown
 *        keys
 */
import type { CryptoKey, JSONWebKeySet, JWTHeaderParameters, FlattenedJWSInput } from 'jose'
import type { Clock } from '../../world/world.ts'

type FindKey = (header: JWTHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>

export interface KeySetOptions {
  readonly clock: Clock
  /** Rejects when the keys cannot be fetched. */
  fetch(): Promise<JSONWebKeySet>
  readonly open: (keys: JSONWebKeySet) => FindKey
}

/** Tokens with an unknown key cause at most one request to the issuer in this time, however many there are. */
const COOLDOWN_MS = 30_000

/** A withdrawn key is used no longer than this, as long as the issuer answers. */
const MAX_AGE_MS = 10 * 60_000

/** The issuer does not answer, and there are no keys from before. */
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

  /** Rejects with the error of the request to the issuer. */
  load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => (this.#loading = undefined))
    return this.#loading
  }

  /** Rejects with the error that `jose` has for a missing key. */
  readonly find: FindKey = async (header, token) => {
    const { clock } = this.#options
    if (clock.now() - this.#loadedAt > MAX_AGE_MS) await this.#tryAgain()
    if (this.#find === undefined) throw new KeysUnavailableError('the issuer does not answer')
    try {
      return await this.#find(header, token)
    } catch (error) {
      if ((error as { readonly code?: string }).code !== 'ERR_JWKS_NO_MATCHING_KEY') throw error
      // The issuer may have published new keys since.
      if (!(await this.#tryAgain())) throw error
      return this.#find(header, token)
    }
  }

  /** Returns whether the keys were read again. Old keys stay in use while the issuer does not answer. */
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
