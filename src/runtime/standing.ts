/**
 * standing: the status of a server, as far as a model is concerned.
 *
 * in     its standing before, and its connection now
 * out    one of four words
 * never  changes because a session came and went: a host drops its cached prompt when its text changes
 */
import type { Connection } from '../model/connection.ts'
import type { Offering } from '../model/offering.ts'

export type Standing = 'ready' | 'pending' | 'needs-auth' | 'failed'

export interface KnownServer {
  readonly name: string
  readonly connection: Connection
  readonly offering?: Offering | undefined
}

export type StandingServer = KnownServer & { readonly standing: Standing }

/** A try that is under way says nothing new about a server: the standing from before holds until it is over. */
export function nextStanding(before: Standing | undefined, { state }: Connection): Standing {
  switch (state) {
    case 'ready':
    case 'needs-auth':
    case 'failed':
      return state
    case 'waiting':
      return before === undefined || before === 'pending' ? 'failed' : before
    case 'connecting':
      return before ?? 'pending'
    case 'idle':
    case 'closed':
      return 'pending'
  }
}
