/**
 * guarded-fetch: the only way to an authorization server. The addresses come from untrusted parties: a server names its
 * authorization server, and that one names its endpoints.
 *
 * in     a request as `fetch` takes it, and the MCP server on whose behalf it is made
 * out    a whole answer, small and JSON
 * never  follows a redirect to another origin; speaks plain HTTP beyond this machine; sends a request to an address of
 *        this network for a server of the internet; reads more than 16 KB of a token answer, or more than 1 MB of any
 *        other; waits longer than its limit
 */
import { findTooDeep } from '../../base/bracket-depth.ts'
import { isConfidential, isLoopbackName } from '../../base/confidential.ts'
import { MAX_DEPTH } from '../../base/depth.ts'
import { isIpAddress, networkOf, type Network } from '../../base/ip-address.ts'
import type { AuthorizationLimits } from '../../model/leeway.ts'
import { describeNetwork } from '../../model/network.ts'
import { MAX_TOKEN_BYTES } from '../../model/sign-in.ts'
import { findRoute } from '../../world/proxy.ts'
import type { HttpError, HttpHead, HttpRequest, World } from '../../world/world.ts'

/** The limit for a description. Some are long. */
const MAX_LOOKUP_BYTES = 1024 * 1024

/** The limit for one exchange. */
export const ANSWER_MS = 30_000

export interface Guard extends AuthorizationLimits {
  /** The address of the MCP server. */
  readonly serverUrl: string
  readonly signal?: AbortSignal | undefined
}

export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

export type Refusal =
  | 'redirect'
  | 'not-https'
  | 'private-address'
  | 'too-large'
  | 'not-json'
  | 'too-slow'
  | 'unreachable'

/**
 * A request that was not made, or whose answer was refused. A TypeError like that of `fetch`, because the SDK passes
 * those on.
 */
export class GuardError extends TypeError {
  readonly refusal: Refusal
  readonly url: string

  constructor(refusal: Refusal, url: URL, message: string) {
    super(message)
    this.name = 'GuardError'
    this.refusal = refusal
    this.url = withoutQuery(url)
  }
}

type Outside = Pick<World, 'http' | 'clock' | 'resolver' | 'env'>

export function createGuardedFetch(world: Outside, guard: Guard): GuardedFetch {
  /** The network of the MCP server, looked up once. */
  let server: Promise<Network> | undefined
  return async (to, init = {}) => {
    const url = new URL(to)
    const insecure = findInsecure(url, guard)
    // The check of the address comes first: permission for plain HTTP does not help for a forbidden address.
    if (insecure !== undefined && url.protocol !== 'http:') throw insecure
    const isChosen = guard.chosenOrigins.includes(url.origin)
    const find = (): Promise<string | undefined> =>
      findAddress(world, url, () => (server ??= networkOfServer(world, guard)))
    const address = isChosen
      ? undefined
      : await find().catch((error: unknown) => {
          const isUnknown = error instanceof GuardError && error.refusal === 'unreachable'
          throw isUnknown ? (insecure ?? error) : error
        })
    if (insecure !== undefined) throw insecure
    guard.signal?.throwIfAborted()
    const answer = await exchange(world, toRequest(url, init, address), { url, signal: guard.signal })
    return toResponse(url, init, answer)
  }
}

/** Why other programs could read the request on its way. */
function findInsecure(url: URL, { serverUrl, allowsHttp }: Guard): GuardError | undefined {
  if (/^https?:$/.test(url.protocol) && (allowsHttp || isConfidential(url))) return undefined
  const message = `${withoutQuery(url)} is not https, and what is secret would be sent there for all to read`
  return new GuardError('not-https', url, `${message} (asked for by ${new URL(serverUrl).host})`)
}

/** The address to connect to; undefined if a proxy looks it up. Throws a GuardError for a forbidden address. */
async function findAddress(
  world: Outside,
  url: URL,
  server: () => Promise<Network>,
): Promise<string | undefined> {
  const addresses = await addressesOf(world, url)
  if (addresses.length === 0) return undefined
  const from = await server()
  const closed = addresses.find((address) => !mayReach(from, networkOf(address)))
  if (closed === undefined) return addresses[0]
  const message = `${url.host} is at ${closed}, in the network of this machine, where a server of the internet has no business`
  throw new GuardError('private-address', url, message)
}

/**
 * A server on this network may name others on it. Only a link-local server may name a link-local address, where clouds
 * keep keys.
 */
function mayReach(from: Network, to: Network): boolean {
  if (to === 'public') return true
  return to === 'link-local' ? from === 'link-local' : from !== 'public'
}

async function networkOfServer(world: Outside, { serverUrl }: Guard): Promise<Network> {
  const addresses = await addressesOf(world, new URL(serverUrl))
  const networks = addresses.map(networkOf)
  // One public address makes it a server of the internet. So does a name that only a proxy can look up.
  if (networks.length === 0 || networks.includes('public')) return 'public'
  return networks[0]!
}

