/**
 * credential: finds the stored token of a server.
 *
 * in     a server and, for a remote one, its address
 * out    the token, or undefined; it reports a credential that the entry names and no store has
 */
import type { Secret } from '../../base/secret.ts'
import type { CredentialRequest } from '../../model/launch.ts'
import { authorizationLimitsOf } from '../../model/leeway.ts'
import { MAX_TOKEN_BYTES, type Authorization } from '../../model/sign-in.ts'
import type { Job } from './job.ts'
import { credentialsFailed, noCredential } from './problems.ts'

export function findCredential(job: Job, url: string | undefined): Promise<Secret | undefined> {
  return look(job, url, async (request) => requireShort(await job.context.credentials?.find(request)))
}

/** Like `findCredential`, for servers over HTTP and sources whose tokens change. */
export function findAuthorization(job: Job, url: string): Promise<Authorization | undefined> {
  return look(job, url, async (request) => job.context.credentials?.authorize?.(request))
}

function requireShort(token: Secret | undefined): Secret | undefined {
  if ((token?.reveal().length ?? 0) > MAX_TOKEN_BYTES) throw new Error('the token is longer than 16 KB')
  return token
}

async function look<T>(
  job: Job,
  url: string | undefined,
  find: (request: CredentialRequest) => Promise<T | undefined>,
): Promise<T | undefined> {
  const { server, context } = job
  const credentialId = server.auth?.credentialId
  const general: CredentialRequest = {
    server: server.name,
    ...(url === undefined ? {} : { url }),
    leeway: authorizationLimitsOf(server),
  }
  // By its name first, then by its address.
  const requests = credentialId === undefined ? [general] : [{ ...general, credentialId }, general]
  try {
    for (const request of requests) {
      const found = await find(request)
      if (found !== undefined) return found
    }
  } catch (error) {
    job.problems.push(credentialsFailed(server, error))
    return undefined
  }
  if (credentialId !== undefined) {
    job.problems.push(noCredential(server, credentialId, context.world.platform))
  }
  return undefined
}
