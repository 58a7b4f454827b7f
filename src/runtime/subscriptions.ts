/**
 * subscriptions: resources whose changes a host wants to hear of, whatever becomes of the sessions meanwhile.
 *
 * in     a server and one of its resources; what servers tell; that sessions may be other ones now
 * out    one event for each change, and one for each gap in which a change may have been missed
 * never  forgets a subscription because a session ended; loses one without a problem that says so
 */
import { isObject } from '../base/is-object.ts'
import type { Params } from '../model/message.ts'
import type { Problem } from '../model/problem.ts'
import { SessionError, type Session } from '../model/session.ts'
import { ProblemError } from '../problem/problem.ts'
import type { Clock } from '../world/world.ts'
import { timeoutOf, untilLive } from './ask.ts'
import { noSubscriptions, subscriptionLost } from './board-problems.ts'
import type { Supervisor } from './supervisor.ts'

export interface ResourceChange {
  readonly server: string
  /** May be one below the resource that was subscribed to. */
  readonly uri: string
  /** `server`: it says so. `gap`: nobody listened for a while, as before a reconnect, and it may have changed. */
  readonly by: 'server' | 'gap'
}

export interface SubscriptionsHost {
  readonly clock: Clock
  find(server: string): Supervisor | undefined
  onResource(change: ResourceChange): void
  /** A problem came, or went. */
  onChange(server: string): void
}

interface Entry {
  readonly server: string
  readonly uri: string
  /** Who holds it, or waits for it. */
  users: number
  /** Whose server was asked last. Undefined: none has agreed yet. */
  session: Session | undefined
  problem: Problem | undefined
  /** Settles when nobody is about to ask. */
  turn: Promise<unknown>
}

export class Subscriptions {
  readonly #host: SubscriptionsHost
  readonly #entries = new Map<string, Entry>()

  constructor(host: SubscriptionsHost) {
    this.#host = host
  }

  /** Rejects with a ProblemError or a SessionError. The answer gives it up again. */
  async add(one: Supervisor, uri: string, signal: AbortSignal | undefined): Promise<() => void> {
    const entry = this.#entryOf(one.server.name, uri)
    entry.users += 1
    const joining = entry.turn.then(() => this.#join(entry, one, signal))
    entry.turn = joining.catch(() => undefined)
    const release = once(() => this.#release(entry))
    try {
      await unlessAborted(joining, signal)
      return release
    } catch (error) {
      // Whether or not the server agrees in the end: nobody waits for it.
      void entry.turn.then(release)
      throw error
    }
  }

  hear(server: string, method: string, { uri }: Params): void {
    if (method !== 'notifications/resources/updated' || typeof uri !== 'string') return
    this.#host.onResource({ server, uri, by: 'server' })
  }

  /** A session that is new knows nothing of what the one before was asked for. */
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

  async #join(entry: Entry, one: Supervisor, signal: AbortSignal | undefined): Promise<void> {
    if (entry.session !== undefined && entry.problem === undefined) return
    const { session, by } = await untilLive(one, { signal }, this.#host.clock)
    await this.#ask(entry, session, timeoutOf(by))
    entry.session = session
  }

  async #ask(entry: Entry, session: Session, timeoutMs: number): Promise<void> {
    const { resources } = session.hello.capabilities
    if (!isObject(resources) || resources['subscribe'] !== true)
      throw new ProblemError(noSubscriptions(entry.server))
    await session.subscriptions.add(
      entry.uri,
      {
        onGap: () => this.#tellGap(entry),
        onLost: (error) => this.#lose(entry, session, error),
      },
      timeoutMs,
    )
    this.#setProblem(entry, undefined)
  }

  /** It may have been given up meanwhile. */
  #settle(entry: Entry, session: Session): void {
    if (entry.users > 0) this.#tellGap(entry)
    else if (!this.#entries.has(keyOf(entry.server, entry.uri))) session.subscriptions.remove(entry.uri)
  }

  #tellGap({ server, uri, users }: Entry): void {
    if (users > 0) this.#host.onResource({ server, uri, by: 'gap' })
  }

  /** What the end of a session takes along comes back with the next one. */
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
    this.#entries.delete(keyOf(entry.server, entry.uri))
    entry.session?.subscriptions.remove(entry.uri)
  }

  #entryOf(server: string, uri: string): Entry {
    const known = this.#entries.get(keyOf(server, uri))
    if (known !== undefined) return known
    const entry: Entry = {
      server,
      uri,
      users: 0,
      session: undefined,
      problem: undefined,
      turn: Promise.resolve(),
    }
    this.#entries.set(keyOf(server, uri), entry)
    return entry
  }
}

function keyOf(server: string, uri: string): string {
  return JSON.stringify([server, uri])
}

function once(step: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    step()
  }
}

/** Work that cannot be stopped is left to itself. */
function unlessAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new SessionError({ kind: 'aborted', wasSent: true }))
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
