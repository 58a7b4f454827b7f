/**
 * alone-for: how a board signs in to servers whose entries need nobody for that.
 *
 * in     which server asks
 * out    a step that gives a sign-in, for entries with such a grant; what it takes is read anew each time: a token that
 *        vouches for this machine lasts an hour, and somebody else keeps the file fresh
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
 * For all that has to be asked, one after the other. Others wait for the lock meanwhile, who take a holder that takes twice as
 * long for one that hangs.
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

/** What takes too long is silence, as that of a single answer is, and not a refusal. */
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
