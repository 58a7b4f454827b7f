/**
 * subscriptions: keeps a host subscribed to changes of resources, while sessions end and begin.
 *
 * in     a server and one of its resources; notifications of servers; the news that sessions may have changed
 * out    one event for each change, and one for each gap in which a change may have been missed
 * never  forgets a subscription because a session ended; loses one without a problem that says so
 */
import type { Signal } from '../base/abort.ts'
import { isObject } from '../base/is-object.ts'
import type { Problem } from '../model/problem.ts'
import {
  SessionError,
  speaksLegacy,
  type Audience,
  type RequestOptions,
  type ResourceSubscriptions,
  type Session,
} from '../model/session.ts'
import { ProblemError } from '../problem/problem.ts'
import type { Clock } from '../world/world.ts'
import { timeoutOf, untilLive } from './ask.ts'
import type { BoardNotification } from './board-notification.ts'
import { noSubscriptions, subscriptionLost } from './board-problems.ts'
import type { Supervisor } from './supervisor.ts'

export interface ResourceChange {
  readonly server: string
  /** May be below the resource that the client subscribed to. */
  readonly uri: string
  /**
   * `server`: the server reports the change. `gap`: no session listened for a while, as before a reconnect, so there
   * may be a change.
   */
  readonly by: 'server' | 'gap'
  /** The clients that subscribed. Undefined: all clients. */
  readonly audience?: Audience | undefined
}

/** `client`: as for a request. */
export type SubscribeOptions = Pick<RequestOptions, 'signal' | 'client'>

export interface SubscriptionsHost {
  readonly clock: Clock
  find(server: string): Supervisor | undefined
  onResource(change: ResourceChange): void
  /** A problem appeared, or went away. */
  onChange(server: string): void
}

interface Entry {
  readonly server: string
  readonly uri: string
  /** The client whose session reports changes. Undefined: the session that all clients share. */
  readonly client: object | undefined
  /** How many callers hold it, or wait for it. */
  users: number
  /** The session that was asked last. Undefined: no server has agreed yet. */
  session: Session | undefined
  problem: Problem | undefined
  /** Settles when no earlier request for this entry is pending. */
  turn: Promise<unknown>
}

export class Subscriptions {
  readonly #host: SubscriptionsHost
  readonly #entries = new Map<string, Entry>()

  constructor(host: SubscriptionsHost) {
    this.#host = host
  }

  /** Rejects with a ProblemError or a SessionError. The returned function ends the subscription. */
  async add(one: Supervisor, uri: string, { signal, client }: SubscribeOptions): Promise<() => void> {
    const whose = client === undefined ? undefined : await this.#whose(one, client, signal)
    const entry = this.#entryOf(one.server.name, uri, whose)
    entry.users += 1
    const joining = entry.turn.then(() => this.#join(entry, one, signal))
    entry.turn = joining.catch(() => undefined)
    const release = once(() => this.#release(entry))
    try {
      await unlessAborted(joining, signal)
      return release
    } catch (error) {
      // Whether or not the server agrees in the end: no caller waits for it.
      void entry.turn.then(release)
      throw error
    }
  }

  hear({ server, method, params: { uri }, audience }: BoardNotification): void {
    if (method !== 'notifications/resources/updated' || typeof uri !== 'string') return
    this.#host.onResource({ server, uri, by: 'server', ...(audience === undefined ? {} : { audience }) })
  }

  /** A new session does not know the subscriptions of the one before. */
  renew(): void {
    for (const entry of this.#entries.values()) {
      const one = this.#host.find(entry.server)
      const live = one?.liveSession
      if (entry.session === undefined || live === undefined || entry.session === live) continue
      entry.session = live
      this.#ask(entry, live, timeoutOf(one!)).then(
        () => this.#settle(entry, live),
        (error: unknown) => this.#lose(entry, live, error),
      )
    }
  }

  problems(): readonly Problem[] {
    return [...this.#entries.values()].flatMap(({ problem }) => problem ?? [])
  }

  async #join(entry: Entry, one: Supervisor, signal: Signal | undefined): Promise<void> {
    if (entry.session !== undefined && entry.problem === undefined) return
    const { session, by } = await untilLive(one, { signal }, this.#host.clock)
    await this.#ask(entry, session, timeoutOf(by))
    entry.session = session
  }

  async #ask(entry: Entry, session: Session, timeoutMs: number): Promise<void> {
    const legacy = speaksLegacy(entry.client) ? await session.legacy?.() : undefined
    const { resources } = (legacy ?? session).hello.capabilities
    if (!isObject(resources) || resources['subscribe'] !== true)
      throw new ProblemError(noSubscriptions(entry.server))
    await subscriptionsFor(entry, session).add(
      entry.uri,
      {
        onGap: () => this.#tellGap(entry),
        onLost: (error) => this.#lose(entry, session, error),
      },
      timeoutMs,
    )
    this.#setProblem(entry, undefined)
  }

  /** All users may have left meanwhile. */
  #settle(entry: Entry, session: Session): void {
    if (entry.users > 0) this.#tellGap(entry)
    else if (!this.#entries.has(keyOf(entry))) this.#giveUp(entry, session)
  }

  #tellGap({ server, uri, client, users }: Entry): void {
    if (users === 0) return
    const audience: Audience | undefined = client === undefined ? undefined : (one) => one === client
    this.#host.onResource({ server, uri, by: 'gap', ...(audience === undefined ? {} : { audience }) })
  }

