/**
 * origin-of: the address of a gateway over HTTP, without a path.
 */
import type { HttpServingOptions } from './gateway-host.ts'

/** `port`: the one it got, where any was good. */
export function originOf({ host, tls }: Pick<HttpServingOptions, 'host' | 'tls'>, port: number): string {
  return `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
