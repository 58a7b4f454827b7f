/**
 * door: who may ask the gateway anything, decided by the head of a request alone.
 *
 * in     address, headers, the token
 * out    what is asked for and by whom, or the refusal
 * never  looks at a request that a web page of somebody else could have sent (DNS rebinding); tells how close a token was
 */
import { isSameSecret } from '../../base/same-secret.ts'
import type { Rate } from '../../model/gateway-setting.ts'
import { MAX_TOKEN_BYTES } from '../../model/sign-in.ts'
import type { NamedTokens } from '../../runtime/named-tokens.ts'
import type { Clock, RequestHead, WholeReply } from '../../world/world.ts'
import type { Issuer } from './issuer.ts'
import { holderOf, OWNER, type Principal } from './principal.ts'
import { RateLimit } from './rate-limit.ts'

export interface DoorOptions {
  readonly clock: Clock
  /** What a client must show. Undefined only where somebody else stands at the door. */
  readonly token: string | undefined
  /** Others that clients may show, each for itself. */
  readonly tokens?: Pick<NamedTokens, 'recall' | 'find' | 'has'> | undefined
  /** Names this gateway is known by, besides those of this machine. */
  readonly hosts?: readonly string[] | undefined
  /** By any address, for one that other machines can reach: nobody can point an address elsewhere, as one can a name. */
  readonly isOpenToAddresses?: boolean | undefined
  /** Whose tokens open the door in place of our own. */
  readonly issuer?: Issuer | undefined
  /** For each client. Undefined: as often as it likes. */
  readonly rate?: Rate | undefined
  readonly onRefused?: ((why: Refusal, from: string) => void) | undefined
}

/** Why somebody was not let in. */
export type Refusal = 'host' | 'origin' | 'token' | 'scope' | 'rate'

/** Path → what is asked for. */
export type Target =
  | { readonly kind: 'mcp'; readonly server: string | undefined }
  | { readonly kind: 'health' | 'ready' | 'metrics' }
  /** Where a token for this can be had. */
  | { readonly kind: 'description'; readonly server: string | undefined }

export type Passage =
  | { readonly kind: 'refused'; readonly reply: WholeReply }
  | { readonly kind: 'passed'; readonly target: Target; readonly principal: Principal }

/** So many tries with a wrong token, from one address; then one each second. */
const FAILURES: Rate = { perSecond: 1, burst: 30 }

/** For those who need not say who they are. */
const ANYBODY: Principal = { who: 'anybody', key: '' }

export class Door {
  readonly #options: DoorOptions
  readonly #known: ReadonlySet<string>
  readonly #failures: RateLimit
  readonly #rate: RateLimit | undefined

  constructor(options: DoorOptions) {
    const { clock, rate, hosts = [] } = options
    this.#options = options
    this.#known = new Set([...LOOPBACK, ...hosts.map((host) => host.toLowerCase())])
    this.#failures = new RateLimit(clock, FAILURES)
    this.#rate = rate === undefined ? undefined : new RateLimit(clock, rate)
  }

  pass(head: RequestHead): Passage | Promise<Passage> {
    const { headers } = head
    const { authority, path } = splitPath(head.path)
    const isKnown =
      this.#isKnown(textOf(headers['host'])) && (authority === undefined || this.#isKnown(authority))
    if (!isKnown) return this.#refuse(head, 'host', say(403, 'This host is not served here.'))
    const origin = textOf(headers['origin'])
    // Anybody's page may come from an address, so none is good by itself.
    const page = origin === undefined ? undefined : nameIn(/^https?:\/\/([^/]+)$/i.exec(origin)?.[1])
    if (page !== undefined && !this.#known.has(page))
      return this.#refuse(head, 'origin', say(403, 'This origin may not ask.'))
    const target = findTarget(path)
    if (target === undefined) return { kind: 'refused', reply: say(404, 'There is nothing here; try /mcp.') }
    if (isEncoded(headers['content-encoding']))
      return { kind: 'refused', reply: say(415, 'A body that is not compressed is expected.') }
    if (isPublic(target)) return { kind: 'passed', target, principal: ANYBODY }
    return this.#judge(head, target)
  }

  #judge(head: RequestHead, target: Target): Passage | Promise<Passage> {
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

  #judgeByName(head: RequestHead, target: Target, given: string): Passage {
    const { tokens } = this.#options
    if (tokens === undefined) return this.#refuseToken(head, given, INVALID)
    const known = tokens.recall(given)
    // Whoever tries too often does not make us read the file.
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
  ): Passage | Promise<Passage> {
    const { server } = target
    if (given === undefined) return this.#refuseToken(head, given, issuer.challenge(server))
    if (given.length > MAX_TOKEN_BYTES)
      return this.#refuseToken(head, given, issuer.challenge(server, 'the token is longer than 16 KB'))
    // Whoever tries too often does not make us do the mathematics.
    const waitSeconds = this.#failures.look(head.from)
    const known = issuer.recall(given, server)
    if (known === undefined && waitSeconds > 0) return this.#tooOften(head, waitSeconds)
    const settle = (judged: Awaited<ReturnType<Issuer['judge']>>): Passage => {
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

  #limit(head: RequestHead, passed: Omit<Extract<Passage, { kind: 'passed' }>, 'kind'>): Passage {
    if (this.#rate !== undefined) {
      const waitSeconds = this.#rate.take(clientOf(head, passed.principal))
      if (waitSeconds > 0) return this.#tooOften(head, waitSeconds)
    }
    return { kind: 'passed', ...passed }
  }

  #tooOften(head: RequestHead, waitSeconds: number): Passage {
    const { headers, ...reply } = say(429, 'This is too often.')
    return this.#refuse(head, 'rate', {
      ...reply,
      headers: { ...headers, 'retry-after': String(waitSeconds) },
    })
  }

  #refuseToken(head: RequestHead, given: string | undefined, challenge: string): Passage {
    const waitSeconds = given === undefined ? 0 : this.#failures.take(head.from)
    if (waitSeconds > 0) return this.#tooOften(head, waitSeconds)
    return this.#refuse(head, 'token', needsToken(challenge))
  }

  #refuse({ from }: RequestHead, why: Refusal, reply: WholeReply): Passage {
    this.#options.onRefused?.(why, from)
    return { kind: 'refused', reply }
  }

  #isKnown(host: string | undefined): boolean {
    const name = nameIn(host)
    return this.#known.has(name) || (this.#options.isOpenToAddresses === true && isAddress(name))
  }
}

/** As it was written, but for case and port: a name with a dot at its end, say, is another one. */
function nameIn(host: string | undefined): string {
  return (host ?? '').toLowerCase().replace(/:\d*$/, '')
}

/** Who shares our own token is told apart by where they are; others by who they are. No header makes them somebody else. */
function clientOf({ from }: RequestHead, principal: Principal): string {
  return principal === OWNER ? `${principal.key} ${from}` : principal.key
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

const TEXT = { 'content-type': 'text/plain; charset=utf-8' }

const INVALID = 'Bearer error="invalid_token"'

/** For a token that was good when its request began. */
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

/** What it would become is not known before it is unpacked. */
function isEncoded(encoding: string | readonly string[] | undefined): boolean {
  const text = textOf(encoding)
  return text !== undefined && text.trim().toLowerCase() !== 'identity'
}

function isAddress(name: string): boolean {
  return /^\[[\da-f:.]+\]$/.test(name) || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name)
}

/** `POST http://host/mcp`: as proxies are asked, and the host there is the one that counts (RFC 9112 §3.2.2). */
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
    return undefined // not the name of anything
  }
}

export function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0]
}