  /** A client has a subscription of its own only where each client has a session of its own. */
  async #whose(one: Supervisor, client: object, signal: Signal | undefined): Promise<object | undefined> {
    const session = one.liveSession ?? (await untilLive(one, { signal }, this.#host.clock)).session
    return session.subscriptionsOf === undefined ? undefined : client
  }

  /** A subscription that ended with its session comes back with the next one. */
  #lose(entry: Entry, session: Session, error: unknown): void {
    if (session !== this.#host.find(entry.server)?.liveSession) return
    if (error instanceof ProblemError) this.#setProblem(entry, error.problem)
    else if (error instanceof SessionError) this.#setProblem(entry, subscriptionLost(entry, error))
    else throw error
  }

  #setProblem(entry: Entry, problem: Problem | undefined): void {
    if (entry.problem === problem) return
    entry.problem = problem
    this.#host.onChange(entry.server)
  }

  #release(entry: Entry): void {
    entry.users -= 1
    if (entry.users > 0) return
    this.#entries.delete(keyOf(entry))
    if (entry.session !== undefined) this.#giveUp(entry, entry.session)
  }

  /**
   * Keeps the subscription where another client gets the same updates: the server may have been replaced by one that
   * does not keep clients apart.
   */
  #giveUp({ server, uri, client }: Entry, session: Session): void {
    const mayBeShared = client !== undefined && session.subscriptionsOf === undefined
    const others = mayBeShared ? [...this.#entries.values()] : []
    if (others.some((other) => other.server === server && other.uri === uri)) return
    subscriptionsFor({ client }, session).remove(uri)
  }

  #entryOf(server: string, uri: string, client: object | undefined): Entry {
    const known = this.#entries.get(keyOf({ server, uri, client }))
    if (known !== undefined) return known
    const entry: Entry = {
      server,
      uri,
      client,
      users: 0,
      session: undefined,
      problem: undefined,
      turn: Promise.resolve(),
    }
    this.#entries.set(keyOf(entry), entry)
    return entry
  }
}

function keyOf({ server, uri, client }: Pick<Entry, 'server' | 'uri' | 'client'>): string {
  return JSON.stringify([server, uri, client === undefined ? 0 : numberOf(client)])
}

const numbers = new WeakMap<object, number>()
let lastNumber = 0

function numberOf(client: object): number {
  const number = numbers.get(client) ?? ++lastNumber
  numbers.set(client, number)
  return number
}

function subscriptionsFor({ client }: Pick<Entry, 'client'>, session: Session): ResourceSubscriptions {
  const own = client === undefined ? undefined : session.subscriptionsOf?.(client)
  return own ?? session.subscriptions
}

function once(step: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    step()
  }
}

/** Work that cannot be stopped continues in the background. */
function unlessAborted(work: Promise<void>, signal: Signal | undefined): Promise<void> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new SessionError({ kind: 'aborted', wasSent: true }))
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
