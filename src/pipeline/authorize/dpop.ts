/**
 * dpop: makes proofs that a request comes from the holder of its token (RFC 9449).
 *
 * in     a private key, and the requests to sign
 * out    proofs, each valid for one request; nonces are stored by origin, because each server has its own
 */
import { sha256 } from '../../base/sha256.ts'
import type { Secret } from '../../base/secret.ts'
import type { Keys } from '../../world/world.ts'

export interface Prover {
  /** Synchronous: a request does not wait for its signature. */
  proofOf(request: ProvenRequest): string
  /** From `DPoP-Nonce` of any answer. The newest nonce replaces the others. */
  setNonce(url: string, nonce: string): void
}

export interface ProvenRequest {
  readonly method: string
  readonly url: string
  /** Absent at the token endpoint, which issues the token. */
  readonly accessToken?: string
}

export interface ProverTools {
  readonly keys: Keys
  now(): number
}

/** `jwk` has the format of `Keys.create`. */
export function createProver(jwk: Secret, { keys, now }: ProverTools): Prover {
  const nonces = new Map<string, string>()
  const header = toPart({ alg: 'ES256', typ: 'dpop+jwt', jwk: publicPart(jwk) })
  return {
    proofOf({ method, url, accessToken }) {
      const { origin, pathname } = new URL(url)
      const nonce = nonces.get(origin)
      const claims = toPart({
        jti: keys.random(16),
        htm: method,
        // Without query and fragment (§4.2).
        htu: origin + pathname,
        iat: Math.floor(now() / 1000),
        ...(accessToken === undefined ? {} : { ath: hashOf(accessToken) }),
        ...(nonce === undefined ? {} : { nonce }),
      })
      return `${header}.${claims}.${keys.sign(jwk.reveal(), `${header}.${claims}`)}`
    },
    setNonce: (url, nonce) => void nonces.set(new URL(url).origin, nonce),
  }
}

function publicPart(jwk: Secret): object {
  const { kty, crv, x, y } = JSON.parse(jwk.reveal()) as Readonly<Record<string, string>>
  return { kty, crv, x, y }
}

function toPart(value: object): string {
  return toBase64Url(new TextEncoder().encode(JSON.stringify(value)))
}

function hashOf(token: string): string {
  const bytes = sha256(token).match(/../g)!
  return toBase64Url(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)))
}

function toBase64Url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
