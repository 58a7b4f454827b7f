/**
 * plain-http: why no token is sent to a server that others on the way can listen to, and what to do about it.
 *
 * Told where somebody signs in, where a token is withheld, and where a server asks for one.
 */
import type { Transport } from '../model/definition.ts'

/** For the end of a sentence that says what was not done. */
export function becauseOfPlainHttp(url: string): string {
  return `${new URL(url).origin} is not ${secureSchemeOf(url)}, and everybody on the way there could read it`
}

export function adviseOnPlainHttp({ type }: Pick<Transport, 'type'>, url: string): readonly string[] {
  const secure = `if the server can do that, begin its \`url\` with \`${secureSchemeOf(url)}://\``
  return type === 'http' || type === 'sse' ? [secure, ALLOW_PLAIN_HTTP] : [secure]
}

export const ALLOW_PLAIN_HTTP =
  'if that is what you want, say so in its entry: `"oauth": { "dangerouslyAllowHttp": true }`'

function secureSchemeOf(url: string): 'https' | 'wss' {
  return url.startsWith('ws') ? 'wss' : 'https'
}
