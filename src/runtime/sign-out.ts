/**
 * sign-out: revokes a sign-in, and forgets it.
 *
 * in     the name of a server, the address of a sign-in, or the name of a credential that no server asks for
 * out    the outcome for each sign-in
 * never  keeps what could not be revoked: it says so instead
 */
import { leewayOfAny, type AuthorizationLimits } from '../model/leeway.ts'
import type { Problem } from '../model/problem.ts'
import { toKeyUrl, type SignIn, type SignInKey } from '../model/sign-in.ts'
import { createGuardedFetch } from '../pipeline/authorize/guarded-fetch.ts'
import { revoke, type Revocation } from '../pipeline/authorize/revoke.ts'
import { createProblem, ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import { findSignIns } from './find-sign-ins.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import { openSignInStore, type OpenSignInStore } from './sign-in-store.ts'

export interface SignedOut {
  readonly key: SignInKey
  /** `over`: it could no longer be renewed. */
  readonly revocation: Revocation | { readonly kind: 'over' }
  /** When a token that was not revoked ends by itself. Absent: no end is known. */
  readonly expiresAt?: number
}

/** Empty when the user was not signed in. Throws `authorize/store-…`. */
export async function signOut(
  world: World,
  loaded: LoadedCatalog,
  name: string,
): Promise<readonly SignedOut[]> {
  const { signIns, problem } = findSignIns(world, loaded)
  if (problem !== undefined) throw new ProblemError(problem)
  const url = toKeyUrl(name)
  const mine = signIns.filter(
    ({ servers, key }) =>
      servers.includes(name) ||
      (url !== undefined && key.url === url) ||
      // A sign-in that no entry asks for any more has no other name.
      (key.url === undefined && servers.length === 0 && key.credentialId === name),
  )
  const store = openSignInStore(world, loaded.dirs)
  const done: SignedOut[] = []
  for (const { key, servers, expiresAt, canRenew } of mine) {
    const leeway = leewayOfAny(loaded.catalog.servers.filter((server) => servers.includes(server.name)))
    const revocation = await giveBack({ world, store, leeway }, key)
    await store.forget(key)
    // A sign-in that can be renewed does not end with its token.
    done.push({ key, revocation, ...(expiresAt === undefined || canRenew ? {} : { expiresAt }) })
  }
  return done
}

/** For a server that no file declares, and that has no sign-in either. */
export function notSignedIn(name: string): Problem {
  return createProblem({
    code: 'authorize/not-signed-in',
    message: `nobody is signed in to \`${name}\``,
    hints: ['to see who is signed in where, run `plugboard auth status`'],
  })
}

interface Way {
  readonly world: World
  readonly store: OpenSignInStore
  /** From the entries that use it. */
  readonly leeway: AuthorizationLimits
}

async function giveBack({ world, store, leeway }: Way, key: SignInKey): Promise<SignedOut['revocation']> {
  let signIn: SignIn | undefined
  try {
    signIn = await store.findExactly(key)
  } catch (error) {
    // The keychain is locked. The sign-in is forgotten all the same.
    if (!(error instanceof ProblemError)) throw error
    return { kind: 'failed', why: error.problem.message }
  }
  if (signIn === undefined || signIn.ended !== undefined) return { kind: 'over' }
  const serverUrl = key.url ?? signIn.endpoints.revocation ?? ''
  return revoke(signIn, createGuardedFetch(world, { serverUrl, ...leeway }))
}
