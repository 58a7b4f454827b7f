/**
 * revoke: asks an authorization server to end a sign-in (RFC 7009).
 *
 * in     a sign-in, and the guarded fetch for its revocation endpoint
 * out    whether the server revoked it, or why not
 * never  fails: Plugboard forgets the sign-in even if the server does not revoke it
 */
import type { Secret } from '../../base/secret.ts'
import type { SignIn } from '../../model/sign-in.ts'
import type { GuardedFetch } from './guarded-fetch.ts'
import { identify } from './identify.ts'

export type Revocation =
  | { readonly kind: 'revoked' }
  /** The authorization server has no revocation endpoint. */
  | { readonly kind: 'not-offered' }
  | { readonly kind: 'failed'; readonly why: string }

export async function revoke(signIn: SignIn, fetch: GuardedFetch): Promise<Revocation> {
  const { revocation: url } = signIn.endpoints
  if (url === undefined) return { kind: 'not-offered' }
  const { refresh, access } = signIn.tokens
  try {
    // The refresh token first: the server then often drops the access tokens too, and no new token can be issued in
    // between.
    const statuses = [
      ...(refresh === undefined
        ? []
        : [await takeBack(signIn, { url, token: refresh, hint: 'refresh_token' }, fetch)]),
      ...(access.reveal() === ''
        ? []
        : [await takeBack(signIn, { url, token: access, hint: 'access_token' }, fetch)]),
    ]
    const bad = statuses.find((status) => status < 200 || status >= 300)
    return bad === undefined ? { kind: 'revoked' } : { kind: 'failed', why: `it answered with HTTP ${bad}` }
  } catch (error) {
    return { kind: 'failed', why: error instanceof Error ? error.message : String(error) }
  }
}

interface TakenBack {
  readonly url: string
  readonly token: Secret
  readonly hint: 'refresh_token' | 'access_token'
}

async function takeBack(
  signIn: SignIn,
  { url, token, hint }: TakenBack,
  fetch: GuardedFetch,
): Promise<number> {
  const headers: Record<string, string> = {}
  const form = new URLSearchParams({ token: token.reveal(), token_type_hint: hint })
  await identify(signIn, headers, form)
  const { status } = await fetch(url, { method: 'POST', headers, body: form })
  return status
}
