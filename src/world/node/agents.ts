/**
 * agents: undici's, of which those parts are loaded that are needed. The package as a whole takes three times as long.
 */
import type { buildConnector, Dispatcher } from 'undici'
import build from 'undici/lib/core/connect.js'
import Agent from 'undici/lib/dispatcher/agent.js'

export interface Agents {
  /** For what can wait until a connection is free. */
  readonly patient: Dispatcher
  readonly urgent: Dispatcher
}

/** Says how to connect; gets undici's own way. */
export type MakeConnector = (build: typeof buildConnector) => buildConnector.connector

export function createAgents(makeConnector: MakeConnector): Agents {
  const options = {
    connect: makeConnector(build),
    pipelining: 1,
    // A stream may be silent for hours; the session has its own limits.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Where the server does not say: shorter than what the usual proxies allow, longer than a model thinks.
    keepAliveTimeout: 30_000,
  }
  return { patient: new Agent({ ...options, connections: 128 }), urgent: new Agent(options) }
}
