/**
 * connection: the state of the connection to a server. It is one value, and only `connect/machine.ts` decides its
 * transitions.
 */
import type { Problem } from './problem.ts'

export type Connection =
  /** No caller has needed it yet. */
  | { readonly state: 'idle' }
  | { readonly state: 'connecting'; readonly attempt: number; readonly since: number }
  /** `attempt` is the one that succeeded: if the session dies early, the count goes on from it. */
  | { readonly state: 'ready'; readonly attempt: number; readonly since: number }
  /** The server requires a sign-in, and the user has not signed in. */
  | { readonly state: 'needs-auth'; readonly problem: Problem }
  /** Between two attempts. */
  | {
      readonly state: 'waiting'
      /** The number of the next attempt. */
      readonly attempt: number
      readonly retryAt: number
      readonly problem: Problem
    }
  /** Plugboard gave up, until a caller needs the server again. */
  | { readonly state: 'failed'; readonly problem: Problem }
  | { readonly state: 'closed' }

export type ConnectionState = Connection['state']

/** The steps from an admitted server to its tools, in this order. `start` is spawn, or TCP and TLS. */
export type Stage = 'resolve' | 'start' | 'negotiate' | 'list'

export interface StageTime {
  readonly name: Stage
  readonly ms: number
  readonly ok: boolean
}
