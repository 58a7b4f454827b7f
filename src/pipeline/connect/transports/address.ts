/**
 * address: the address of a remote server, and the headers of every request to it.
 *
 * in     the URL and headers of a launch, at the moment of the first message: here the secrets are revealed
 * out    an Address, or why there is none
 * never  repeats the URL in a message: it may hold a secret
 */
import { reveal, type LaunchValue } from '../../../model/launch.ts'
import type { WireFailure } from '../../../model/wire.ts'

export interface Address {
  readonly url: URL
  readonly origin: string
  /** Including the query. */
  readonly path: string
  /** The configured headers, with names in lower case. */
  readonly headers: ReadonlyMap<string, string>
}

export interface RemoteLaunch {
  readonly url: LaunchValue
  readonly headers: ReadonlyMap<string, LaunchValue>
}

/** Headers that the connection or this client sets for every body. A second value would break the exchange. */
const OURS: ReadonlySet<string> = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
])

export function parseAddress(launch: RemoteLaunch): Address | WireFailure {
  const url = tryUrl(reveal(launch.url))
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return { kind: 'network', code: 'ERR_INVALID_URL', message: 'the address is not an http or https URL' }
  const headers = new Map<string, string>()
  if (url.username !== '' || url.password !== '') headers.set('authorization', toBasic(url))
  for (const [name, value] of launch.headers) {
    const lower = name.toLowerCase()
    if (!OURS.has(lower)) headers.set(lower, reveal(value))
  }
  return { url, origin: url.origin, path: url.pathname + url.search, headers }
}

function tryUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined // the caller reports that this is no address
  }
}

function toBasic({ username, password }: URL): string {
  const bytes = new TextEncoder().encode(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
  return `Basic ${btoa(String.fromCodePoint(...bytes))}`
}

/** Name, value, name, value; a later list wins over an earlier one. */
export function toHeaderList(...layers: readonly Iterable<readonly [string, string]>[]): readonly string[] {
  const merged = new Map<string, string>()
  for (const layer of layers) for (const [name, value] of layer) merged.set(name.toLowerCase(), value)
  return [...merged].flat()
}
