/**
 * plain-http: why no token is sent to a server over a connection that others can read, and what the user can do.
 *
 * Used when the user signs in, when a token is withheld, and when a server asks for one.
 */
import { isIpAddress, networkOf } from '../base/ip-address.ts'
import type { Transport } from '../model/definition.ts'

/** For the end of a sentence that says what was not done. */
export function becauseOfPlainHttp(url: string): string {
  const { origin, protocol } = new URL(url)
  if (!PLAIN.has(protocol)) return `its \`url\` begins with \`${protocol}\`, which is no address of a server`
  return `${origin} is not ${secureSchemeOf(url)}, and everybody on the way there could read it`
}

export function adviseOnPlainHttp({ type }: Pick<Transport, 'type'>, url: string): readonly string[] {
  const secure = `if the server can do that, begin its \`url\` with \`${secureSchemeOf(url)}://\``
  return type === 'http' || type === 'sse' ? [secure, ...adviseToAllow(url)] : [secure]
}

/**
 * Suggests the dangerous option where it helps: it allows plain HTTP and nothing else. Never suggests it for the
 * address where clouds keep the keys of a machine.
 */
export function adviseToAllow(url: string): readonly string[] {
  if (!URL.canParse(url)) return []
  const { protocol, hostname } = new URL(url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const isLinkLocal = isIpAddress(host) && networkOf(host) === 'link-local'
  return protocol === 'http:' && !isLinkLocal
    ? ['if that is what you want, say so in its entry: `"oauth": { "dangerouslyAllowHttp": true }`']
    : []
}

const PLAIN: ReadonlySet<string> = new Set(['http:', 'ws:'])

function secureSchemeOf(url: string): 'https' | 'wss' {
  return url.startsWith('ws') ? 'wss' : 'https'
}
