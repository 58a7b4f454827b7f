/**
 * scopes: chooses the scopes of a sign-in.
 *
 * in     what the user, the entry, the server and its description say
 * out    scopes, or undefined: then the authorization server decides
 */
import type { AuthServer } from './discover.ts'
import type { SignInContext } from './errand.ts'

export function chooseScopes(errand: SignInContext, server: AuthServer): readonly string[] | undefined {
  const pinned = errand.scopes ?? errand.plan.scopes
  if (pinned !== undefined && pinned.length > 0) return pinned
  // In the order of the specification: the scopes of the challenge, else all that the resource lists.
  const wanted = errand.challenge?.scopes ?? []
  const scopes = wanted.length > 0 ? wanted : server.scopes
  return scopes === undefined ? undefined : withOffline(errand, server, scopes)
}

/** Without this scope, some authorization servers issue no refresh token. */
const OFFLINE = 'offline_access'

function withOffline(
  { plan }: SignInContext,
  { metadata }: AuthServer,
  scopes: readonly string[],
): readonly string[] {
  const isForPeople = plan.grant.kind === 'code' || plan.grant.kind === 'device'
  const isOffered = metadata?.scopes_supported?.includes(OFFLINE) === true
  return isForPeople && isOffered && !scopes.includes(OFFLINE) ? [...scopes, OFFLINE] : scopes
}
