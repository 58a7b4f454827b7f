/**
 * readiness: the report of a headless host: which servers had to be ready, and which are.
 */
import type { ConnectionState } from '../model/connection.ts'
import type { Problem } from '../model/problem.ts'
import type { ServerSnapshot, Supervisor } from './supervisor.ts'

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
}

export function toReadiness(supervisors: readonly Supervisor[], waitedMs: number): Readiness {
  const servers = supervisors.map(toServerReadiness)
  return {
    ok: servers.every(({ required, state }) => !required || state === 'ready' || state === 'idle'),
    waitedMs,
    servers,
  }
}

/** Servers that were not waited for to the end, and of which nothing is known from before: what they offer is missing. */
export function findStarting(servers: readonly ServerSnapshot[]): readonly string[] {
  return servers
    .filter(({ connection, offering }) => connection.state === 'connecting' && offering === undefined)
    .map(({ name }) => name)
}

function toServerReadiness(one: Supervisor): ServerReadiness {
  const { server, connection, offering } = one
  return {
    name: server.name,
    state: connection.state,
    required: server.required === true,
    tools: offering?.tools.length ?? 0,
    ...('problem' in connection ? { problem: connection.problem } : {}),
  }
}
