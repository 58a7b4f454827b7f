/**
 * find-sign-ins: which sign-ins belong to which servers, without starting or asking any.
 *
 * in     the loaded catalog, and the store
 * out    every sign-in with the servers that would use it
 */
import type { AdmittedServer } from '../model/catalog.ts'
import { hasOwnAuthorization } from '../model/definition.ts'
import type { Problem } from '../model/problem.ts'
import { toKeyUrl, type SignInSummary, type SignInQuery } from '../model/sign-in.ts'
import { createJob } from '../pipeline/resolve/job.ts'
import { resolveUrl } from '../pipeline/resolve/remote.ts'
import { createValueCache } from '../pipeline/resolve/value-cache.ts'
import type { World } from '../world/world.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import { openSignInStore } from './sign-in-store.ts'

export interface FoundSignIn extends SignInSummary {
  /** By name. Empty when no entry has this address any more. */
  readonly servers: readonly string[]
}

export interface FoundSignIns {
  readonly signIns: readonly FoundSignIn[]
  /** Why the list may be incomplete. */
  readonly problem?: Problem
}

export function findSignIns(world: World, { catalog, dirs }: LoadedCatalog): FoundSignIns {
  const { signIns, problem } = openSignInStore(world, dirs).all()
  const wishes = catalog.servers
    .filter(mayUse)
    .map((server) => ({ name: server.name, wish: wishOf(world, server) }))
  return {
    signIns: signIns.map((one) => ({
      ...one,
      servers: wishes.filter(({ wish }) => wish !== undefined && isFor(one, wish)).map(({ name }) => name),
    })),
    ...(problem === undefined ? {} : { problem }),
  }
}

/** Some servers bring a token of their own, or their entry turns sign-ins off. */
function mayUse({ transport }: AdmittedServer): boolean {
  const isOff = 'oauth' in transport && transport.oauth?.isOff === true
  return !isOff && !hasOwnAuthorization(transport)
}

/** The sign-in that a server would look for. Undefined for a server that needs no sign-in. */
export function wishOf(world: World, server: AdmittedServer): SignInQuery | undefined {
  const { transport, auth } = server
  const named = auth?.credentialId === undefined ? {} : { credentialId: auth.credentialId }
  if (transport.type === 'stdio') return auth?.credentialId === undefined ? undefined : named
  if (!('url' in transport)) return undefined
  const { text } = resolveUrl(createJob(server, { world, cache: createValueCache() }), transport.url)
  const url = toKeyUrl(text)
  return url === undefined ? undefined : { url, ...named }
}

function isFor({ key }: SignInSummary, { url, credentialId }: SignInQuery): boolean {
  return key.url === url && (key.credentialId === undefined || key.credentialId === credentialId)
}
