/** pool-errors: why there is no session, for the request that waits for one. */
import { SessionError } from '../model/session.ts'
import { ConnectError } from '../pipeline/connect/connect.ts'

export function toSessionError(error: unknown): SessionError {
  if (error instanceof SessionError) return error
  return error instanceof ConnectError && error.failure.kind === 'lost'
    ? new SessionError({ ...error.failure, wasSent: false })
    : lost(reasonOf(error))
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export function lost(message: string): SessionError {
  return new SessionError({ kind: 'lost', wire: { kind: 'protocol', message }, wasSent: false })
}
