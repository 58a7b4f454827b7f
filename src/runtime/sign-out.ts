/**
 * sign-out: a sign-in that is given back, and forgotten.
 *
 * in     the name of a server, an address that one was signed in to, or the name of a credential that no server asks for
 * out    what became of each sign-in for it
 * never  keeps what could not be taken back: it says so instead
 */
import { leewayOfAny, type Leeway } from '../model/leeway.ts'
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
  /** `over`: it could not be renewed any more. */
  readonly revocation: Revocation | { readonly kind: 'over' }
  /** When what was not taken back ends by itself. Absent: not as far as is known. */
  readonly expiresAt?: number
}

/** Empty: nobody was signed in. Throws `authorize/store-…`. */
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
      // One that no entry asks for any more has no other name.
      (key.url === undefined && servers.length === 0 && key.credentialId === name),
  )
  const store = openSignInStore(world, loaded.dirs)
  const done: SignedOut[] = []
  for (const { key, servers, expiresAt, canRenew } of mine) {
    const leeway = leewayOfAny(loaded.catalog.servers.filter((server) => servers.includes(server.name)))
    const revocation = await giveBack({ world, store, leeway }, key)
    await store.forget(key)
    // What can be renewed does not end with its token.
    done.push({ key, revocation, ...(expiresAt === undefined || canRenew ? {} : { expiresAt }) })
  }
  return done
}

/** Of a server that is not in any file, and that nobody is signed in to either. */
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
  /** Of the entries that use it. */
  readonly leeway: Leeway
}

async function giveBack({ world, store, leeway }: Way, key: SignInKey): Promise<SignedOut['revocation']> {
  let signIn: SignIn | undefined
  try {
    signIn = await store.findExactly(key)
  } catch (error) {
    // Locked away: it is forgotten all the same.
    if (!(error instanceof ProblemError)) throw error
    return { kind: 'failed', why: error.problem.message }
  }
  if (signIn === undefined || signIn.ended !== undefined) return { kind: 'over' }
  const serverUrl = key.url ?? signIn.endpoints.revocation ?? ''
  return revoke(signIn, createGuardedFetch(world, { serverUrl, ...leeway }))
}
