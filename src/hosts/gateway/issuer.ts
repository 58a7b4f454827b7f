/**
 * issuer: judges tokens of another authorization server, for a gateway that several people share (RFC 9728, RFC 9068).
 *
 * in     the address of the issuer; tokens
 * out    for each token, its holder and the servers it grants, or the reason why it grants none
 * never  accepts a token that was made for another audience, or signed with an algorithm that is not allowed; reveals a
 *        token
 */
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet, type JWTPayload } from 'jose'
import { isTooDeep } from '../../base/depth.ts'
import { isObject } from '../../base/is-object.ts'
import { describeWebError } from '../../model/network.ts'
import { createProblem, ProblemError } from '../../problem/problem.ts'
import type { World } from '../../world/world.ts'
import { KeySet, KeysUnavailableError } from './key-set.ts'
import { grantOf, type Principal } from './principal.ts'

export interface IssuerOptions {
  readonly issuer: string
  /** Accepted values of `aud`, besides the address of the gateway. */
  readonly audiences: readonly string[]
  /** Scope → names of servers, with `*`. Undefined: a good token grants all servers. */
  readonly scopes: ReadonlyMap<string, readonly string[]> | undefined
  /**
   * The origin by which clients know this gateway, for example `https://mcp.example.com`. Read when the gateway
   * listens.
   */
  readonly origin: () => string
}

export type Judgement =
  | { readonly kind: 'good'; readonly principal: Principal }
  | { readonly kind: 'bad'; readonly why: string }
  | { readonly kind: 'too-little'; readonly challenge: string }
  /** The gateway must ask the issuer, and the issuer does not answer. */
  | { readonly kind: 'unknown' }

export interface Issuer {
  judge(token: string, server: string | undefined): Promise<Judgement>
  /** Answers without a request to the issuer, for a token that was judged recently. */
  recall(token: string, server: string | undefined): Judgement | undefined
  /** The value of `WWW-Authenticate`. */
  challenge(server: string | undefined, why?: string): string
  /** The metadata that tells a client where to get a token. */
  describe(server: string | undefined): object
}

/** Only asymmetric algorithms: with a symmetric one, any holder of the public key could sign. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

/** How much the clocks of issuer and gateway may differ. */
const TOLERANCE_SECONDS = 30

/** A judgement stays valid this long, and never longer than its token. */
const RECALL_MS = 60_000

const MAX_RECALLED = 1000

const ANSWER_MS = 10_000

/** Rejects with `serve/issuer`: the gateway could accept no token. */
export async function openIssuer(world: World, options: IssuerOptions): Promise<Issuer> {
  const { issuer } = options
  const address = await discover(world, issuer)
  const keys = new KeySet({
    clock: world.clock,
    fetch: () => fetchKeys(world, address),
    open: createLocalJWKSet,
  })
  await keys.load().catch((error: unknown) => {
    throw new ProblemError(
      unusable(issuer, `its keys at ${address} cannot be had: ${wordsOf(error, address)}`),
      {
        cause: error,
      },
    )
  })
  return createIssuer(world, options, keys)
}

interface Known {
  readonly claims: JWTPayload
  readonly until: number
}

function createIssuer({ clock }: World, options: IssuerOptions, keys: KeySet): Issuer {
  const known = new Map<string, Known>()
  const decide = (claims: JWTPayload, server: string | undefined): Judgement =>
    judgeClaims(claims, server, options)
  return {
    async judge(token, server) {
      try {
        const { payload } = await jwtVerify(token, keys.find, {
          algorithms: ALGORITHMS,
          issuer: options.issuer,
          requiredClaims: ['exp', 'aud'],
          clockTolerance: TOLERANCE_SECONDS,
          currentDate: new Date(clock.now()),
        })
        if (known.size >= MAX_RECALLED) known.delete(known.keys().next().value!)
        const until = Math.min(clock.now() + RECALL_MS, payload.exp! * 1000)
        known.set(token, { claims: payload, until })
        return decide(payload, server)
      } catch (error) {
        if (error instanceof KeysUnavailableError) return { kind: 'unknown' }
        return { kind: 'bad', why: whyBad(error) }
      }
    },
    recall(token, server) {
      const one = known.get(token)
      if (one === undefined) return undefined
      if (one.until > clock.now()) return decide(one.claims, server)
      known.delete(token)
      return undefined
    },
    challenge: (server, why) => toChallenge(options, server, { scopes: scopesFor(options, server), why }),
    describe: (server) => ({
      resource: resourceOf(options, server),
      authorization_servers: [options.issuer],
      bearer_methods_supported: ['header'],
      resource_name: 'Plugboard',
      ...(options.scopes === undefined ? {} : { scopes_supported: scopesFor(options, server) }),
    }),
  }
}

function judgeClaims(claims: JWTPayload, server: string | undefined, options: IssuerOptions): Judgement {
  if (isTooDeep(claims)) return { kind: 'bad', why: 'the token is nested too deep' }
  const { sub, iss, aud = [], cnf } = claims
  // Bound to a key that its holder must prove (RFC 9449 §7.2). The gateway checks no proof, so a thief could show the
  // token.
  if (cnf !== undefined) return { kind: 'bad', why: 'the token is bound to a key' }
  const mine = [...options.audiences, resourceOf(options, undefined), resourceOf(options, server)]
  if (![aud].flat().some((one) => mine.includes(one)))
    return { kind: 'bad', why: 'the token is for another audience' }
  const client = claims['client_id'] ?? claims['azp']
  const who = String(sub ?? client ?? 'somebody')
  const holder = JSON.stringify([iss, sub, client])
  // A program that signs in for itself counts as its own person.
  const person = JSON.stringify(sub === undefined ? [iss, null, client] : [iss, sub])
  if (options.scopes === undefined) return { kind: 'good', principal: { who, key: holder, person } }
  const granted = scopesOf(claims).flatMap((scope) => options.scopes!.get(scope) ?? [])
  const servers = grantOf(granted)
  const wanted = scopesFor(options, server)
  // No scope grants this server. The client gets the same answer as for an unknown server.
  const isOpen = server === undefined ? granted.length > 0 : servers.allows(server) || wanted.length === 0
  if (!isOpen) {
    const challenge = toChallenge(options, server, { scopes: wanted, error: 'insufficient_scope' })
    return { kind: 'too-little', challenge }
  }
  return { kind: 'good', principal: { who, key: `${holder} ${servers.key}`, person, servers } }
}

