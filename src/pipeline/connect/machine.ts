/**
 * machine: decides what follows each event of the connection to one server.
 *
 * in     the present state, an event, and the time and random number of the event
 * out    the next state, and the effects to perform, in order
 * never  reads a clock or performs an effect; starts a second try while one is under way; leaves `closed`
 */
import { unreachable } from '../../base/unreachable.ts'
import type { Connection } from '../../model/connection.ts'
import type { Problem } from '../../model/problem.ts'

export interface Machine {
  readonly connection: Connection
  /**
   * When recent tries failed, oldest first. A full list is an open breaker: each try is then the only one. The list
   * stays full until a session proves healthy or the user resets it.
   */
  readonly failures: readonly number[]
}

export const IDLE: Machine = { connection: { state: 'idle' }, failures: [] }

export type ConnectionEvent =
  /** The start, a call or a reload needs the session now. */
  | { readonly kind: 'wanted' }
  | { readonly kind: 'ready' }
  | Refused
  /** A ready session ended without a request from Plugboard. */
  | { readonly kind: 'dropped'; readonly problem: Problem }
  /** The scheduled time has come. */
  | { readonly kind: 'due' }
  | { readonly kind: 'close' }
  /** Forget the failures, and try now with a new session. */
  | { readonly kind: 'reset' }

/** A try that gave no session. Waiting does not repair a permanent cause, such as a missing program. */
type Refused = {
  readonly kind: 'refused'
  readonly problem: Problem
  /** How long the server wants to wait. */
  readonly retryAfterMs?: number
} & (
  | { readonly needsSignIn: true; readonly isPermanent?: never }
  | { readonly needsSignIn?: never; readonly isPermanent?: boolean }
)

/** When an event happened, and a random number from 0 to 1 for the jitter. */
export interface Tick {
  readonly now: number
  readonly random: number
}

export type Effect =
  /**
   * Begin a try. Its outcome comes back as `ready` or `refused`. After `drop-session`, the try waits until that is
   * done.
   */
  | { readonly kind: 'open' }
  /** Send `due` at this time. At most one `due` is scheduled. */
  | { readonly kind: 'schedule'; readonly at: number }
  | { readonly kind: 'cancel-schedule' }
  /** End the session or the try that `open` began. It must not cause any further event. */
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

/** The effects that must come before a new try can begin. */
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
  /** The shortest wait before the next try, up to the longest wait. */
  readonly atLeastMs?: number | undefined
}

/** A demand for a sign-in is no failure: the server works. */
function refuse({ failures }: Machine, event: Refused, tried: Try): Step {
  const { problem, retryAfterMs } = event
  if (event.needsSignIn === true) return [{ connection: { state: 'needs-auth', problem }, failures }]
  if (event.isPermanent === true) return [{ connection: { state: 'failed', problem }, failures }]
  return fail(failures, problem, { ...tried, atLeastMs: retryAfterMs })
}

/** A session that ends sooner than this counts as a failed try. */
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
 * A random wait between half of a span and the whole span, so that servers that failed together do not retry together.
 * The span is twice the shortest after the first failure, doubles with each failure, and stops at the longest.
 */
function backoffMs(failedAttempts: number, random: number): number {
  const span = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** Math.max(1, failedAttempts))
  return Math.round((span / 2) * (1 + random))
}
