/**
 * credential: the token that was stored for a server.
 *
 * in     a server and, for a remote one, its address
 * out    the token, or undefined; a credential that the entry asks for by name and nobody has is reported
 */
import type { Secret } from '../../base/secret.ts'
import type { CredentialRequest } from '../../model/launch.ts'
import type { Job } from './job.ts'
import { credentialsFailed, noCredential } from './problems.ts'

export async function findCredential(job: Job, url: string | undefined): Promise<Secret | undefined> {
  const { server, context } = job
  const credentialId = server.auth?.credentialId
  const general: CredentialRequest = { server: server.name, ...(url === undefined ? {} : { url }) }
  // By its name first, then by where it is for.
  const requests = credentialId === undefined ? [general] : [{ ...general, credentialId }, general]
  try {
    for (const request of requests) {
      const token = await context.credentials?.find(request)
      if (token !== undefined) return token
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
