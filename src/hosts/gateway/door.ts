/**
 * door: decides from the head of a request alone whether the client may send it.
 *
 * in     address, headers, token
 * out    the target and the principal, or the refusal
 * never  accepts a request that a foreign web page could have sent (DNS rebinding); reveals how close a guessed token
 *        was
 */
import { isSameSecret } from '../../base/same-secret.ts'
import type { Rate } from '../../model/gateway-setting.ts'
import { MAX_TOKEN_BYTES } from '../../model/sign-in.ts'
import type { NamedTokens } from '../../runtime/named-tokens.ts'
import type { Clock, RequestHead, WholeReply } from '../../world/world.ts'
import type { Issuer } from './issuer.ts'
import { holderOf, OWNER, type Principal } from './principal.ts'
import { RateLimit } from './rate-limit.ts'

export interface RequestGuardOptions {
  readonly clock: Clock
  /** The token that a client must show. Undefined only where another check protects the gateway. */
  readonly token: string | undefined
  /** Named tokens that clients may show instead, each with its own grants. */
  readonly tokens?: Pick<NamedTokens, 'recall' | 'find' | 'has'> | undefined
  /** Host names of this gateway, besides those of this machine. */
  readonly hosts?: readonly string[] | undefined
  /**
   * Accept any IP address as host, for a gateway that other machines can reach. DNS rebinding works with names, not
   * with addresses.
   */
  readonly isOpenToAddresses?: boolean | undefined
  /** The authorization server whose tokens replace our own. */
  readonly issuer?: Issuer | undefined
  /** Limit for each client. Undefined: no limit. */
  readonly rate?: Rate | undefined
  readonly onRefused?: ((why: Refusal, from: string) => void) | undefined
}

/** Why the gateway refused a request. */
export type Refusal = 'host' | 'origin' | 'token' | 'scope' | 'rate'

/** Path → target. */
export type Target =
  | { readonly kind: 'mcp'; readonly server: string | undefined }
  | { readonly kind: 'health' | 'ready' | 'metrics' }
  /** Where a client can get a token for this. */
  | { readonly kind: 'description'; readonly server: string | undefined }

export type GuardVerdict =
  | { readonly kind: 'refused'; readonly reply: WholeReply }
  | { readonly kind: 'passed'; readonly target: Target; readonly principal: Principal }

/** Limit of wrong tokens from one address: a burst, then one each second. */
const FAILURES: Rate = { perSecond: 1, burst: 30 }

/** The principal of clients that need no token. */
const ANONYMOUS: Principal = { who: 'anybody', key: '' }

export class RequestGuard {
  readonly #options: RequestGuardOptions
  readonly #known: ReadonlySet<string>
  readonly #failures: RateLimit
  readonly #rate: RateLimit | undefined

  constructor(options: RequestGuardOptions) {
    const { clock, rate, hosts = [] } = options
    this.#options = options
    this.#known = new Set([...LOOPBACK, ...hosts.map((host) => host.toLowerCase())])
    this.#failures = new RateLimit(clock, FAILURES)
    this.#rate = rate === undefined ? undefined : new RateLimit(clock, rate)
  }

