/**
 * agents: undici's, of which those parts are loaded that are needed. The package as a whole takes three times as long.
 */
import type { buildConnector, Dispatcher } from 'undici'
import build from 'undici/lib/core/connect.js'
import Agent from 'undici/lib/dispatcher/agent.js'
import { createConnector, hasWrittenAll } from './http-socket.ts'

export interface Agents {
  /** For what can wait until a connection is free. */
  readonly patient: Dispatcher
  readonly urgent: Dispatcher
  /** To be asked while undici tells what came: whether all was written that was sent over the same connection. */
  hasWrittenAll(): boolean
}

/** A function connects in its own way; otherwise it is undici that does, with these options. */
export function createAgents(how: buildConnector.BuildOptions | buildConnector.connector): Agents {
  const options = {
    connect: typeof how === 'function' ? how : createConnector(build, how),
    pipelining: 1,
    // A stream may be silent for hours; the session has its own limits.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Where the server does not say: shorter than what the usual proxies allow, longer than a model thinks.
    keepAliveTimeout: 30_000,
  }
  return { patient: new Agent({ ...options, connections: 128 }), urgent: new Agent(options), hasWrittenAll }
}
