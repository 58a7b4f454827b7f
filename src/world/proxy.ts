/**
 * proxy: which route a request takes, as the user's environment says.
 *
 * in     an address, and the variables every command line tool knows: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`,
 *        `NO_PROXY`
 * out    a direct route, a proxy, or why the proxy that is named cannot be used
 * never  repeats a name or password of a proxy; makes an exception that the user did not ask for, not even for this
 *        machine
 *
 * The rules are those of curl: lower case comes before upper case, an empty variable counts as unset, and `HTTP_PROXY`
 * is not for `https` addresses.
 */
import type { Env, Via } from './world.ts'

export type Route =
  | { readonly kind: 'direct' }
  | { readonly kind: 'proxy'; readonly proxy: Proxy }
  /** A direct request instead would reveal what the user wanted to keep behind the proxy. */
  | { readonly kind: 'unusable'; readonly via: Via; readonly message: string }

export interface Proxy {
  readonly via: Via
  readonly hostname: string
  readonly port: number
  /** Whether the connection to the proxy itself is encrypted. */
  readonly isSecure: boolean
  /** `Proxy-Authorization`, where the variable has a name and password. */
  readonly authorization?: string
}

const DIRECT: Route = { kind: 'direct' }

const VARIABLES: Readonly<Record<string, string>> = {
  'http:': 'http_proxy',
  'ws:': 'http_proxy',
  'https:': 'https_proxy',
  'wss:': 'https_proxy',
}

/** Every variable of an environment that decides which route a request takes. */
export const PROXY_VARIABLES: readonly string[] = [
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
].flatMap((name) => [name, name.toUpperCase()])

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'ws:': 80, 'https:': 443, 'wss:': 443 }

export function findRoute(address: string, env: Env): Route {
  const url = tryUrl(address)
  const variable = url === undefined ? undefined : VARIABLES[url.protocol]
  if (url === undefined || variable === undefined) return DIRECT
  const found = findSet(env, variable) ?? findSet(env, 'all_proxy')
  if (found === undefined || isExempt(url, findSet(env, 'no_proxy')?.value ?? '')) return DIRECT
  return toRoute(found)
}

interface Setting {
  /** Spelled as in the environment. */
  readonly name: string
  readonly value: string
}

function findSet(env: Env, name: string): Setting | undefined {
  for (const spelling of [name, name.toUpperCase()]) {
    const value = env[spelling]?.trim()
    if (value !== undefined && value !== '') return { name: spelling, value }
  }
  return undefined
}

function toRoute({ name, value }: Setting): Route {
  // Users write `proxy.corp:3128`, which parses as a URL with an unknown scheme.
  const url = tryUrl(value.includes('://') ? value : `http://${value}`)
  if (url === undefined || url.hostname === '') {
    return {
      kind: 'unusable',
      via: { proxy: '', variable: name },
      message: 'it is not the address of a proxy',
    }
  }
  const via = { proxy: `${url.protocol}//${url.host}`, variable: name }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    const message = `only http and https proxies are supported, and this one is \`${url.protocol.slice(0, -1)}\``
    return { kind: 'unusable', via, message }
  }
  const authorization = toAuthorization(url)
  return {
    kind: 'proxy',
    proxy: {
      via,
      hostname: withoutBrackets(url.hostname),
      port: portOf(url),
      isSecure: url.protocol === 'https:',
      ...(authorization === undefined ? {} : { authorization }),
    },
  }
}

function toAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  const bytes = new TextEncoder().encode(`${decode(username)}:${decode(password)}`)
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''))}`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a literal `%`
  }
}

/** `*`, `host`, `.suffix`, `*.suffix`, `10.0.0.0/8`, each with or without a port; between commas or blanks. */
function isExempt(url: URL, list: string): boolean {
  const host = withoutBrackets(url.hostname).replace(/\.$/, '')
  const port = portOf(url)
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(toExemption)
    .some((one) => (one.port === undefined || one.port === port) && matches(host, one.host))
}

interface Exemption {
  readonly host: string
  readonly port: number | undefined
}

function toExemption(entry: string): Exemption {
  // An IPv6 address without brackets is all colons, and has no port.
  const [, host, port] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [entry, entry]
  return {
    host: withoutBrackets(host!)
      .replace(/^\*?\.(?=.)/, '')
      .replace(/\.$/, ''),
    port: port === undefined ? undefined : Number(port),
  }
}

function matches(host: string, exempt: string): boolean {
  if (exempt === '*' || host === exempt || host.endsWith(`.${exempt}`)) return true
  const [network, bits] = exempt.split('/')
  const [ours, theirs] = [toNumber(host), toNumber(network!)]
  if (ours === undefined || theirs === undefined || bits === undefined || !/^\d{1,2}$/.test(bits))
    return false
  const size = 2 ** (32 - Math.min(32, Number(bits)))
  return Math.floor(ours / size) === Math.floor(theirs / size)
}

/** Of an IPv4 address. */
function toNumber(host: string): number | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(host)) return undefined
  return host.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? PORTS[protocol]! : Number(port)
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

function tryUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined // reported as an invalid proxy; an invalid address fails by itself
  }
}