  pass(head: RequestHead): GuardVerdict | Promise<GuardVerdict> {
    const { headers } = head
    const { authority, path } = splitPath(head.path)
    const isKnown =
      this.#isKnown(textOf(headers['host'])) && (authority === undefined || this.#isKnown(authority))
    if (!isKnown) return this.#refuse(head, 'host', say(403, 'This host is not served here.'))
    const origin = textOf(headers['origin'])
    // An address alone proves nothing: any web page may come from one.
    const page = origin === undefined ? undefined : nameIn(/^https?:\/\/([^/]+)$/i.exec(origin)?.[1])
    if (page !== undefined && !this.#known.has(page))
      return this.#refuse(head, 'origin', say(403, 'This origin may not ask.'))
    const target = findTarget(path)
    if (target === undefined) return { kind: 'refused', reply: say(404, 'There is nothing here; try /mcp.') }
    if (isEncoded(headers['content-encoding']))
      return { kind: 'refused', reply: say(415, 'A body that is not compressed is expected.') }
    if (isPublic(target)) return { kind: 'passed', target, principal: ANONYMOUS }
    return this.#judge(head, target)
  }

  #judge(head: RequestHead, target: Target): GuardVerdict | Promise<GuardVerdict> {
    const { token, issuer } = this.#options
    const given = /^Bearer +(\S+)$/i.exec(textOf(head.headers['authorization']) ?? '')?.[1]
    if (issuer !== undefined && target.kind === 'mcp')
      return this.#judgeByIssuer(head, target, { issuer, given })
    if (token === undefined) return this.#limit(head, { target, principal: OWNER })
    if (given !== undefined && isSameSecret(given, token))
      return this.#limit(head, { target, principal: OWNER })
    if (given === undefined) return this.#refuseToken(head, given, 'Bearer')
    return target.kind === 'mcp'
      ? this.#judgeByName(head, target, given)
      : this.#refuseToken(head, given, INVALID)
  }

  #judgeByName(head: RequestHead, target: Target, given: string): GuardVerdict {
    const { tokens } = this.#options
    if (tokens === undefined) return this.#refuseToken(head, given, INVALID)
    const known = tokens.recall(given)
    // A client with too many wrong tokens must not make the gateway read the file.
    const waitSeconds = known === undefined ? this.#failures.look(head.from) : 0
    if (waitSeconds > 0) return this.#tooOften(head, waitSeconds)
    const named = known ?? tokens.find(given)
    if (named === undefined) return this.#refuseToken(head, given, INVALID)
    return this.#limit(head, { target, principal: holderOf(named, tokens) })
  }

  #judgeByIssuer(
    head: RequestHead,
    target: Extract<Target, { kind: 'mcp' }>,
    { issuer, given }: { readonly issuer: Issuer; readonly given: string | undefined },
  ): GuardVerdict | Promise<GuardVerdict> {
    const { server } = target
    if (given === undefined) return this.#refuseToken(head, given, issuer.challenge(server))
    if (given.length > MAX_TOKEN_BYTES)
      return this.#refuseToken(head, given, issuer.challenge(server, 'the token is longer than 16 KB'))
    // A client with too many wrong tokens must not make the gateway verify signatures.
    const waitSeconds = this.#failures.look(head.from)
    const known = issuer.recall(given, server)
    if (known === undefined && waitSeconds > 0) return this.#tooOften(head, waitSeconds)
    const settle = (judged: Awaited<ReturnType<Issuer['judge']>>): GuardVerdict => {
      switch (judged.kind) {
        case 'good':
          return this.#limit(head, { target, principal: judged.principal })
        case 'bad':
          return this.#refuseToken(head, given, issuer.challenge(server, judged.why))
        case 'too-little':
          return this.#refuse(head, 'scope', challenged(403, 'This token is not for this.', judged.challenge))
        case 'unknown':
          return { kind: 'refused', reply: UNJUDGED }
      }
    }
    return known === undefined ? issuer.judge(given, server).then(settle) : settle(known)
  }

  #limit(head: RequestHead, passed: Omit<Extract<GuardVerdict, { kind: 'passed' }>, 'kind'>): GuardVerdict {
    if (this.#rate !== undefined) {
      const waitSeconds = this.#rate.take(clientOf(head, passed.principal))
      if (waitSeconds > 0) return this.#tooOften(head, waitSeconds)
    }
    return { kind: 'passed', ...passed }
  }

  #tooOften(head: RequestHead, waitSeconds: number): GuardVerdict {
    const { headers, ...reply } = say(429, 'This is too often.')
    return this.#refuse(head, 'rate', {
      ...reply,
      headers: { ...headers, 'retry-after': String(waitSeconds) },
    })
  }

  #refuseToken(head: RequestHead, given: string | undefined, challenge: string): GuardVerdict {
    const waitSeconds = given === undefined ? 0 : this.#failures.take(head.from)
    if (waitSeconds > 0) return this.#tooOften(head, waitSeconds)
    return this.#refuse(head, 'token', needsToken(challenge))
  }

  #refuse({ from }: RequestHead, why: Refusal, reply: WholeReply): GuardVerdict {
    this.#options.onRefused?.(why, from)
    return { kind: 'refused', reply }
  }

  #isKnown(host: string | undefined): boolean {
    const name = nameIn(host)
    return this.#known.has(name) || (this.#options.isOpenToAddresses === true && isAddress(name))
  }
}

