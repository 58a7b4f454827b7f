/**
 * agents: undici's agents, with our limits. undici is slow to load, so this file is loaded with the first request.
 */
import { Agent, type buildConnector, type Dispatcher } from 'undici'

/** To one origin, for requests that can wait. */
const MAX_CONNECTIONS = 128

/**
 * Used where the server does not say. It is shorter than what the usual proxies allow, and longer than a model thinks.
 */
const KEEP_MS = 30_000

export interface Agents {
  /** For requests that can wait until a connection is free. */
  readonly patient: Dispatcher
  /** Streams stay open for hours: they must not use up the connections of the others. */
  readonly urgent: Dispatcher
}

/** Given a function, undici connects with it; otherwise it connects by itself, with these options. */
export function createAgents(connect: buildConnector.BuildOptions | buildConnector.connector): Agents {
  const options = {
    connect,
    pipelining: 1,
    // A stream may be silent for hours. The session has its own limits.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_MS,
  }
  return { patient: new Agent({ ...options, connections: MAX_CONNECTIONS }), urgent: new Agent(options) }
}
