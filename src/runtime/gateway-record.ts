/**
 * gateway-record: what a gateway in the background recorded about itself.
 */
import { isObject } from '../base/is-object.ts'
import { gatewayPlaceOf } from '../world/gateway-place.ts'
import type { World } from '../world/world.ts'

/** What is known of a running gateway. */
export interface GatewayRecord {
  readonly pid: number
  /** The address over HTTP. Absent when the gateway has only the socket. */
  readonly address?: string
  /** Only in the record: all origins that lead to the gateway over HTTP, as far as it knows. */
  readonly origins?: readonly string[]
  readonly socket: string
  readonly version: string
  readonly startedAt: string
}

/** The gateway that runs, or the last one if it did not end in good order. */
export function readRecord(world: World): GatewayRecord | undefined {
  const read = world.files.read(gatewayPlaceOf(world).record)
  if (read.kind !== 'text') return undefined
  try {
    const record: unknown = JSON.parse(read.text)
    return isObject(record) && typeof record['pid'] === 'number'
      ? (record as unknown as GatewayRecord)
      : undefined
  } catch {
    return undefined // as good as none: the socket says which gateway runs
  }
}

/** The origins of a running gateway, from its own record. */
export function originsOfRunning(world: World): readonly string[] {
  const record = readRecord(world)
  const { origins } = record ?? {}
  return Array.isArray(origins) && world.daemons.isAlive(record!.pid) ? origins : []
}
