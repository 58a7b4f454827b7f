/**
 * gateway-record: what a gateway in the background wrote down of itself.
 */
import { isObject } from '../base/is-object.ts'
import { gatewayPlaceOf } from '../world/gateway-place.ts'
import type { World } from '../world/world.ts'

/** What is known of one that runs. */
export interface GatewayRecord {
  readonly pid: number
  /** Over HTTP; absent when only the socket leads to it. */
  readonly address?: string
  /** In the record alone: all that lead to it over HTTP, as far as it knows. */
  readonly origins?: readonly string[]
  readonly socket: string
  readonly version: string
  readonly startedAt: string
}

/** Of the one that runs, or ran last and did not end in good order. */
export function readRecord(world: World): GatewayRecord | undefined {
  const read = world.files.read(gatewayPlaceOf(world).record)
  if (read.kind !== 'text') return undefined
  try {
    const record: unknown = JSON.parse(read.text)
    return isObject(record) && typeof record['pid'] === 'number'
      ? (record as unknown as GatewayRecord)
      : undefined
  } catch {
    return undefined // as good as none: the socket says who runs
  }
}

/** Where one can be reached that runs, as it said itself. */
export function originsOfRunning(world: World): readonly string[] {
  const record = readRecord(world)
  const { origins } = record ?? {}
  return Array.isArray(origins) && world.daemons.isAlive(record!.pid) ? origins : []
}
