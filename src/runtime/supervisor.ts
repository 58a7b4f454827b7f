/**
 * supervisor: keeps one server connected. Does what the machine says, and tells it what happened.
 *
 * in     an admitted server, and what all supervisors share
 * out    its session whenever one can be had; a snapshot of how far it is and what it offers
 * never  lets a failure of one server out to another; leaves a process behind after `close`
 */
import type { AdmittedServer } from '../model/catalog.ts'
import type { Connection, Stage, StageTime } from '../model/connection.ts'
import type { LaunchSpec } from '../model/launch.ts'
import type { Params } from '../model/message.ts'
import type { Offering } from '../model/offering.ts'
import type { Origin } from '../model/origin.ts'
import type { Problem } from '../model/problem.ts'
import { SessionError, type Era, type Session, type SessionFailure } from '../model/session.ts'
import type { WireFailure } from '../model/wire.ts'
import { IDLE, step, type ConnectionEvent, type Effect, type Machine } from '../pipeline/connect/machine.ts'
import { failedToConnect, isPermanent, needsSignIn, sessionLost } from '../pipeline/connect/problems.ts'
import { applyFilters } from '../pipeline/list/filter.ts'
import { credentialMarkOf, fingerprintOf } from '../pipeline/resolve/fingerprint.ts'
import { ProblemError } from '../problem/problem.ts'
import { Attempt, type AttemptHooks } from './attempt.ts'
import { disconnected } from './board-problems.ts'
import { cacheKeyOf } from './offering-cache.ts'
import { redactProblem } from './redact-problem.ts'
import { openServerLog, type ServerLog } from './server-logs.ts'
import type { Shared } from './shared.ts'

export interface ServerSnapshot {
  readonly name: string
  readonly origin: Origin
  readonly connection: Connection
  /** What it offers: live, or as it was last time while it is still on its way. */
  readonly offering?: Offering
  /** When the lists were read, where they come from the cache. */
  readonly cachedAt?: number
  readonly era?: Era
  /** Of the last try. */
  readonly stages: readonly StageTime[]
  /** What could not be filled in, and the like: it may work all the same. */
  readonly warnings: readonly Problem[]
}

export class Supervisor implements AttemptHooks {
  readonly server: AdmittedServer
  readonly #shared: Shared
  readonly fingerprint: string
  readonly #key: string
  readonly #log: ServerLog
  #machine: Machine = IDLE
  #attempt: Attempt | undefined
  /** What was dropped and is not gone yet. */
  #ending: Promise<unknown> = Promise.resolve()
  #cancelTimer: (() => void) | undefined
  #offering: Offering | undefined
  #listedAt = 0
  #cachedAt: number | undefined
  #credentialMark = ''
  #warnings: readonly Problem[] = []
  #waiters: Waiter[] = []

  constructor(server: AdmittedServer, shared: Shared) {
    this.server = server
    this.#shared = shared
    this.fingerprint = fingerprintOf(server)
    this.#key = cacheKeyOf(`${server.name} ${this.fingerprint}`, shared.capabilities)
    this.#log = openServerLog(shared.world, shared.dirs, server.name)
  }

  get connection(): Connection {
    return this.#machine.connection
  }

  get offering(): Offering | undefined {
    return this.#offering
  }

  /** The live one, when there is one. */
  get liveSession(): Session | undefined {
    return this.#machine.connection.state === 'ready' ? this.#attempt?.session : undefined
  }

