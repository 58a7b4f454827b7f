/**
 * main: the ways into the gateway that the command knows.
 */
import type { GatewayModule } from '../shared/gateway-host.ts'
import { openDaemon } from './daemon.ts'
import { openServing } from './serve.ts'

export const gateway: GatewayModule = { openDaemon, openServing }
