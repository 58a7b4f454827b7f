/**
 * pool-instance: what is kept for one client of a server, and how many clients may have something of their own.
 */
import type { RequestClient, RequestOptions, Session, Subscriber } from '../model/session.ts'

/** What is kept for one client. */
export interface Instance {
  readonly client: RequestClient
  readonly session: Promise<Session>
  /** Once it is there. */
  live: Session | undefined
  /** Or the one that is there for everybody. */
  isOwn: boolean
  underWay: number
  usedAt: number
  /** Of the request that came last, while one is under way: they all lead to the same client, and hold on to a lot. */
  onLog: RequestOptions['onLog']
  readonly subscribers: Map<string, Subscriber>
  /** Nobody waits for it any more. */
  readonly controller: AbortController
  forget(): void
}

/**
 * Of the only client there is, while none of its requests is under way. Of several that are, those who made them know
 * better: what looks like one client may be two of the same kind.
 */
export function idleHandlers([one, ...others]: readonly Instance[]): RequestOptions['handlers'] {
  return one?.underWay === 0 && others.length === 0 ? one.client.atRest?.handlers : undefined
}

/** `too-many`: of this guest, or of all. */
export type Place =
  | { readonly kind: 'own' }
  | { readonly kind: 'too-many'; readonly of: 'guest' | 'all'; readonly why: string }

/** Whether there may be one more, for this client. */
export function placeFor(client: RequestClient, instances: Iterable<Instance>, maxInstances: number): Place {
  const own = [...instances].filter(({ isOwn }) => isOwn)
  const theirs = own.filter((one) => isSameGuest(one.client, client)).length
  if (theirs >= shareOf(maxInstances - own.length + theirs)) return tooMany('guest', theirs)
  return own.length < maxInstances ? { kind: 'own' } : tooMany('all', own.length)
}

/**
 * As `placeFor`, where all clients of one person share a process. At the limit the person that was idle for longest gives
 * way: `over` are its clients.
 */
export function placeForPerson(
  client: RequestClient,
  instances: readonly Instance[],
  { maxInstances, now }: { readonly maxInstances: number; readonly now: number },
): { readonly place: Place; readonly over: readonly RequestClient[] } {
  const byPerson = new Map<string | undefined, Instance[]>()
  for (const one of instances) {
    const { person } = one.client
    byPerson.set(person, [...(byPerson.get(person) ?? []), one])
  }
  if (byPerson.has(client.person) || byPerson.size < maxInstances) return { place: { kind: 'own' }, over: [] }
  const idleMs = (theirs: readonly Instance[]): number =>
    Math.min(...theirs.map(({ usedAt }) => now - usedAt))
  const [longestIdle] = [...byPerson.values()]
    .filter((theirs) => theirs.every(({ underWay, subscribers }) => underWay + subscribers.size === 0))
    .sort((a, b) => idleMs(b) - idleMs(a))
  return longestIdle === undefined
    ? { place: tooMany('all', byPerson.size, 'persons'), over: [] }
    : { place: { kind: 'own' }, over: longestIdle.map((one) => one.client) }
}

function tooMany(of: 'guest' | 'all', count: number, who = 'clients'): Place {
  const what = of === 'guest' ? 'share of one guest' : 'limit'
  return {
    kind: 'too-many',
    of,
    why: `${count} ${who} have this server for themselves already, which is the ${what}`,
  }
}

function isSameGuest({ guest }: RequestClient, other: RequestClient): boolean {
  return guest !== undefined && guest === other.guest
}

/** Of what others left, half, so that something is left again; but one for whoever has none. */
function shareOf(left: number): number {
  return Math.max(1, Math.floor(left / 2))
}
