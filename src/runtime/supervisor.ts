/**
 * supervisor: keeps one server connected. Performs the effects of the state machine, and sends it the events.
 *
 * in     an admitted server, and what all supervisors share
 * out    its session whenever one can be had; a snapshot of its state and what it offers
 * never  lets a failure of one server out to another; leaves a process behind after `close`
 */
import type { Signal } from '../base/abort.ts'
import { isObject } from '../base/is-object.ts'
import { toStableJson } from '../base/stable-json.ts'
import type { AdmittedServer, Confinement } from '../model/catalog.ts'
import type { Connection, Stage, StageTime } from '../model/connection.ts'
import type { LaunchSpec } from '../model/launch.ts'
import type { Params } from '../model/message.ts'
import type { ListKind, Offering } from '../model/offering.ts'
import type { Origin } from '../model/origin.ts'
import type { Problem } from '../model/problem.ts'
import {
  SessionError,
  speaksLegacy,
  type Audience,
  type Era,
  type RequestClient,
  type Session,
  type SessionFailure,
} from '../model/session.ts'
import type { WireFailure, WireKind } from '../model/wire.ts'
import { IDLE, step, type ConnectionEvent, type Effect, type Machine } from '../pipeline/connect/machine.ts'
import {
  brokeWhileConnecting,
  failedToConnect,
  isPermanent,
  needsSignIn,
  retryAfterOf,
  sessionLost,
} from '../pipeline/connect/problems.ts'
import { applyFilters } from '../pipeline/list/filter.ts'
import { reuse } from '../pipeline/list/reuse.ts'
import { fingerprintOf } from '../pipeline/resolve/fingerprint.ts'
import { toCrashText } from '../problem/crash-text.ts'
import { ProblemError } from '../problem/problem.ts'
import { Attempt, type AttemptHooks } from './attempt.ts'
import { disconnected } from './board-problems.ts'
import { isGone, onGone } from './client-life.ts'
import { cacheKeyOf, type CacheKey, type Named } from './offering-cache.ts'
import { withoutPrivate } from './public-part.ts'
import { redactProblem } from './redact-problem.ts'
import { openServerLog, type ServerLog } from './server-logs.ts'
import type { Shared } from './shared.ts'

export interface ServerSnapshot {
  readonly name: string
  readonly origin: Origin
  readonly connection: Connection
  /** What it offers: live, or as it was last time while the server is still connecting. */
  readonly offering?: Offering
  /** When the lists were read, if they come from the cache. */
  readonly cachedAt?: number
  readonly era?: Era
  /** The transport of the live session. For a URL: the transport that the server turned out to speak. */
  readonly wire?: WireKind
  /** Of the last try. */
  readonly stages: readonly StageTime[]
  /** Warnings, such as a variable without a value. The server may work all the same. */
  readonly warnings: readonly Problem[]
  /** Its file cannot be read any more, so the server runs by the last good reading. */
  readonly isStale?: true
  /** Its process was ended for being idle, and starts again with the next call. */
  readonly isAsleep?: true
  /** A package runner (`npx`) is installing it. Its `startupTimeout` begins afterwards. */
  readonly isInstalling?: true
  /** How it starts, in a folder that is not trusted. */
  readonly confinement?: Confinement
}

/**
 * A session and its supervisor. It is another supervisor than the caller asked when a reload has replaced that one
 * meanwhile.
 */
export interface Reached {
  readonly session: Session
  readonly by: Supervisor
}

const LISTS = ['tools', 'resources', 'prompts'] as const

const NO_STAGES: readonly StageTime[] = []

