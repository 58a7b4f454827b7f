/**
 * readiness: the report of a headless host: which servers had to be ready, and which are.
 */
import type { ConnectionState } from '../model/connection.ts'
import type { Problem } from '../model/problem.ts'
import type { Supervisor } from './supervisor.ts'
import { OFFERS_NOTHING } from './tools.ts'

export interface Readiness {
  /** Every server that is `required` is ready, apart from those that nobody has asked for. */
  readonly ok: boolean
  readonly waitedMs: number
  readonly servers: readonly ServerReadiness[]
}

export interface ServerReadiness {
  readonly name: string
  readonly state: ConnectionState
  readonly required: boolean
  readonly tools: number
  /** Of the try before, while it is tried again. */
  readonly problem?: Problem
  /** Why its tools are not there, not even as they were last time. */
  readonly absence?: Absence
}

export type Absence =
  /** Its problem says why. */
  | 'failed'
  /** It is on its way, and was not ready in its time before, when it was last tried. */
  | 'late'
  /** It is on its way. */
  | 'slow'

export function toReadiness(supervisors: readonly Supervisor[], waitedMs: number): Readiness {
  const servers = supervisors.map(toServerReadiness)
  return {
    ok: servers.every(({ required, state }) => !required || state === 'ready' || state === 'idle'),
    waitedMs,
    servers,
  }
}

function toServerReadiness(one: Supervisor): ServerReadiness {
  const { server, connection, offering, lastProblem } = one
  const absence = findAbsence(one)
  return {
    name: server.name,
    state: connection.state,
    required: server.required === true,
    tools: offering?.tools.length ?? 0,
    ...(lastProblem === undefined ? {} : { problem: lastProblem }),
    ...(absence === undefined ? {} : { absence }),
  }
}

function findAbsence(one: Supervisor): Absence | undefined {
  const { state } = one.connection
  if (state === 'ready' || state === 'idle' || state === 'closed') return undefined
  if (one.offering !== undefined && !OFFERS_NOTHING.has(state)) return undefined
  if (one.lastProblem !== undefined) return 'failed'
  return one.wasLate() ? 'late' : 'slow'
}
