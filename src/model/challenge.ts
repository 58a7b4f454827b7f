/**
 * challenge: why a server refused a request, read from `WWW-Authenticate` (RFC 9110 §11.6.1, RFC 6750, RFC 9449).
 *
 * in     a status, and the headers that came with it
 * out    a Challenge; it leaves out what is not understood
 */
import type { Challenge } from './sign-in.ts'

export interface ChallengeHeaders {
  /** `WWW-Authenticate`, several joined by commas. */
  readonly authenticate?: string | undefined
  /** `DPoP-Nonce`. */
  readonly dpopNonce?: string | undefined
  /** `Date`. */
  readonly date?: string | undefined
}

export function parseChallenge(status: 401 | 403, headers: ChallengeHeaders): Challenge {
  const offers = parseOffers(headers.authenticate ?? '')
  // Where a server accepts both, the simpler one.
  const offer =
    offers.find(({ scheme }) => scheme === 'bearer') ?? offers.find(({ scheme }) => scheme === 'dpop')
  const { error, scope, resource_metadata: resourceMetadataUrl } = offer?.params ?? {}
  const at = Date.parse(headers.date ?? '')
  return {
    status,
    ...(error === undefined ? {} : { error }),
    scopes: scope?.split(' ').filter((one) => one !== '') ?? [],
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(offer?.scheme === 'dpop' ? { wantsDpop: true } : {}),
    ...(headers.dpopNonce === undefined ? {} : { dpopNonce: headers.dpopNonce }),
    ...(Number.isNaN(at) ? {} : { at }),
  }
}

/** A 403 that a new sign-in can solve. Other 403s are about the user, not the token. */
export function wantsMoreScopes({ status, error }: Challenge): boolean {
  return status === 403 && error === 'insufficient_scope'
}

interface Offer {
  readonly scheme: string
  readonly params: Readonly<Record<'error' | 'scope' | 'resource_metadata', string | undefined>>
}

/** A word, then either `=` and its value, or nothing: then it is the name of a scheme. */
const WORD = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/g

function parseOffers(header: string): readonly Offer[] {
  const offers: { scheme: string; params: Record<string, string> }[] = []
  for (const [, word, quoted, plain] of header.matchAll(WORD)) {
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain
    if (value === undefined) offers.push({ scheme: word!.toLowerCase(), params: {} })
    // The first value counts when a server sends a parameter twice.
    else if (offers.length > 0) offers.at(-1)!.params[word!.toLowerCase()] ??= value
  }
  return offers as unknown as readonly Offer[]
}
