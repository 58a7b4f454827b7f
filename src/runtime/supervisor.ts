/**
 * supervisor: keeps one server connected. Does what the machine says, and tells it what happened.
 *
 * in     an admitted server, and what all supervisors share
 * out    its session whenever one can be had; a snapshot of how far it is and what it offers
 * never  lets a failure of one server out to another; leaves a process behind after `close`
 */
import { createRedactor } from '../base/redact.ts'
import type { AdmittedServer } from '../model/catalog.ts'
import type { Connection, StageTime } from '../model/connection.ts'
import type { LaunchSpec } from '../model/launch.ts'
import type { Offering } from '../model/offering.ts'
import type { Origin } from '../model/origin.ts'
import type { Problem } from '../model/problem.ts'
import { SessionError, type Era, type Session, type SessionFailure } from '../model/session.ts'
import type { WireFailure } from '../model/wire.ts'
import { connect, ConnectError } from '../pipeline/connect/connect.ts'
import { IDLE, step, type ConnectionEvent, type Effect, type Machine } from '../pipeline/connect/machine.ts'
import { failedToConnect, isPermanent, needsSignIn, sessionLost } from '../pipeline/connect/problems.ts'
import { applyFilters } from '../pipeline/list/filter.ts'
import { list } from '../pipeline/list/list.ts'
import { credentialMarkOf, fingerprintOf } from '../pipeline/resolve/fingerprint.ts'
import { resolve } from '../pipeline/resolve/resolve.ts'
import { createProblem, ProblemError } from '../problem/problem.ts'
import { cacheKeyOf } from './offering-cache.ts'
import { openServerLog } from './server-logs.ts'
import type { Shared } from './shared.ts'
import { createStageTimer, type StageTimer } from './stage-timer.ts'

export interface Supervisor {
  readonly server: AdmittedServer
  readonly fingerprint: string
  snapshot(): ServerSnapshot
  /** The live session, when there is one. */
  live(): Session | undefined
  /** Starts a try unless one is under way or not needed. */
  want(): void
  /** Waits for the try that is under way, or starts one. Rejects with its Problem; aborted, with a SessionError. */
  session(signal?: AbortSignal): Promise<Session>
  /** Forgets what failed and begins anew. */
  restart(): void
  close(): Promise<void>
  /** As `close`, once the requests in flight have their answers. */
  retire(): Promise<void>
}

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

/** One try, and the session that came of it. */
interface Run {
  readonly controller: AbortController
  isTimedOut: boolean
  /** The limit of this try; 0 until it is known. */
  startupTimeoutMs: number
  session?: Session
  /** Why its session is gone. */
  lost?: WireFailure
  readonly stages: StageTime[]
  /** What it last wrote to stderr, redacted. */
  readonly lastLines: string[]
  readonly done: Promise<void>
}

/** Of what a server writes, kept for the problem that may follow. */
const LAST_LINES = 10

