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

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Where on this machine one can be reached that runs: by every name that this machine has for itself. */
export function originsOfRunning(world: World): readonly string[] {
  const record = readRecord(world)
  if (record?.address === undefined || !URL.canParse(record.address)) return []
  if (!world.daemons.isAlive(record.pid)) return []
  const { protocol, hostname, port, origin } = new URL(record.address)
  // One that every address of this machine leads to has none of its own.
  const isHere = isLoopbackName(hostname) || hostname === '0.0.0.0' || hostname === '[::]'
  const names = isHere ? LOOPBACK : []
  return [origin, ...names.map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}`)]
}

export function isLoopbackName(hostname: string): boolean {
  return LOOPBACK.includes(hostname) || hostname.startsWith('127.')
}
