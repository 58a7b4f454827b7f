/**
 * sign-in-alone: servers whose entries say enough to be signed in to without anybody: client credentials, workload identity.
 *
 * in     a server that asked for a sign-in
 * out    how to get one, or undefined where a person must agree
 * never  loads what that takes before a server has asked
 */
import type { AdmittedServer } from '../model/catalog.ts'
import type { ResolveContext } from '../pipeline/resolve/resolve.ts'
import { ProblemError } from '../problem/problem.ts'
import type { Alone } from './held-sign-in.ts'

export function findAlone(
  server: AdmittedServer | undefined,
  resolving: () => ResolveContext,
): Alone | undefined {
  const transport = server?.transport
  if (server === undefined || (transport?.type !== 'http' && transport?.type !== 'sse')) return undefined
  const grant = transport.oauth?.grantType ?? 'authorization_code'
  if (grant === 'authorization_code' || grant === 'device_code') return undefined
  return async (challenge) => {
    const [{ resolveSignIn }, { signInAlone }] = await Promise.all([
      import('../pipeline/resolve/sign-in.ts'),
      import('../pipeline/authorize/alone.ts'),
    ])
    const context = resolving()
    const resolved = await resolveSignIn(server, context)
    const fault = resolved?.problems.find(({ severity }) => severity === 'error')
    if (fault !== undefined) throw new ProblemError(fault)
    return signInAlone({ world: context.world, server: server.name, plan: resolved!.plan, challenge })
  }
}
