/**
 * challenge: what `WWW-Authenticate` says, as far as it is about tokens (RFC 6750 §3, RFC 9728 §5.1, RFC 9449 §7.1).
 *
 * in     the status, the header, and the nonce of a DPoP server
 * out    a Challenge; of several schemes in one header, the first that is ours
 * never  fails: what cannot be read is not there
 */
import type { Challenge } from './sign-in.ts'

export interface Refusal {
  readonly status: number
  /** `WWW-Authenticate`. */
  readonly header?: string | undefined
  /** `DPoP-Nonce`. */
  readonly nonce?: string | undefined
}

/** Undefined for a status that is about something else. */
export function toChallenge({ status, header = '', nonce }: Refusal): Challenge | undefined {
  if (status !== 401 && status !== 403) return undefined
  const params = parametersOf(header)
  const scope = params.get('scope') ?? ''
  const error = params.get('error')
  const metadata = params.get('resource_metadata')
  return {
    status,
    scopes: scope.split(/\s+/).filter((one) => one !== ''),
    ...(error === undefined ? {} : { error }),
    ...(metadata === undefined ? {} : { resourceMetadataUrl: metadata }),
    ...(nonce === undefined ? {} : { dpopNonce: nonce }),
  }
}

/** A 403 that a sign-in would help with; others are about the person and not about the token. */
export function wantsMoreScopes({ status, error }: Challenge): boolean {
  return status === 403 && error === 'insufficient_scope'
}

const SCHEME = /(?:^|[\s,])(?:bearer|dpop)(?=\s|$)/i

/** `name="value"` or `name=value`, separated by commas, up to the next scheme. */
const PARAMETER = /\s*,?\s*([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/y

function parametersOf(header: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  // Nobody has so much to say, and every step costs.
  const text = header.slice(0, 8192)
  const scheme = SCHEME.exec(text)
  if (scheme === null) return found
  PARAMETER.lastIndex = scheme.index + scheme[0].length
  for (let match = PARAMETER.exec(text); match !== null; match = PARAMETER.exec(text)) {
    const [, name, quoted, bare] = match
    const value = quoted === undefined ? bare! : quoted.replaceAll(/\\(.)/g, '$1')
    if (!found.has(name!.toLowerCase())) found.set(name!.toLowerCase(), value)
  }
  return found
}
