/**
 * sharing: how a gateway keeps the processes of servers, in the background or not.
 *
 * in     the setting `gateway`
 * out    how long a process may be unused, and how many processes of one server may run
 */
import type { GatewaySetting } from '../../model/gateway-setting.ts'

export interface Sharing {
  /** 0: servers run as long as the gateway. */
  readonly idleMs: number
  /** For a server that runs once per client. */
  readonly maxInstances: number
}

/** A server that no client has used for this long is stopped. The next request starts it again. */
const IDLE_MS = 10 * 60_000

const MAX_INSTANCES = 32

export function sharingOf({ idleMinutes, maxPerServer }: GatewaySetting = {}): Sharing {
  return {
    idleMs: idleMinutes === undefined ? IDLE_MS : idleMinutes * 60_000,
    maxInstances: maxPerServer ?? MAX_INSTANCES,
  }
}
