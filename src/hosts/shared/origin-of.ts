/**
 * origin-of: the address of a gateway over HTTP, without a path.
 */
import type { HttpServingOptions } from './gateway-host.ts'

/** `port`: the actual port, also where the options allow any. */
export function originOf({ host, tls }: Pick<HttpServingOptions, 'host' | 'tls'>, port: number): string {
  return `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
