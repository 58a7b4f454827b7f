/**
 * signature: decides when two definitions are the same server, under whatever names.
 *
 * Values of variables are filled in for the comparison.
 *
 * never  kept or shown, since a signature may hold secrets
 */
import type { ServerDefinition, TemplateMap } from './definition.ts'
import { expandForComparison, type Template } from './template.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Command and arguments, or the URL. Undefined for a server in this process. */
export function signatureOf({ transport }: ServerDefinition, env: Env): string | undefined {
  if (transport.type === 'sdk') return undefined
  if (transport.type === 'stdio') return JSON.stringify(argvOf(transport, env))
  return unwrapProxy(canonicalUrl(expandForComparison(transport.url, env)))
}

/** Scheme, host and port of a remote server. Undefined: it is not remote, or a part of its address is unknown. */
export function originOf({ transport }: ServerDefinition, env: Env): string | undefined {
  if (transport.type !== 'http' && transport.type !== 'sse') return undefined
  return tryUrl(canonicalUrl(expandForComparison(transport.url, env)))?.origin
}

/** The signature and everything else that changes how the connection behaves. */
export function fullSignatureOf(definition: ServerDefinition, env: Env): string {
  const signature = signatureOf(definition, env)
  const { transport, includeTools, excludeTools } = definition
  const cwd =
    transport.type === 'stdio' && transport.cwd !== undefined ? expandForComparison(transport.cwd, env) : null
  const variables = transport.type === 'stdio' ? expandMap(transport.env, env) : null
  const headers = 'headers' in transport ? expandMap(transport.headers, env) : null
  const oauth = 'oauth' in transport ? transport.oauth : null
  return JSON.stringify([signature, cwd, variables, headers, oauth, includeTools, excludeTools])
}

export function argvOf(
  transport: { readonly command: Template; readonly args: readonly Template[] },
  env: Env,
): readonly string[] {
  const argv = transport.args.map((word) => expandForComparison(word, env))
  argv.unshift(expandForComparison(transport.command, env))
  return argv
}

function expandMap(map: TemplateMap, env: Env): readonly (readonly [string, string])[] {
  return [...map]
    .map(([key, value]) => [key, expandForComparison(value, env)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Paths of known proxies that carry the vendor's URL in `mcp_url`. */
const PROXY_PATHS: readonly string[] = ['/v2/session_ingress/shttp/mcp/', '/v2/ccr-sessions/']

/** The vendor's URL behind a known proxy, or the URL itself. */
export function unwrapProxy(url: string): string {
  const parsed = tryUrl(url)
  const isProxy = parsed !== undefined && PROXY_PATHS.some((path) => parsed.pathname.includes(path))
  const inner = isProxy ? parsed.searchParams.get('mcp_url') : null
  return inner === null ? url : canonicalUrl(inner)
}

/**
 * Host in lower case and without a last dot, no default port, no user name: two spellings of one address become one.
 */
export function canonicalUrl(url: string): string {
  const parsed = tryUrl(url)
  if (parsed === undefined) return url
  parsed.username = ''
  parsed.password = ''
  parsed.hash = ''
  parsed.hostname = parsed.hostname.replace(/\.$/, '')
  return parsed.pathname === '/' && parsed.search === '' ? parsed.href.replace(/\/$/, '') : parsed.href
}

export function tryUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined // not a URL: the caller compares it as text
  }
}
