/** readiness: the report of a headless host: which servers are required, and which are ready. */
import type { ConnectionState } from '../model/connection.ts'
import type { Problem } from '../model/problem.ts'
import type { Supervisor } from './supervisor.ts'
import { OFFERS_NOTHING } from './tools.ts'

export interface Readiness {
  /** Every `required` server is ready. A server that no caller asked for does not count. */
  readonly ok: boolean
  readonly waitedMs: number
  readonly servers: readonly ServerReadiness[]
}

export interface ServerReadiness {
  readonly name: string
  readonly state: ConnectionState
  readonly required: boolean
  readonly tools: number
  /** Why it is not ready. During a retry: the problem of the try before. */
  readonly problem?: Problem
  /** Why its tools are missing, when there is no cached list either. */
  readonly absence?: Absence
}

export type Absence =
  /** The problem says why. */
  | 'failed'
  /** The server is still starting, and its last try ran out of its startup time. */
  | 'late'
  /** The server is still starting. */
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
