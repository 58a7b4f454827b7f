/**
 * confidential: whether what is sent to an address can be read only there.
 *
 * in     an address
 * out    yes for an encrypted line, and for one that does not leave this machine. By its name alone: what a name resolves to
 *        is looked at by those who connect
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
