/**
 * alone-for: how a board signs in to servers whose entries need no user for that.
 *
 * in     the server that needs a sign-in
 * out    a function that makes a sign-in, for entries with such a grant; it reads its input again each time: a token
 *        that identifies this machine lasts an hour, and another program keeps its file fresh
 */
import type { AdmittedServer } from '../model/catalog.ts'
import type { CredentialRequest } from '../model/launch.ts'
import type { SignInPlan } from '../model/sign-in.ts'
import type { ResolveContext } from '../pipeline/resolve/resolve.ts'
import { GuardError } from '../pipeline/authorize/guarded-fetch.ts'
import { resolveClientId, resolveSignIn } from '../pipeline/resolve/sign-in.ts'
import { ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import type { Alone } from './held-sign-in.ts'

/**
 * The limit for all requests of one sign-in together, which run one after the other. Other processes wait for the lock
 * meanwhile. They treat a holder that takes twice as long as one that hangs.
 */
const ERRAND_MS = 60_000

export function createAloneFor(
  resolving: ResolveContext,
  find: (name: string) => AdmittedServer | undefined,
): (request: CredentialRequest) => Alone | undefined {
  return ({ server: name }) => {
    const server = find(name)
    if (server === undefined || !isForNobody(server)) return undefined
    const clientId = resolveClientId(server, resolving)
    return {
      clientId,
      signIn: async (challenge, knownIssuer) => {
        const plan = await planFor(server, resolving)
        const { signInAlone } = await import('../pipeline/authorize/alone.ts')
        const known = knownIssuer === undefined ? {} : { knownIssuer }
        const errand = { server: name, plan: { ...plan, ...known }, challenge, world: resolving.world }
        return inTime(errand, (signal) => signInAlone({ ...errand, signal }))
      },
    }
  }
}

/** Throws a ProblemError. */
async function planFor(server: AdmittedServer, resolving: ResolveContext): Promise<SignInPlan> {
  const { plan, problems } = (await resolveSignIn(server, resolving))!
  const fault = problems.find(({ severity }) => severity === 'error')
  if (fault !== undefined) throw new ProblemError(fault)
  return plan
}

/** A sign-in that takes too long counts as no answer, like a single request without one, and not as a refusal. */
async function inTime<T>(
  { plan, world }: { readonly plan: SignInPlan; readonly world: World },
  step: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController()
  const why = `signing in took longer than ${ERRAND_MS / 1000} s`
  const cancel = world.clock.after(
    ERRAND_MS,
    () => limit.abort(new GuardError('too-slow', new URL(plan.url), why)),
    'loose',
  )
  try {
    return await step(limit.signal)
  } finally {
    cancel()
  }
}

function isForNobody({ transport }: AdmittedServer): boolean {
  if (transport.type !== 'http' && transport.type !== 'sse') return false
  const { grantType = 'authorization_code', isOff } = transport.oauth ?? {}
  return isOff !== true && grantType !== 'authorization_code' && grantType !== 'device_code'
}