export class Supervisor implements AttemptHooks {
  readonly server: AdmittedServer
  readonly #shared: Shared
  /**
   * These are hashes, or hold one. They are made only for servers that start, which in a command is often one of many.
   */
  #hash: string | undefined
  #cacheKey: string | undefined
  #openLog: ServerLog | undefined
  #machine: Machine = IDLE
  #attempt: Attempt | undefined
  /** Settles when the dropped attempt is gone. */
  #ending: Promise<unknown>
  #cancelTimer: (() => void) | undefined
  /** As the server lists it, and as the user's filters leave it. */
  #listed: Offering | undefined
  #offering: Offering | undefined
  /** Of clients whose own session lists something that others do not see. */
  #own = new WeakMap<object, Offering>()
  /** For all legacy clients, at a server of both eras. */
  #legacy: Offering | undefined
  /** Legacy clients that have come and are not gone. */
  readonly #legacyClients = new Set<object>()
  #cachedAt: number | undefined
  /** The last try ran out of its startup time. */
  #isLate = false
  /** A package runner is installing it. */
  #isInstalling = false
  /** Why the try before the current one failed. */
  #problemBefore: Problem | undefined
  #credentialMark = ''
  #warnings: readonly Problem[] = []
  #waiters: Waiter[] = []
  #shown: ServerSnapshot | undefined

  /** `after`: what must be over before anything starts. */
  constructor(server: AdmittedServer, shared: Shared, after: Promise<unknown> = Promise.resolve()) {
    this.server = server
    this.#shared = shared
    this.#ending = after
  }

