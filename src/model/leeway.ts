/**
 * leeway: what the entry of a server lets authorization servers do that no stranger may have us do. Decided here alone, so
 * that signing in, renewing and signing out go to the same places.
 *
 * in     a server, as its entry stands now: what was once allowed is not remembered
 * out    whether plain HTTP will do, and which origins may be in a private network
 */
import type { AdmittedServer } from './catalog.ts'
import { allowsPlainHttp, type OAuth } from './definition.ts'
import type { Scope } from './origin.ts'

export interface Leeway {
  /** Secrets may be sent over plain HTTP, beyond this machine. */
  readonly allowsHttp: boolean
  /** Those that its user named, who may have an authorization server at home. They may be anywhere. */
  readonly chosenOrigins: readonly string[]
}

export const NO_LEEWAY: Leeway = { allowsHttp: false, chosenOrigins: [] }

export function leewayOf(server: AdmittedServer): Leeway {
  return { allowsHttp: allowsPlainHttp(server.transport), chosenOrigins: originsIn(server) }
}

/** Of several entries that use the same sign-in: what one of them allows is allowed. */
export function leewayOfAny(servers: readonly AdmittedServer[]): Leeway {
  const each = servers.map(leewayOf)
  return {
    allowsHttp: each.some(({ allowsHttp }) => allowsHttp),
    chosenOrigins: [...new Set(each.flatMap(({ chosenOrigins }) => chosenOrigins))],
  }
}

/** Scopes in which nobody but the user, or whoever manages the machine, writes. */
const OWN: ReadonlySet<Scope> = new Set(['user', 'local', 'dynamic', 'managed'])

function originsIn({ transport, auth, found }: AdmittedServer): readonly string[] {
  if (!OWN.has(found.origin.scope)) return []
  const oauth: OAuth = 'oauth' in transport ? (transport.oauth ?? {}) : {}
  const { issuer, authServerMetadataUrl, authorizationUrl, tokenUrl, idpIssuer, idpTokenUrl } = oauth
  const named = [
    issuer,
    authServerMetadataUrl,
    authorizationUrl,
    tokenUrl ?? auth?.tokenUrl,
    idpIssuer,
    idpTokenUrl,
  ]
  const origins = named.flatMap((one) =>
    one !== undefined && URL.canParse(one) ? [new URL(one).origin] : [],
  )
  return [...new Set(origins)]
}