/** Empty: a proxy looks up the name, and this machine perhaps cannot. */
async function addressesOf(world: Outside, url: URL): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIpAddress(host)) return [host]
  if (isLoopbackName(host)) return ['127.0.0.1']
  if (findRoute(url.origin, world.env).kind !== 'direct') return []
  try {
    return await world.resolver.addressesOf(host)
  } catch (error) {
    const { code = 'UNKNOWN', message } = error as Error & { readonly code?: string }
    throw new GuardError('unreachable', url, describeNetwork({ code, message, host: url.host }))
  }
}

function toRequest(url: URL, init: RequestInit, address: string | undefined): HttpRequest {
  const headers = new Headers(init.headers)
  if (!headers.has('accept')) headers.set('accept', 'application/json')
  headers.set('user-agent', 'plugboard')
  const { body } = init
  const isForm = body instanceof URLSearchParams
  if (isForm && !headers.has('content-type')) headers.set('content-type', 'application/x-www-form-urlencoded')
  return {
    method: init.method === 'POST' ? 'POST' : 'GET',
    origin: url.origin,
    path: url.pathname + url.search,
    headers: [...headers].flat(),
    ...(isForm || typeof body === 'string' ? { body: body.toString() } : {}),
    ...(address === undefined ? {} : { address }),
    isUrgent: true,
  }
}

interface Answer {
  readonly head: HttpHead
  readonly text: string
}

interface Limits {
  readonly url: URL
  readonly signal: AbortSignal | undefined
}

function exchange({ http, clock }: Outside, request: HttpRequest, { url, signal }: Limits): Promise<Answer> {
  const [limit, words] =
    request.method === 'POST' ? ([MAX_TOKEN_BYTES, '16 KB'] as const) : ([MAX_LOOKUP_BYTES, '1 MB'] as const)
  return new Promise((resolve, reject) => {
    let head: HttpHead | undefined
    let text = ''
    let end = (): void => undefined
    const settle = (tell: () => void): void => {
      cancel()
      signal?.removeEventListener('abort', onAbort)
      tell()
    }
    const refuse = (refusal: Refusal, message: string): void => {
      end()
      settle(() => reject(new GuardError(refusal, url, message)))
    }
    const onAbort = (): void => {
      end()
      settle(() => reject(signal!.reason as Error))
    }
    const cancel = clock.after(ANSWER_MS, () =>
      refuse('too-slow', `${url.host} gave no answer within ${ANSWER_MS / 1000} s`),
    )
    signal?.addEventListener('abort', onAbort, { once: true })
    end = http.request(request, {
      onHead: (one) => {
        head = one
        return 'pieces'
      },
      onText: (piece) => {
        text += piece
        if (text.length > limit) refuse('too-large', `${url.host} answered with more than ${words}`)
      },
      onEnd: () => settle(() => resolve({ head: head!, text })),
      onFailed: (error) => refuse('unreachable', describeNetwork(toFailure(error, url))),
    })
  })
}

function toFailure(error: HttpError, url: URL): Parameters<typeof describeNetwork>[0] {
  const { code, message, via } = error
  return { code, message, host: url.host, ...(via === undefined ? {} : { via }) }
}

/** Redirects and pages mean that this place has no metadata. For other requests they are refused. */
function toResponse(url: URL, init: RequestInit, { head, text }: Answer): Response {
  const { status } = head
  const isLookup = init.method !== 'POST'
  const fault = findFault(url, head, text)
  if (fault !== undefined && isLookup) return new Response(undefined, { status: 404 })
  if (fault !== undefined) throw fault
  return new Response([204, 205, 304].includes(status) ? undefined : text, {
    status,
    headers: toHeaders(head),
  })
}

function findFault(url: URL, { status, headers }: HttpHead, text: string): GuardError | undefined {
  if (status >= 300 && status < 400) {
    const target = tryUrl(textOf(headers['location']) ?? '', url)
    if (target?.origin === url.origin) return undefined
    const where = target === undefined ? 'nowhere' : target.host
    return new GuardError('redirect', url, `${url.host} redirects to ${where}, which is not followed`)
  }
  // An empty answer, as after a revocation, need not be JSON.
  if (status >= 400 || text === '') return undefined
  if (isJson(textOf(headers['content-type']) ?? ''))
    return findTooDeep(text, MAX_DEPTH) === undefined ? undefined : tooDeep(url)
  return new GuardError('not-json', url, `${withoutQuery(url)} did not answer with JSON`)
}

function tooDeep(url: URL): GuardError {
  const message = `${withoutQuery(url)} answered with JSON that is nested more than ${MAX_DEPTH} levels deep`
  return new GuardError('not-json', url, message)
}

function isJson(contentType: string): boolean {
  const [type] = contentType.toLowerCase().split(';')
  return type!.trim() === 'application/json' || type!.trim().endsWith('+json')
}

function toHeaders({ headers }: HttpHead): Headers {
  const list = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) list.append(name, one)
  }
  return list
}

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0]
}

function tryUrl(place: string, base: URL): URL | undefined {
  try {
    return new URL(place, base)
  } catch {
    return undefined // the caller reports that the redirect leads nowhere
  }
}

/** A query may hold a code. */
function withoutQuery({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`
}
