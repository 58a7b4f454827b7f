/**
 * confidential: whether only the receiver can read what is sent to an address.
 *
 * in     an address
 * out    yes for an encrypted connection, and for one inside this machine. It uses the name alone: the code that
 *        connects checks what a name resolves to
 */
import { isIpAddress, networkOf } from './ip-address.ts'

export function isConfidential({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:' || protocol === 'wss:') return true
  return (protocol === 'http:' || protocol === 'ws:') && isLoopbackName(hostname)
}

export function isLoopbackName(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1')
  if (isIpAddress(name)) return networkOf(name) === 'loopback'
  return name === 'localhost' || name.endsWith('.localhost')
}