export function createSupervisor(server: AdmittedServer, shared: Shared): Supervisor {
  const { world, cache, onChange } = shared
  const { clock } = world
  const fingerprint = fingerprintOf(server)
  const key = cacheKeyOf(fingerprint, shared.capabilities)
  const log = openServerLog(world, shared.dirs, server.name)
  let redact = (text: string): string => text
  let machine: Machine = IDLE
  let run: Run | undefined
  let ending: Promise<unknown> = Promise.resolve()
  let cancelTimer: (() => void) | undefined
  let offering: Offering | undefined
  let cachedAt: number | undefined
  let warnings: readonly Problem[] = []
  let waiters: Waiter[] = []

  function dispatch(event: ConnectionEvent): void {
    const before = machine
    const [next, ...effects] = step(machine, event, { now: clock.now(), random: clock.random() })
    machine = next
    effects.forEach(perform)
    if (next.connection !== before.connection) {
      tellWaiters(next.connection)
      // One that nobody asked for has nothing to tell.
      if (before.connection.state !== 'idle' || next.connection.state !== 'closed') note(next.connection)
      onChange(server.name)
    }
  }

  function perform(effect: Effect): void {
    switch (effect.kind) {
      case 'open':
        run = begin()
        return
      case 'schedule':
        cancelTimer = clock.after(effect.at - clock.now(), () => dispatch({ kind: 'due' }))
        return
      case 'cancel-schedule':
        cancelTimer?.()
        return
      case 'drop-session':
        ending = end(run)
        run = undefined
    }
  }

  function begin(): Run {
    const started: Omit<Run, 'done'> = {
      controller: new AbortController(),
      isTimedOut: false,
      startupTimeoutMs: 0,
      stages: [],
      lastLines: [],
    }
    const one = started as Run
    return Object.assign(one, { done: ending.then(() => attempt(one)) })
  }

  async function end(one: Run | undefined): Promise<void> {
    one?.controller.abort()
    await one?.session?.close()
    await one?.done
  }

  /** From nothing to a session whose lists are known; the outcome is an event, unless nobody wants it any more. */
  async function attempt(one: Run): Promise<void> {
    const startedAt = clock.now()
    const timer = createStageTimer(one.stages, clock.now)
    try {
      const launch = await prepare(timer)
      const session = await open(one, launch, timer)
      one.session = session
      timer.begin('list')
      // Half of the limit is for the handshake: a list that never comes must not hide the ones that did.
      const timeoutMs = launch.startupTimeoutMs / 2
      const listed = await list(session, { signal: one.controller.signal, clock, timeoutMs })
      if (run !== one) return void (await session.close())
      if (one.lost !== undefined) throw new SessionError({ kind: 'lost', wire: one.lost, wasSent: true })
      timer.finish()
      accept(listed, launch)
      dispatch({ kind: 'ready' })
    } catch (error) {
      timer.fail()
      const failure = toFailure(error, one)
      await one.session?.close()
      if (run !== one) return
      const stage = timer.current()
      const circumstances = { stage, failure, lastLines: one.lastLines, tookMs: clock.now() - startedAt }
      const problem = redactProblem(failedToConnect(server, circumstances), redact)
      if (needsSignIn(failure)) dispatch({ kind: 'refused', problem, needsSignIn: true })
      else dispatch({ kind: 'refused', problem, isPermanent: isPermanent(failure) })
    }
  }

  async function prepare(timer: StageTimer): Promise<LaunchSpec> {
    timer.begin('resolve')
    const launch = await resolve(server, shared.resolving)
    timer.finish()
    redact = createRedactor(launch.secrets)
    warnings = launch.problems
    const known = offering === undefined ? cache.find(key, credentialMarkOf(launch)) : undefined
    if (known !== undefined) {
      offering = applyFilters(known.offering, server)
      cachedAt = known.at
      onChange(server.name)
    }
    return launch
  }

  async function open(one: Run, launch: LaunchSpec, timer: StageTimer): Promise<Session> {
    const { signal } = one.controller
    const slots = isLocal(launch) ? shared.slots.local : shared.slots.remote
    const giveSlot = await slots.take(signal)
    one.startupTimeoutMs = launch.startupTimeoutMs
    if (launch.startupTimeoutMs > 0) {
      const cancel = clock.after(launch.startupTimeoutMs, () => {
        one.isTimedOut = true
        one.controller.abort()
      })
      void one.done.finally(cancel)
    }
    timer.begin('start')
    try {
      const session = await connect(launch, {
        world,
        client: shared.client,
        handlers: shared.handlers,
        listens: shared.listens,
        inProcess: shared.inProcess,
        knownEra: cache.era(key),
        signal,
        listener: {
          onNotification: (method, params) => {
            shared.onNotification(server.name, method, params)
            if (/^notifications\/(?:tools|resources|prompts)\/list_changed$/.test(method))
              refresh(one, launch)
          },
          onLog(line, from) {
            const safe = redact(line)
            log.write(safe, from)
            if (from !== 'stderr') return
            one.lastLines.push(safe)
            if (one.lastLines.length > LAST_LINES) one.lastLines.shift()
          },
          onOddity: (text) => log.write(redact(text), 'event'),
          onFirstSign() {
            giveSlot()
            timer.begin('negotiate')
          },
          onEnd(failure) {
            if (run !== one) return
            one.lost = failure
            one.controller.abort()
            const problem = redactProblem(sessionLost(server, failure, one.lastLines), redact)
            dispatch({ kind: 'dropped', problem })
          },
        },
      })
      timer.finish()
      return session
    } catch (error) {
      cache.forgetEra(key)
      throw error
    } finally {
      giveSlot()
    }
  }

  function accept(listed: Offering, launch: LaunchSpec): void {
    offering = applyFilters(listed, server)
    cachedAt = undefined
    cache.put(key, {
      name: server.name,
      fingerprint,
      offering: listed,
      credentialMark: credentialMarkOf(launch),
    })
  }

  let refreshing: 'no' | 'yes' | 'again' = 'no'

  /** Its lists changed: they are read again, once for any number of notices. */
  function refresh(one: Run, launch: LaunchSpec): void {
    const { session } = one
    if (session === undefined) return
    if (refreshing !== 'no') {
      refreshing = 'again'
      return
    }
    refreshing = 'yes'
    const take = (listed: Offering): void => {
      // What was read of a session that went is not all there is.
      if (run !== one || one.lost !== undefined) return
      accept(listed, launch)
      onChange(server.name)
    }
    const complain = (error: unknown): void =>
      log.write(redact(`its lists could not be read again: ${String(error)}`), 'event')
    list(session, { signal: one.controller.signal, clock, timeoutMs: launch.timeoutMs })
      .then(take, complain)
      .finally(() => {
        const isDue = refreshing === 'again'
        refreshing = 'no'
        if (isDue) refresh(one, launch)
      })
  }

  function tellWaiters(connection: Connection): void {
    if (connection.state === 'connecting' || connection.state === 'idle') return
    const told = waiters
    waiters = []
    for (const waiter of told) {
      if (connection.state === 'ready') waiter.resolve(run!.session!)
      else
        waiter.reject(new ProblemError('problem' in connection ? connection.problem : closedProblem(server)))
    }
  }

  /** For the next run of anything: what became of this one. */
  function note(connection: Connection): void {
    log.write(
      `${connection.state}${'problem' in connection ? `: ${connection.problem.message}` : ''}`,
      'event',
    )
    if (connection.state === 'failed' || connection.state === 'needs-auth' || connection.state === 'waiting')
      cache.putFailure(key, {
        name: server.name,
        fingerprint,
        state: connection.state,
        problem: connection.problem.message,
      })
  }

  async function close(): Promise<void> {
    dispatch({ kind: 'close' })
    await ending
    log.close()
  }

  return {
    server,
    fingerprint,
    live: () => (machine.connection.state === 'ready' ? run?.session : undefined),
    snapshot: () => ({
      name: server.name,
      origin: server.found.origin,
      connection: machine.connection,
      ...(offering === undefined ? {} : { offering, era: offering.hello.era }),
      ...(cachedAt === undefined ? {} : { cachedAt }),
      stages: run?.stages ?? [],
      warnings,
    }),
    want: () => dispatch({ kind: 'wanted' }),
    session(signal) {
      if (machine.connection.state === 'ready') return Promise.resolve(run!.session!)
      if (machine.connection.state === 'closed')
        return Promise.reject(new ProblemError(closedProblem(server)))
      dispatch({ kind: 'wanted' })
      return waitWith(signal, (waiter) => waiters.push(waiter))
    },
    restart: () => dispatch({ kind: 'reset' }),
    close,
    async retire() {
      await run?.session?.drained()
      await close()
    },
  }
}

/** Those that take a processor of this machine, rather than a connection. */
function isLocal({ transport }: LaunchSpec): boolean {
  return transport.kind === 'stdio' || transport.kind === 'in-process'
}

function toFailure(error: unknown, { isTimedOut, startupTimeoutMs }: Run): SessionFailure {
  if (isTimedOut) return { kind: 'timeout', afterMs: startupTimeoutMs }
  if (error instanceof ConnectError || error instanceof SessionError) return error.failure
  return { kind: 'bad-answer', message: error instanceof Error ? error.message : String(error) }
}

/** A server may repeat in its own words what it was given. */
function redactProblem(problem: Problem, redact: (text: string) => string): Problem {
  return { ...problem, message: redact(problem.message), notes: problem.notes.map(redact) }
}

function closedProblem({ name }: AdmittedServer): Problem {
  return createProblem({ code: 'connect/closed', message: `\`${name}\` was disconnected` })
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
