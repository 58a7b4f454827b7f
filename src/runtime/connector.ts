/**
 * connector: how a board gets a session with a server.
 */
import type { AdmittedServer } from '../model/catalog.ts'
import type { LaunchSpec } from '../model/launch.ts'
import type { Session } from '../model/session.ts'
import { connect, type ConnectRequest } from '../pipeline/connect/connect.ts'

/** Rejects with a ConnectError. */
export type Connector = (
  launch: LaunchSpec,
  request: ConnectRequest,
  server: AdmittedServer,
) => Promise<Session>

/** For a board that shares no processes. */
export const connectAlone: Connector = (launch, request) => connect(launch, request)
