/**
 * pool-instance: what the pool keeps for one client of a server, and how many clients may have a session of their own.
 */
import type { RequestClient, RequestOptions, Session, Subscriber } from '../model/session.ts'

export interface Instance {
  readonly client: RequestClient
  readonly session: Promise<Session>
  /** The session, once it is open. */
  live: Session | undefined
  /** False: the client shares the base session. */
  isOwn: boolean
  underWay: number
  usedAt: number
  /** Of the latest request, while one is under way. All of them lead to the same client, and each holds much memory. */
  onLog: RequestOptions['onLog']
  readonly subscribers: Map<string, Subscriber>
  /** Stops the opening of a session that no request needs any more. */
  readonly controller: AbortController
  forget(): void
}

/**
 * The handlers of the only client, while none of its requests is under way. While requests are under way, their callers
 * know better which client is meant: what looks like one client may be two of the same kind.
 */
export function idleHandlers([one, ...others]: readonly Instance[]): RequestOptions['handlers'] {
  return one?.underWay === 0 && others.length === 0 ? one.client.atRest?.handlers : undefined
}

/** `too-many`: `of` says whether this guest, or all clients together, reached the limit. */
export type Admittance =
  | { readonly kind: 'own' }
  | { readonly kind: 'too-many'; readonly of: 'guest' | 'all'; readonly why: string }

/** Whether this client may have a session of its own. */
export function placeFor(
  client: RequestClient,
  instances: Iterable<Instance>,
  maxInstances: number,
): Admittance {
  const own = [...instances].filter(({ isOwn }) => isOwn)
  const theirs = own.filter((one) => isSameGuest(one.client, client)).length
  if (theirs >= shareOf(maxInstances - own.length + theirs)) return tooMany('guest', theirs)
  return own.length < maxInstances ? { kind: 'own' } : tooMany('all', own.length)
}

/**
 * Like `placeFor`, where all clients of one person share a process. At the limit, the person that was idle for longest
 * gives way: `over` holds the clients of that person.
 */
export function placeForPerson(
  client: RequestClient,
  instances: readonly Instance[],
  { maxInstances, now }: { readonly maxInstances: number; readonly now: number },
): { readonly place: Admittance; readonly over: readonly RequestClient[] } {
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

function tooMany(of: 'guest' | 'all', count: number, who = 'clients'): Admittance {
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

/** Half of what the others left, so that something is left for the next guest; but at least one. */
function shareOf(left: number): number {
  return Math.max(1, Math.floor(left / 2))
}
