/**
 * leeway: what a server's entry allows authorization servers, beyond what an unknown server may make Plugboard do. Only
 * this module decides it, so that sign-in, renewal and sign-out use the same addresses.
 *
 * in     a server, as its entry is now: earlier permissions are not remembered
 * out    whether plain HTTP is allowed, and which origins may be in a private network
 */
import type { AdmittedServer } from './catalog.ts'
import { allowsPlainHttp, type OAuth } from './definition.ts'
import type { Scope } from './origin.ts'

export interface AuthorizationLimits {
  /** Secrets may be sent to other machines over plain HTTP. */
  readonly allowsHttp: boolean
  /**
   * Origins that the user named. They may be on any network, because a user may run an authorization server at home.
   */
  readonly chosenOrigins: readonly string[]
}

export const STRICT_LIMITS: AuthorizationLimits = { allowsHttp: false, chosenOrigins: [] }

export function authorizationLimitsOf(server: AdmittedServer): AuthorizationLimits {
  return { allowsHttp: allowsPlainHttp(server.transport), chosenOrigins: originsIn(server) }
}

/** For several entries that use the same sign-in: what one of them allows is allowed. */
export function leewayOfAny(servers: readonly AdmittedServer[]): AuthorizationLimits {
  const each = servers.map(authorizationLimitsOf)
  return {
    allowsHttp: each.some(({ allowsHttp }) => allowsHttp),
    chosenOrigins: [...new Set(each.flatMap(({ chosenOrigins }) => chosenOrigins))],
  }
}

/** Scopes whose files only the user or the administrator of the machine writes. */
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
