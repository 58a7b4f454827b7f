/**
 * alone-for: how a board signs in to servers whose entries need nobody for that.
 *
 * in     which server asks
 * out    a step that gives a sign-in, for entries with such a grant; what it takes is read anew each time: a token that
 *        vouches for this machine lasts an hour, and somebody else keeps the file fresh
 */
import type { AdmittedServer } from '../model/catalog.ts'
import type { CredentialRequest } from '../model/launch.ts'
import type { ResolveContext } from '../pipeline/resolve/resolve.ts'
import { resolveSignIn } from '../pipeline/resolve/sign-in.ts'
import { ProblemError } from '../problem/problem.ts'
import type { Alone } from './held-sign-in.ts'

export function createAloneFor(
  resolving: ResolveContext,
  find: (name: string) => AdmittedServer | undefined,
): (request: CredentialRequest) => Alone | undefined {
  return ({ server: name }) => {
    const server = find(name)
    if (server === undefined || !isForNobody(server)) return undefined
    return async (challenge, knownIssuer) => {
      const { plan, problems } = (await resolveSignIn(server, resolving))!
      const fault = problems.find(({ severity }) => severity === 'error')
      if (fault !== undefined) throw new ProblemError(fault)
      const { signInAlone } = await import('../pipeline/authorize/alone.ts')
      const known = knownIssuer === undefined ? {} : { knownIssuer }
      return signInAlone({ server: name, plan: { ...plan, ...known }, challenge, world: resolving.world })
    }
  }
}

function isForNobody({ transport }: AdmittedServer): boolean {
  if (transport.type !== 'http' && transport.type !== 'sse') return false
  const { grantType = 'authorization_code', isOff } = transport.oauth ?? {}
  return isOff !== true && grantType !== 'authorization_code' && grantType !== 'device_code'
}
