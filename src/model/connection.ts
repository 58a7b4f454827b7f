/**
 * connection: how far we have reached a server. One value; `connect/machine.ts` alone says what follows what.
 */
import type { Problem } from './problem.ts'

export type Connection =
  /** Nobody has asked for it yet. */
  | { readonly state: 'idle' }
  | { readonly state: 'connecting'; readonly attempt: number; readonly since: number }
  /** `attempt` is the one that got here: should the session die young, the count goes on from it. */
  | { readonly state: 'ready'; readonly attempt: number; readonly since: number }
  /** It wants a sign-in that nobody has given. */
  | { readonly state: 'needs-auth'; readonly problem: Problem }
  /** Between two tries. */
  | {
      readonly state: 'waiting'
      /** Of the next try. */
      readonly attempt: number
      readonly retryAt: number
      readonly problem: Problem
    }
  /** Given up, until someone asks again. */
  | { readonly state: 'failed'; readonly problem: Problem }
  | { readonly state: 'closed' }

export type ConnectionState = Connection['state']

/** What is done between an admitted server and its tools, in this order. `start` is spawn, or TCP and TLS. */
export type Stage = 'resolve' | 'start' | 'negotiate' | 'list'

export interface StageTime {
  readonly name: Stage
  readonly ms: number
  readonly ok: boolean
}