  get fingerprint(): string {
    return (this.#hash ??= fingerprintOf(this.server))
  }

  readonly #key: CacheKey = () =>
    (this.#cacheKey ??= cacheKeyOf(`${this.server.name} ${this.fingerprint}`, this.#shared.capabilities))

  get #log(): ServerLog {
    return (this.#openLog ??= openServerLog(this.#shared.world, this.#shared.dirs, this.server.name))
  }

  get connection(): Connection {
    return this.#machine.connection
  }

  get offering(): Offering | undefined {
    return this.#offering
  }

  /** Why it is not ready. During a retry: why the last try failed. */
  get lastProblem(): Problem | undefined {
    const { connection } = this
    if ('problem' in connection) return connection.problem
    return connection.state === 'connecting' ? this.#problemBefore : undefined
  }

  /** Whether its last try ran out of its startup time. */
  wasLate(): boolean {
    return this.#shared.cache.wasLate(() => ({ name: this.server.name, fingerprint: this.fingerprint }))
  }

  /** What one client sees: mostly what all clients see. */
  offeringFor(client: object | undefined): Offering | undefined {
    return (client === undefined ? undefined : this.#own.get(client)) ?? this.#offeringOf(client)
  }

  /** What all clients of the same era see. */
  #offeringOf(client: object | undefined): Offering | undefined {
    return (speaksLegacy(client) ? this.#legacy : undefined) ?? this.#offering
  }

  /** Whether this client alone sees something that others do not. */
  hasOwnFor(client: object): boolean {
    return this.#own.has(client)
  }

  /**
   * A legacy client has come, and will see what a server of both eras shows to such clients. Resolves when that is
   * known, or when nothing is connected. Never rejects.
   */
  async meet(client: object): Promise<void> {
    if (isGone(client)) return
    if (!this.#legacyClients.has(client)) {
      this.#legacyClients.add(client)
      onGone(client, () => this.#legacyClients.delete(client))
    }
    if (this.connection.state === 'connecting') await this.reach().catch(() => undefined) // the old lists stay
    if (this.liveSession?.legacy !== undefined) await this.#attempt!.meetLegacy()
  }

  /** The live session, when there is one. */
  get liveSession(): Session | undefined {
    return this.#machine.connection.state === 'ready' ? this.#attempt?.session : undefined
  }

  /** Removes from a text the secrets that this server was given. */
  redact(text: string): string {
    return this.#attempt?.redact(text) ?? text
  }

  /** Returns the same value until something in it changes: a caller that forwards calls reads it with each. */
  snapshot(): ServerSnapshot {
    const { connection } = this
    const wire = this.liveSession?.wire
    const isAsleep = this.liveSession?.isAsleep === true
    const isInstalling = this.#isInstalling
    const stages = this.#attempt?.stages ?? NO_STAGES
    const shown = this.#shown
    const isSame =
      shown !== undefined &&
      shown.connection === connection &&
      shown.offering === this.#offering &&
      shown.cachedAt === this.#cachedAt &&
      shown.wire === wire &&
      (shown.isAsleep === true) === isAsleep &&
      (shown.isInstalling === true) === isInstalling &&
      shown.stages === stages &&
      shown.warnings === this.#warnings
    if (isSame) return shown
    this.#shown = {
      name: this.server.name,
      origin: this.server.found.origin,
      connection,
      ...(this.#offering === undefined ? {} : { offering: this.#offering, era: this.#offering.hello.era }),
      ...(this.#cachedAt === undefined ? {} : { cachedAt: this.#cachedAt }),
      ...(wire === undefined ? {} : { wire }),
      ...(isAsleep ? { isAsleep: true as const } : {}),
      ...(isInstalling ? { isInstalling: true as const } : {}),
      stages,
      warnings: this.#warnings,
      ...(this.server.confinement === undefined ? {} : { confinement: this.server.confinement }),
    }
    return this.#shown
  }

  /** Whether it waits for a sign-in, and there is one now. */
  get canSignIn(): boolean {
    return this.connection.state === 'needs-auth' && this.#attempt?.hasNewSignIn() === true
  }

  /** Starts a try unless one is under way or not needed. */
  want(): void {
    this.#dispatch({ kind: 'wanted' })
  }

  /** Waits for the try under way, or starts one. Rejects with its Problem; when aborted, with a SessionError. */
  reach(signal?: Signal): Promise<Reached> {
    const session = this.liveSession
    if (session !== undefined) return Promise.resolve({ session, by: this })
    if (this.connection.state === 'closed')
      return Promise.reject(new ProblemError(disconnected(this.server.name)))
    this.want()
    return waitWith(signal, (waiter) => this.#waiters.push(waiter))
  }

  /** Forgets the failure, and begins anew. */
  restart(): void {
    this.#dispatch({ kind: 'reset' })
  }

  async close(): Promise<void> {
    this.#dispatch({ kind: 'close' })
    await this.#ending
    this.#openLog?.close()
  }

  /** Like `close`, once the requests in flight have their answers. */
  async retire(): Promise<void> {
    await this.liveSession?.drained()
    await this.close()
  }

  /**
   * Moves the waiting callers to the successor. They have sent nothing yet, and wait as long as they would have here.
   */
  handOver(successor: Supervisor): void {
    const waiters = this.#waiters
    this.#waiters = []
    if (waiters.length === 0) return
    successor.#waiters.push(...waiters)
    successor.want()
  }

  #dispatch(event: ConnectionEvent): void {
    const { clock } = this.#shared.world
    const before = this.connection
    const [next, ...effects] = step(this.#machine, event, { now: clock.now(), random: clock.random() })
    this.#machine = next
    if (next.connection !== before)
      this.#problemBefore = event.kind !== 'reset' && 'problem' in before ? before.problem : undefined
    for (const effect of effects) this.#perform(effect)
    if (next.connection === before) return
    this.onInstallation('over')
    this.#tellWaiters(next.connection)
    // A server that no caller asked for has nothing to log.
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
        // A command that looks and exits needs no retry; a request still tries at once.
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

  // Events of the attempt.

  onMarked(credentialMark: string): 'known' | 'unknown' {
    this.#takeMark(credentialMark)
    if (this.#offering !== undefined) return 'known'
    const known = this.#shared.cache.find(this.#key, this.#credentialMark)
    if (known === undefined) return 'unknown'
    this.#cachedAt = known.at
    this.#show(known.offering)
    this.#shared.onChange(this.server.name)
    return 'known'
  }

  onLaunch(launch: LaunchSpec): void {
    this.#warnings = launch.problems
  }

  onInstallation(state: 'begun' | 'over'): void {
    if ((state === 'begun') === this.#isInstalling) return
    this.#isInstalling = state === 'begun'
    this.#shared.onInstallation(this.server.name, state)
    this.#shared.onChange(this.server.name)
  }

  /** What the server showed only to another credential must not be visible with this one. */
  #takeMark(mark: string): void {
    const before = this.#listed
    if (before !== undefined && mark !== this.#credentialMark) {
      this.#show(withoutPrivate(before))
      if (this.#listed !== before) this.#shared.onChange(this.server.name)
    }
    this.#credentialMark = mark
  }

  onReady(listed: Offering): void {
    this.#isLate = false
    this.#own = new WeakMap()
    this.#legacy = undefined
    this.#accept(listed)
    this.#dispatch({ kind: 'ready' })
    if (this.#legacyClients.size > 0) void this.#attempt?.meetLegacy()
  }

  onRefused(failure: SessionFailure, stage: Stage): void {
    // The remembered era may be what failed.
    this.#shared.cache.forgetEra(this.#key)
    const { lastLines, firstError, startedAt, redact, whyNoSignIn, isInstalling } = this.#attempt!
    const tookMs = this.#shared.world.clock.now() - startedAt
    // Missing values are not the server's fault, and a user may supply them the next time.
    this.#isLate = failure.kind === 'timeout' && stage !== 'resolve'
    const circumstances = {
      stage,
      failure: redactFailure(failure, redact),
      lastLines,
      firstError,
      tookMs,
      whyNoSignIn,
      isInstalling,
    }
    const problem = redactProblem(failedToConnect(this.server, circumstances), redact)
    if (needsSignIn(failure)) this.#dispatch({ kind: 'refused', problem, needsSignIn: true })
    else {
      const rest = { isPermanent: isPermanent(failure), ...retryAfterOf(failure) }
      this.#dispatch({ kind: 'refused', problem, ...rest })
    }
  }

  onBroken(error: unknown): void {
    const why = toCrashText(error instanceof Error ? error.message : String(error))
    this.#dispatch({ kind: 'refused', problem: brokeWhileConnecting(this.server, why), isPermanent: true })
  }

  onListed(listed: Offering): void {
    const kept = reuse(this.#listed, listed)
    // The lists were read again and are the same, so there is nothing to report.
    if (kept === this.#listed) return
    this.#accept(kept)
    this.#shared.onChange(this.server.name)
  }

  onOwnListed(client: object, listed: Offering | undefined): void {
    const before = this.offeringFor(client)
    const ofAll = this.#offeringOf(client)
    const own = listed === undefined ? ofAll : reuse(ofAll, this.#shownTo(client, listed))
    if (own === undefined || own === ofAll) this.#own.delete(client)
    else this.#own.set(client, reuse(before, own))
    this.#tellChanges(before, this.offeringFor(client), (one) => one === client)
  }

  onLegacyListed(listed: Offering): void {
    const before = this.#legacy ?? this.#offering
    this.#legacy = reuse(before, this.#shownTo(ANY_LEGACY, listed))
    this.#tellChanges(before, this.#legacy, speaksLegacy)
  }

  #shownTo(client: object, listed: Offering): Offering {
    const shown = applyFilters(listed, this.server)
    return speaksLegacy(client) ? withSameTools(this.#offering, shown) : shown
  }

  #tellChanges(before: Offering | undefined, now: Offering | undefined, audience: Audience): void {
    for (const list of LISTS) {
      if (before?.[list] === now?.[list]) continue
      this.onNotification(`notifications/${list}/list_changed`, {}, audience)
    }
  }

  onNotification(method: string, params: Params, audience?: Audience): void {
    this.#shared.onNotification({ server: this.server.name, method, params, audience })
  }

  onLost(failure: WireFailure): void {
    const attempt = this.#attempt!
    const problem = redactProblem(sessionLost(this.server, failure, attempt), attempt.redact)
    this.#dispatch({ kind: 'dropped', problem })
  }

  /** A caller reads these lists. Those that are out of date are read again in the background. */
  keepFresh(kinds: readonly ListKind[]): void {
    if (this.liveSession !== undefined) this.#attempt!.keepFresh(kinds)
  }

  #show(listed: Offering | undefined): void {
    const [before, shown] = [this.#listed, this.#offering]
    this.#listed = listed === undefined ? undefined : reuse(before, listed)
    const fresh = this.#listed === undefined ? undefined : applyFilters(this.#listed, this.server)
    // Filtering again would make new objects of the same tools.
    const isSame = fresh !== undefined && shown !== undefined && this.#listed?.tools === before?.tools
    this.#offering = isSame ? { ...fresh, tools: shown.tools } : fresh
  }

  #accept(listed: Offering): void {
    this.#show(listed)
    this.#cachedAt = undefined
    this.#shared.cache.put(this.#named(), { offering: listed, credentialMark: this.#credentialMark })
  }

  #tellWaiters(connection: Connection): void {
    if (connection.state === 'connecting' || connection.state === 'idle') return
    const waiters = this.#waiters
    this.#waiters = []
    for (const waiter of waiters) {
      if (connection.state === 'ready') waiter.resolve({ session: this.#attempt!.session!, by: this })
      else {
        const problem = 'problem' in connection ? connection.problem : disconnected(this.server.name)
        waiter.reject(new ProblemError(problem))
      }
    }
  }

  /** Records the outcome for later commands. */
  #note(connection: Connection): void {
    const words = 'problem' in connection ? `: ${connection.problem.message}` : ''
    this.#log.write(`${connection.state}${words}`, 'event')
    const { state } = connection
    if (state !== 'failed' && state !== 'needs-auth' && state !== 'waiting') return
    const late = this.#isLate ? { isLate: true } : {}
    this.#shared.cache.putFailure(this.#named(), { state, problem: connection.problem.message, ...late })
  }

  /** Identifies the server to the cache. */
  #named(): () => Named {
    const unresolved = this.#warnings.map(({ message }) => message)
    return () => ({
      key: this.#key(),
      name: this.server.name,
      fingerprint: this.fingerprint,
      ...(unresolved.length === 0 ? {} : { unresolved }),
    })
  }
}

/** A server may repeat its secrets in its own words. Runs before any text is cut: half a secret is one, too. */
function redactFailure(failure: SessionFailure, redact: (text: string) => string): SessionFailure {
  switch (failure.kind) {
    case 'rpc':
      return { ...failure, error: { ...failure.error, message: redact(failure.error.message) } }
    case 'bad-answer':
      return { ...failure, message: redact(failure.message) }
    case 'lost': {
      const { wire } = failure
      if (wire.kind === 'http') return { ...failure, wire: { ...wire, body: redact(wire.body) } }
      if (wire.kind === 'page') return { ...failure, wire: { ...wire, title: redact(wire.title) } }
      return 'message' in wire ? { ...failure, wire: { ...wire, message: redact(wire.message) } } : failure
    }
    case 'timeout':
    case 'aborted':
    case 'not-started':
      return failure
  }
}

/** Stands for all legacy clients. */
const ANY_LEGACY: RequestClient = { era: 'legacy' }

/**
 * A tool that a server shows in both eras gets one definition here when only the field differs that describes tasks in
 * the legacy era. So the user approves it once, whichever client calls it first.
 */
function withSameTools(modern: Offering | undefined, legacy: Offering): Offering {
  const known = new Map(modern?.tools.map((tool) => [tool.name, tool]))
  const tools = legacy.tools.map((tool) => {
    const same = known.get(tool.name)
    const { execution, ...rest } = tool
    const isTask = isObject(execution) && execution['taskSupport'] === 'required'
    return same !== undefined && !isTask && toStableJson(rest) === toStableJson(same) ? same : tool
  })
  return { ...legacy, tools }
}

interface Waiter {
  resolve(reached: Reached): void
  reject(error: Error): void
}

/** A promise that its caller can give up. */
function waitWith(signal: Signal | undefined, add: (waiter: Waiter) => void): Promise<Reached> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new SessionError({ kind: 'aborted', wasSent: false }))
    if (signal?.aborted === true) return onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    const settle = (tell: () => void): void => {
      signal?.removeEventListener('abort', onAbort)
      tell()
    }
    add({
      resolve: (reached) => settle(() => resolve(reached)),
      reject: (error) => settle(() => reject(error)),
    })
  })
}
