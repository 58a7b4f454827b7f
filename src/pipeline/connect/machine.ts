/**
 * machine: what follows what between us and one server, and what is to be done about it.
 *
 * in     how far we are, what happened, and the time and chance of it
 * out    how far we are now, and the effects to perform, in order
 * never  reads a clock or does anything; asks for a second try while one is under way; leaves `closed`
 */
import { unreachable } from '../../base/unreachable.ts'
import type { Connection } from '../../model/connection.ts'
import type { Problem } from '../../model/problem.ts'

export interface Machine {
  readonly connection: Connection
  /**
   * When recent tries failed, oldest first. A full list is an open breaker, and stays full until a session proves
   * healthy or someone resets: then each try is the only one.
   */
  readonly failures: readonly number[]
}

export const IDLE: Machine = { connection: { state: 'idle' }, failures: [] }

export type ConnectionEvent =
  /** Someone needs it now: the start, a call, a reload. */
  | { readonly kind: 'wanted' }
  | { readonly kind: 'ready' }
  | Refused
  /** A ready session ended, and nobody here asked for it. */
  | { readonly kind: 'dropped'; readonly problem: Problem }
  /** The time that was scheduled has come. */
  | { readonly kind: 'due' }
  | { readonly kind: 'close' }
  /** Forget what failed, and try now with a new session. */
  | { readonly kind: 'reset' }

/** A try that did not become a session. A permanent cause (no such program) is not mended by waiting. */
type Refused = {
  readonly kind: 'refused'
  readonly problem: Problem
  /** How long the server wants to be left alone. */
  readonly retryAfterMs?: number
} & (
  | { readonly needsSignIn: true; readonly isPermanent?: never }
  | { readonly needsSignIn?: never; readonly isPermanent?: boolean }
)

/** When an event happened, and a number from 0 to 1 for the jitter. */
export interface Tick {
  readonly now: number
  readonly random: number
}

export type Effect =
  /** Begin a try; its outcome comes back as `ready` or `refused`. After `drop-session`: once that is done. */
  | { readonly kind: 'open' }
  /** Send `due` at this time. At most one is scheduled. */
  | { readonly kind: 'schedule'; readonly at: number }
  | { readonly kind: 'cancel-schedule' }
  /** End what `open` began, session or try. Nothing that it still has to say may come back as an event. */
  | { readonly kind: 'drop-session' }

export type Step = readonly [Machine, ...Effect[]]

export function step(now: Machine, event: ConnectionEvent, at: Tick): Step {
  const { connection, failures } = now
  if (connection.state === 'closed') return [now]
  if (event.kind === 'close') return [{ connection: { state: 'closed' }, failures: [] }, ...letGo(connection)]
  if (event.kind === 'reset') return begin([], { attempt: 1, at, effects: letGo(connection) })
  switch (connection.state) {
    case 'idle':
    case 'needs-auth':
    case 'failed':
      return event.kind === 'wanted' ? begin(failures, { attempt: 1, at, effects: [] }) : [now]
    case 'connecting':
      if (event.kind === 'ready') {
        return [{ connection: { state: 'ready', attempt: connection.attempt, since: at.now }, failures }]
      }
      return event.kind === 'refused' ? refuse(now, event, { attempt: connection.attempt, at }) : [now]
    case 'ready':
      return event.kind === 'dropped' ? drop(failures, event.problem, { connection, at }) : [now]
    case 'waiting': {
      const { attempt } = connection
      if (event.kind === 'due') return begin(failures, { attempt, at, effects: [] })
      return event.kind === 'wanted' ? begin(failures, { attempt, at, effects: letGo(connection) }) : [now]
    }
    default:
      return unreachable(connection)
  }
}

/** What must end before anything else can begin. */
function letGo({ state }: Connection): readonly Effect[] {
  if (state === 'waiting') return [{ kind: 'cancel-schedule' }]
  return state === 'connecting' || state === 'ready' ? [{ kind: 'drop-session' }] : []
}

function begin(
  failures: readonly number[],
  { attempt, at, effects }: { attempt: number; at: Tick; effects: readonly Effect[] },
): Step {
  const connection: Connection = { state: 'connecting', attempt, since: at.now }
  return [{ connection, failures }, ...effects, { kind: 'open' }]
}

interface Try {
  readonly attempt: number
  readonly at: Tick
  /** Before the next one; more than the longest wait is not given. */
  readonly atLeastMs?: number | undefined
}

/** A wish for a sign-in is no failure: the server is well, and says what it wants. */
function refuse({ failures }: Machine, event: Refused, tried: Try): Step {
  const { problem, retryAfterMs } = event
  if (event.needsSignIn === true) return [{ connection: { state: 'needs-auth', problem }, failures }]
  if (event.isPermanent === true) return [{ connection: { state: 'failed', problem }, failures }]
  return fail(failures, problem, { ...tried, atLeastMs: retryAfterMs })
}

/** A session that dies younger than this counts as a try that failed. */
const YOUNG_MS = 2000

function drop(
  failures: readonly number[],
  problem: Problem,
  { connection, at }: { connection: Extract<Connection, { state: 'ready' }>; at: Tick },
): Step {
  if (at.now - connection.since < YOUNG_MS) {
    return fail(failures, problem, { attempt: connection.attempt, at })
  }
  return wait([], problem, { attempt: 0, at })
}

const BREAKER_FAILURES = 5
const BREAKER_MS = 30_000

function fail(before: readonly number[], problem: Problem, tried: Try): Step {
  const { now } = tried.at
  const isOpen = before.length === BREAKER_FAILURES
  const failures = isOpen ? before : [...before.filter((time) => now - time <= BREAKER_MS), now]
  if (failures.length < BREAKER_FAILURES) return wait(failures, problem, tried)
  return [{ connection: { state: 'failed', problem }, failures }]
}

function wait(failures: readonly number[], problem: Problem, { attempt, at, atLeastMs = 0 }: Try): Step {
  const waitMs = Math.max(backoffMs(attempt, at.random), Math.min(atLeastMs, LONGEST_MS))
  const retryAt = at.now + waitMs
  const connection: Connection = { state: 'waiting', attempt: attempt + 1, retryAt, problem }
  return [
    { connection, failures },
    { kind: 'schedule', at: retryAt },
  ]
}

const SHORTEST_MS = 500
export const LONGEST_MS = 30_000

/**
 * Between half of a span and all of it, so that servers which fell together do not come back together. The span is
 * twice the shortest after the first failure, doubles with each, and ends at the longest.
 */
function backoffMs(failedAttempts: number, random: number): number {
  const span = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** Math.max(1, failedAttempts))
  return Math.round((span / 2) * (1 + random))
}
