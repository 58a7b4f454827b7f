/**
 * sharing: how processes are kept by whoever serves, in the background or not.
 *
 * in     the setting `gateway`
 * out    how long a process may be unused, and how many of one server may run
 */
import type { GatewaySetting } from '../../model/gateway-setting.ts'

export interface Sharing {
  /** 0: servers run for as long as the gateway does. */
  readonly idleMs: number
  /** Of one server that each client has for itself. */
  readonly maxInstances: number
}

/** A server that nobody has used for so long is ended until somebody does. */
const IDLE_MS = 10 * 60_000

const MAX_INSTANCES = 32

export function sharingOf({ idleMinutes, maxPerServer }: GatewaySetting = {}): Sharing {
  return {
    idleMs: idleMinutes === undefined ? IDLE_MS : idleMinutes * 60_000,
    maxInstances: maxPerServer ?? MAX_INSTANCES,
  }
}