  snapshot(): ServerSnapshot {
    return {
      name: this.server.name,
      origin: this.server.found.origin,
      connection: this.connection,
      ...(this.#offering === undefined ? {} : { offering: this.#offering, era: this.#offering.hello.era }),
      ...(this.#cachedAt === undefined ? {} : { cachedAt: this.#cachedAt }),
      stages: this.#attempt?.stages ?? [],
      warnings: this.#warnings,
    }
  }

  /** Starts a try unless one is under way or not needed. */
  want(): void {
    this.#dispatch({ kind: 'wanted' })
  }

  /** Waits for the try that is under way, or starts one. Rejects with its Problem; aborted, with a SessionError. */
  session(signal?: AbortSignal): Promise<Session> {
    const live = this.liveSession
    if (live !== undefined) return Promise.resolve(live)
    if (this.connection.state === 'closed')
      return Promise.reject(new ProblemError(disconnected(this.server.name)))
    this.want()
    return waitWith(signal, (waiter) => this.#waiters.push(waiter))
  }

  /** Forgets what failed and begins anew. */
  restart(): void {
    this.#dispatch({ kind: 'reset' })
  }

  async close(): Promise<void> {
    this.#dispatch({ kind: 'close' })
    await this.#ending
    this.#log.close()
  }

  /** As `close`, once the requests in flight have their answers. */
  async retire(): Promise<void> {
    await this.#attempt?.session?.drained()
    await this.close()
  }

  #dispatch(event: ConnectionEvent): void {
    const { clock } = this.#shared.world
    const before = this.connection
    const [next, ...effects] = step(this.#machine, event, { now: clock.now(), random: clock.random() })
    this.#machine = next
    for (const effect of effects) this.#perform(effect)
    if (next.connection === before) return
    this.#tellWaiters(next.connection)
    // One that nobody asked for has nothing to tell.
    if (before.state !== 'idle' || next.connection.state !== 'closed') this.#note(next.connection)
    this.#shared.onChange(this.server.name)
  }

  #perform(effect: Effect): void {
    const { clock } = this.#shared.world
    switch (effect.kind) {
      case 'open':
        this.#attempt = new Attempt(
          {
            server: this.server,
            log: this.#log,
            knownEra: this.#shared.cache.era(this.#key),
            after: this.#ending,
          },
          this.#shared,
          this,
        )
        return
      case 'schedule':
        // A command that looks and leaves has seen enough; a request still tries at once.
        if (this.#shared.retries === 'never') return
        this.#cancelTimer = clock.after(effect.at - clock.now(), () => this.#dispatch({ kind: 'due' }))
        return
      case 'cancel-schedule':
        this.#cancelTimer?.()
        return
      case 'drop-session':
        this.#ending = this.#attempt?.end() ?? this.#ending
        this.#attempt = undefined
    }
  }

  // What the attempt tells.

  onLaunch(launch: LaunchSpec): 'known' | 'unknown' {
    this.#warnings = launch.problems
    this.#credentialMark = credentialMarkOf(launch)
    if (this.#offering !== undefined) return 'known'
    const known = this.#shared.cache.find(this.#key, this.#credentialMark)
    if (known === undefined) return 'unknown'
    this.#offering = applyFilters(known.offering, this.server)
    this.#cachedAt = known.at
    this.#shared.onChange(this.server.name)
    return 'known'
  }

  onReady(listed: Offering): void {
    this.#accept(listed)
    this.#dispatch({ kind: 'ready' })
  }

  onRefused(failure: SessionFailure, stage: Stage): void {
    // Whatever was remembered of its era may be what failed.
    this.#shared.cache.forgetEra(this.#key)
    const { lastLines, startedAt, redact } = this.#attempt!
    const tookMs = this.#shared.world.clock.now() - startedAt
    const circumstances = { stage, failure: redactFailure(failure, redact), lastLines, tookMs }
    const problem = redactProblem(failedToConnect(this.server, circumstances), redact)
    if (needsSignIn(failure)) this.#dispatch({ kind: 'refused', problem, needsSignIn: true })
    else this.#dispatch({ kind: 'refused', problem, isPermanent: isPermanent(failure) })
  }

  onListed(listed: Offering): void {
    this.#accept(listed)
    this.#shared.onChange(this.server.name)
  }

  onNotification(method: string, params: Params): void {
    this.#shared.onNotification(this.server.name, method, params)
  }

  onLost(failure: WireFailure): void {
    const { lastLines, redact } = this.#attempt!
    const problem = redactProblem(sessionLost(this.server, failure, lastLines), redact)
    this.#dispatch({ kind: 'dropped', problem })
  }

  /**
   * Somebody looks at what it offers: what the server itself no longer vouches for is read again, beside. A time of 0
   * says nothing that helps: it would be out of date before anyone could look.
   */
  keepFresh(): void {
    const { ttlMs = 0 } = this.#offering ?? {}
    const now = this.#shared.world.clock.now()
    if (ttlMs === 0 || now < this.#listedAt + ttlMs || this.liveSession === undefined) return
    this.#listedAt = now
    this.#attempt!.refresh()
  }

  #accept(listed: Offering): void {
    this.#listedAt = this.#shared.world.clock.now()
    this.#offering = applyFilters(listed, this.server)
    this.#cachedAt = undefined
    this.#shared.cache.put(this.#key, {
      ...this.#named(),
      offering: listed,
      credentialMark: this.#credentialMark,
    })
  }

  #tellWaiters(connection: Connection): void {
    if (connection.state === 'connecting' || connection.state === 'idle') return
    const waiters = this.#waiters
    this.#waiters = []
    for (const waiter of waiters) {
      if (connection.state === 'ready') waiter.resolve(this.#attempt!.session!)
      else {
        const problem = 'problem' in connection ? connection.problem : disconnected(this.server.name)
        waiter.reject(new ProblemError(problem))
      }
    }
  }

  /** For the next run of anything: what became of this one. */
  #note(connection: Connection): void {
    const words = 'problem' in connection ? `: ${connection.problem.message}` : ''
    this.#log.write(`${connection.state}${words}`, 'event')
    const { state } = connection
    if (state !== 'failed' && state !== 'needs-auth' && state !== 'waiting') return
    this.#shared.cache.putFailure(this.#key, {
      ...this.#named(),
      state,
      problem: connection.problem.message,
    })
  }

  /** By what the cache knows it again. */
  #named(): {
    readonly name: string
    readonly fingerprint: string
    readonly unresolved?: readonly string[]
  } {
    const unresolved = this.#warnings.map(({ message }) => message)
    return {
      name: this.server.name,
      fingerprint: this.fingerprint,
      ...(unresolved.length === 0 ? {} : { unresolved }),
    }
  }
}

/** A server may repeat in its own words what it was given. Before anything is cut: half a secret is one, too. */
function redactFailure(failure: SessionFailure, redact: (text: string) => string): SessionFailure {
  switch (failure.kind) {
    case 'rpc':
      return { ...failure, error: { ...failure.error, message: redact(failure.error.message) } }
    case 'bad-answer':
      return { ...failure, message: redact(failure.message) }
    case 'lost': {
      const { wire } = failure
      if (wire.kind === 'http') return { ...failure, wire: { ...wire, body: redact(wire.body) } }
      return 'message' in wire ? { ...failure, wire: { ...wire, message: redact(wire.message) } } : failure
    }
    case 'timeout':
    case 'aborted':
      return failure
  }
}

interface Waiter {
  resolve(session: Session): void
  reject(error: Error): void
}

/** A promise that its caller can give up. */
function waitWith(signal: AbortSignal | undefined, add: (waiter: Waiter) => void): Promise<Session> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new SessionError({ kind: 'aborted', wasSent: false }))
    if (signal?.aborted === true) return onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    const settle = (tell: () => void): void => {
      signal?.removeEventListener('abort', onAbort)
      tell()
    }
    add({
      resolve: (session) => settle(() => resolve(session)),
      reject: (error) => settle(() => reject(error)),
    })
  })
}