/** Reads scopes in the form of OAuth, or of Entra and Okta. */
function scopesOf(claims: JWTPayload): readonly string[] {
  const { scope, scp } = claims
  const all = [scope, scp].flat().filter((one) => typeof one === 'string')
  return all.flatMap((one) => one.split(' '))
}

/** The scopes that grant this server. */
function scopesFor({ scopes }: IssuerOptions, server: string | undefined): readonly string[] {
  const all = [...(scopes ?? [])]
  const opening = server === undefined ? all : all.filter(([, patterns]) => grantOf(patterns).allows(server))
  return opening.map(([scope]) => scope)
}

function resourceOf({ origin }: IssuerOptions, server: string | undefined): string {
  return `${origin()}/mcp${server === undefined ? '' : `/${encodeURIComponent(server)}`}`
}

function toChallenge(
  options: IssuerOptions,
  server: string | undefined,
  {
    scopes,
    why,
    error = why === undefined ? undefined : 'invalid_token',
  }: {
    readonly scopes: readonly string[]
    readonly why?: string | undefined
    readonly error?: string | undefined
  },
): string {
  const path = server === undefined ? '/mcp' : `/mcp/${encodeURIComponent(server)}`
  const parts = [
    ...(error === undefined ? [] : [`error="${error}"`]),
    ...(why === undefined ? [] : [`error_description="${why}"`]),
    ...(scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`]),
    `resource_metadata="${options.origin()}/.well-known/oauth-protected-resource${path}"`,
  ]
  return `Bearer ${parts.join(', ')}`
}

const WHY_BAD: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'the token has expired',
  ERR_JOSE_ALG_NOT_ALLOWED: 'the token is signed in a way that is not taken here',
  ERR_JWKS_NO_MATCHING_KEY: 'the issuer has no such key',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'the signature does not match',
}

function whyBad(error: unknown): string {
  const { code = '', claim } = error as { readonly code?: string; readonly claim?: string }
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED')
    return claim === 'iss' ? 'the token is of another issuer' : 'the token does not say what it must'
  return WHY_BAD[code] ?? 'this is no signed token'
}

/** Returns the address of the issuer's keys. */
async function discover(world: World, issuer: string): Promise<string> {
  const { origin, pathname } = parseIssuer(issuer)
  const path = pathname === '/' ? '' : pathname.replace(/\/$/, '')
  const places = [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ]
  const faults: string[] = []
  for (const place of places) {
    try {
      const { issuer: named, jwks_uri: keys } = await getObject(world, place)
      if (named !== issuer) {
        const message = `it calls itself ${JSON.stringify(named)}, and the two must be the same to the letter`
        throw new ProblemError(unusable(issuer, message))
      }
      if (typeof keys !== 'string' || !isSafe(keys))
        throw new Error('it names no `jwks_uri` that can be used')
      return keys
    } catch (error) {
      if (error instanceof ProblemError) throw error
      faults.push(`${place}: ${wordsOf(error, place)}`)
    }
  }
  throw new ProblemError(unusable(issuer, ...faults))
}

function parseIssuer(issuer: string): URL {
  if (!URL.canParse(issuer) || !isSafe(issuer)) {
    throw new ProblemError(
      createProblem({
        code: 'serve/bad-issuer',
        message: `\`${issuer}\` is not the address of an issuer`,
        hints: ['give its `issuer` as it writes it: `--auth-issuer https://login.example.com`'],
      }),
    )
  }
  return new URL(issuer)
}

/** Keys over an unprotected connection are worth nothing: an attacker on the way could replace them. */
function isSafe(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return (
    protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname))
  )
}

async function fetchKeys(world: World, address: string): Promise<JSONWebKeySet> {
  const found = await getObject(world, address)
  if (!Array.isArray(found['keys'])) throw new Error('there are no keys')
  return found as unknown as JSONWebKeySet
}

async function getObject(world: World, url: string): Promise<Readonly<Record<string, unknown>>> {
  const controller = new AbortController()
  const cancel = world.clock.after(ANSWER_MS, () => controller.abort(new Error('no answer came')), 'loose')
  try {
    const headers = { accept: 'application/json' }
    const { status, text } = await world.web.get(url, { headers, signal: controller.signal })
    if (status !== 200) throw new Error(`the answer was ${status}`)
    const found: unknown = JSON.parse(text)
    if (!isObject(found)) throw new Error('the answer is no object')
    return found
  } finally {
    cancel()
  }
}

function wordsOf(error: unknown, url: string): string {
  return error instanceof SyntaxError ? 'the answer is not JSON' : describeWebError(error, url)
}

function unusable(
  issuer: string,
  ...notes: readonly string[]
): ConstructorParameters<typeof ProblemError>[0] {
  return createProblem({
    code: 'serve/issuer',
    message: `\`${issuer}\` cannot say who may use this gateway`,
    notes,
    hints: [
      'nobody could get in, so nothing is served; look whether the address is right and can be reached',
    ],
  })
}
