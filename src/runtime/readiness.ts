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
  readonly problem?: Problem
  /** Why nobody has what it offers, not even as it was last time. */
  readonly absence?: Absence
}

export type Absence =
  /** Its problem says why. */
  | 'failed'
  /** It was not ready in its time when it was last tried, so it was not waited for. */
  | 'late'
  /** It is on its way, and nobody waits any longer. */
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
  const { server, connection, offering } = one
  const absence = findAbsence(one)
  return {
    name: server.name,
    state: connection.state,
    required: server.required === true,
    tools: offering?.tools.length ?? 0,
    ...('problem' in connection ? { problem: connection.problem } : {}),
    ...(absence === undefined ? {} : { absence }),
  }
}

function findAbsence(one: Supervisor): Absence | undefined {
  const { state } = one.connection
  if (state === 'ready' || state === 'idle' || state === 'closed') return undefined
  if (one.offering !== undefined && !OFFERS_NOTHING.has(state)) return undefined
  if (state !== 'connecting') return 'failed'
  return one.wasLate() ? 'late' : 'slow'
}