/** The host as written, except for case and port. A name with a trailing dot, for example, is a different name. */
function nameIn(host: string | undefined): string {
  return (host ?? '').toLowerCase().replace(/:\d*$/, '')
}

/**
 * The address identifies clients that share our own token; the principal identifies others. Headers play no part: a
 * client can invent them.
 */
function clientOf({ from }: RequestHead, principal: Principal): string {
  return principal === OWNER ? `${principal.key} ${from}` : principal.key
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

const TEXT = { 'content-type': 'text/plain; charset=utf-8' }

const INVALID = 'Bearer error="invalid_token"'

/** The refusal for a token that was good when its request began. */
export const TAKEN_BACK = needsToken(INVALID)

const UNJUDGED = challenged(503, 'Nobody can tell now whether this token is good.', undefined)

export function say(status: number, text: string): WholeReply {
  return { status, headers: TEXT, body: `${text}\n` }
}

function needsToken(challenge: string): WholeReply {
  return challenged(401, 'A token is needed.', challenge)
}

function challenged(status: number, text: string, challenge: string | undefined): WholeReply {
  const reply = say(status, text)
  return challenge === undefined
    ? { ...reply, headers: { ...TEXT, 'retry-after': '5' } }
    : { ...reply, headers: { ...TEXT, 'www-authenticate': challenge } }
}

function isPublic({ kind }: Target): boolean {
  return kind === 'health' || kind === 'ready' || kind === 'description'
}

/** The size of an encoded body is unknown before it is unpacked. */
function isEncoded(encoding: string | readonly string[] | undefined): boolean {
  const text = textOf(encoding)
  return text !== undefined && text.trim().toLowerCase() !== 'identity'
}

function isAddress(name: string): boolean {
  return /^\[[\da-f:.]+\]$/.test(name) || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name)
}

/** `POST http://host/mcp`: the form for proxies. Its host takes precedence over the header (RFC 9112 §3.2.2). */
function splitPath(path: string): { readonly authority?: string; readonly path: string } {
  const [, authority, rest = ''] = /^https?:\/\/([^/?]*)(.*)$/i.exec(path) ?? []
  return authority === undefined ? { path } : { authority, path: rest }
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

export function findTarget(path: string): Target | undefined {
  const [plain = ''] = path.split('?')
  if (plain === '/healthz') return { kind: 'health' }
  if (plain === '/readyz') return { kind: 'ready' }
  if (plain === '/metrics') return { kind: 'metrics' }
  if (plain === WELL_KNOWN) return { kind: 'description', server: undefined }
  if (plain.startsWith(`${WELL_KNOWN}/`)) return findMcp(plain.slice(WELL_KNOWN.length), 'description')
  return findMcp(plain, 'mcp')
}

function findMcp(path: string, kind: 'mcp' | 'description'): Target | undefined {
  if (path === '/mcp' || path === '/mcp/') return { kind, server: undefined }
  const name = /^\/mcp\/([^/]+)$/.exec(path)?.[1]
  const server = name === undefined ? undefined : tryDecode(name)
  return server === undefined ? undefined : { kind, server }
}

function tryDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined // a malformed escape names no server
  }
}

export function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0]
}
