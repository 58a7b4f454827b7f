/**
 * proofs: makes the proofs of one sign-in whose tokens are bound to a key, for as long as it is used (RFC 9449).
 *
 * in     its tokens, whenever new ones arrive; the server's answer when it refuses a proof
 * out    a prover, or nothing for tokens that need none
 * never  forgets a nonce because of a new token with the same key
 */
import type { Secret } from '../../base/secret.ts'
import type { Challenge, Tokens } from '../../model/sign-in.ts'
import { createProver, type Prover, type ProverTools } from './dpop.ts'

/** A smaller difference is only the time that answers take. */
const LEAST_SKEW_MS = 60_000

export class Proofs {
  readonly #tools: ProverTools
  #bound: { readonly key: Secret; readonly prover: Prover } | undefined
  /** How far the server's clock is ahead of the local one, once a proof failed because of it. */
  #skewMs = 0

  constructor(tools: ProverTools) {
    this.#tools = tools
  }

  get prover(): Prover | undefined {
    return this.#bound?.prover
  }

  take({ type, dpopKey }: Tokens): void {
    if (type !== 'dpop' || dpopKey === undefined) this.#bound = undefined
    else if (this.#bound?.key.reveal() !== dpopKey.reveal()) {
      const { keys, now } = this.#tools
      const prover = createProver(dpopKey, { keys, now: () => now() + this.#skewMs })
      this.#bound = { key: dpopKey, prover }
    }
  }

  /** Whether the next proof can succeed: with the missing nonce, or by the server's clock. */
  learn({ error, dpopNonce, at }: Challenge, url: string | undefined): boolean {
    if (this.#bound === undefined || url === undefined) return false
    if (error === 'use_dpop_nonce' && dpopNonce !== undefined) {
      this.#bound.prover.setNonce(url, dpopNonce)
      return true
    }
    const skewMs = at === undefined ? this.#skewMs : at - this.#tools.now()
    if (error !== 'invalid_dpop_proof' || Math.abs(skewMs - this.#skewMs) < LEAST_SKEW_MS) return false
    this.#skewMs = skewMs
    return true
  }
}
