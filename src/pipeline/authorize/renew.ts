/**
 * renew: gets new tokens for old ones, without the user.
 *
 * in     a sign-in with a refresh token, or with a grant that can be requested again; the guarded fetch for its token
 *        endpoint
 * out    the tokens; or that the sign-in is over for good; or that the authorization server could not be reached
 * never  treats silence, a broken connection or a web page as a refusal: only a refusal by the authorization server
 *        ends a sign-in
 */
import { isObject } from '../../base/is-object.ts'
import { Secret } from '../../base/secret.ts'
import type { SignIn, Tokens } from '../../model/sign-in.ts'
import { toCrashText } from '../../problem/crash-text.ts'
import { GuardError, type GuardedFetch } from './guarded-fetch.ts'
import { identify } from './identify.ts'

export type Renewed =
  | { readonly kind: 'tokens'; readonly tokens: Tokens }
  /** With the error code of OAuth, such as `invalid_grant`. */
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'unavailable'; readonly why: string }

export interface RenewTools {
  readonly fetch: GuardedFetch
  /** By the local clock. */
  now(): number
  /** For tokens that are bound to a key. */
  readonly prover?: RenewProver | undefined
}

export interface RenewProver {
  proofOf(request: { readonly method: string; readonly url: string }): string
  setNonce(url: string, nonce: string): void
}

export function canRenew({ tokens, grant }: Pick<SignIn, 'tokens' | 'grant'>): boolean {
  return tokens.refresh !== undefined || grant !== undefined
}

export async function renewTokens(signIn: SignIn, tools: RenewTools): Promise<Renewed> {
  try {
    const first = await ask(signIn, tools)
    // The proof was valid except for a nonce, which only the server can issue.
    const isNonceWanted = first.error === 'use_dpop_nonce' && tools.prover !== undefined
    return judge(isNonceWanted ? await ask(signIn, tools) : first, signIn, tools.now())
  } catch (error) {
    // A refusal by the guard keeps its own words. Any other error is unexpected, and its text may quote a secret from
    // the request or the answer.
    const why = error instanceof Error ? error.message : String(error)
    return { kind: 'unavailable', why: error instanceof GuardError ? why : toCrashText(why) }
  }
}

/** What to store of the sign-in after the answer; undefined if nothing changed. */
export function afterRenewal(now: SignIn, answer: Renewed, at: number): SignIn | undefined {
  switch (answer.kind) {
    case 'tokens':
      return { ...now, tokens: answer.tokens }
    case 'refused': {
      const { refresh: _, ...tokens } = now.tokens
      return { ...now, tokens: { ...tokens, access: new Secret('') }, ended: { at, error: answer.error } }
    }
    case 'unavailable':
      return undefined
  }
}

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>> | undefined
  readonly error?: string
}

async function ask(signIn: SignIn, { fetch, prover }: RenewTools): Promise<Answer> {
  const { token: url } = signIn.endpoints
  const headers: Record<string, string> = {}
  const form = toForm(signIn)
  await identify(signIn, headers, form)
  if (prover !== undefined) headers['DPoP'] = prover.proofOf({ method: 'POST', url })
  const response = await fetch(url, { method: 'POST', headers, body: form })
  const nonce = response.headers.get('dpop-nonce')
  if (nonce !== null) prover?.setNonce(url, nonce)
  const body = tryObject(await response.text())
  const error = body?.['error']
  return { status: response.status, body, ...(typeof error === 'string' ? { error } : {}) }
}

function toForm({ tokens, resource }: SignIn): URLSearchParams {
  const form = new URLSearchParams(
    tokens.refresh === undefined
      ? { grant_type: 'client_credentials' }
      : { grant_type: 'refresh_token', refresh_token: tokens.refresh.reveal() },
  )
  // A refresh keeps its scopes; a new request must name them.
  if (tokens.refresh === undefined && tokens.scopes.length > 0) form.set('scope', tokens.scopes.join(' '))
  if (resource !== undefined) form.set('resource', resource)
  return form
}

/** Errors for which a retry changes nothing (RFC 6749 §5.2, RFC 8707 §2). */
const FOR_GOOD: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_client',
  'invalid_scope',
  'invalid_target',
  'unauthorized_client',
  'unsupported_grant_type',
  'access_denied',
])

function judge({ status, body, error }: Answer, signIn: SignIn, now: number): Renewed {
  if (error !== undefined && status < 500 && FOR_GOOD.has(error)) return { kind: 'refused', error }
  if (status >= 400) {
    // Of the server's own words only the code: the rest may hold anything.
    const code = error === undefined ? '' : ` (${error.replaceAll(/[^\w.-]/g, '').slice(0, 40)})`
    return { kind: 'unavailable', why: `it answered with HTTP ${status}${code}` }
  }
  const access = body?.['access_token']
  if (typeof access !== 'string' || access === '')
    return { kind: 'unavailable', why: 'it answered without a token' }
  return { kind: 'tokens', tokens: toTokens(signIn.tokens, { ...body, access }, now) }
}

/** Longer than any token lasts: some servers send absurd values. */
const LONGEST_SECONDS = 10 * 365 * 86_400

function toTokens(
  before: Tokens,
  { access, refresh_token: refresh, expires_in: given, scope, token_type: type }: Answered,
  now: number,
): Tokens {
  // Some servers write the number as a string.
  const seconds = given === undefined || given === null ? Number.NaN : Number(given)
  const scopes = typeof scope === 'string' ? scope.split(' ').filter((one) => one !== '') : before.scopes
  const isBound = before.dpopKey !== undefined && String(type).toLowerCase() !== 'bearer'
  // A refresh token that is not replaced stays valid.
  const next = typeof refresh === 'string' && refresh !== '' ? new Secret(refresh) : before.refresh
  return {
    access: new Secret(access),
    type: isBound ? 'dpop' : 'bearer',
    ...(next === undefined ? {} : { refresh: next }),
    ...(Number.isFinite(seconds)
      ? { expiresAt: now + Math.min(Math.max(seconds, 0), LONGEST_SECONDS) * 1000 }
      : {}),
    scopes,
    ...(isBound ? { dpopKey: before.dpopKey } : {}),
  }
}

type Answered = Readonly<Record<string, unknown>> & { readonly access: string }

function tryObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined // the caller reports an answer without a token
  }
}
