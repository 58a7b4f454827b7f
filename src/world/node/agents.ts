/**
 * agents: undici's, of which those parts are loaded that are needed. The package as a whole takes three times as long.
 */
import type { buildConnector } from 'undici'
import Agent from 'undici/lib/dispatcher/agent.js'
import { KEEP_MS, MAX_CONNECTIONS, type Agents } from './sender.ts'

/** A function connects in its own way; otherwise it is undici that does, with these options. */
export function createAgents(how: buildConnector.BuildOptions | buildConnector.connector): Agents {
  const options = {
    connect: how,
    pipelining: 1,
    // A stream may be silent for hours; the session has its own limits.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_MS,
  }
  return { patient: new Agent({ ...options, connections: MAX_CONNECTIONS }), urgent: new Agent(options) }
}
