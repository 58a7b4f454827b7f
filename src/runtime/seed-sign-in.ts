/**
 * seed-sign-in: stores tokens that were obtained elsewhere, for machines where no user can sign in.
 *
 * in     a text: the JSON of a token endpoint, with the client and the authorization server beside it, or a bare token
 * out    a sign-in in the store, for one server, or a credential by its name
 * never  repeats its input; sends anything: the first use shows whether the token is valid
 */
import { isConfidential } from '../base/confidential.ts'
import { isObject } from '../base/is-object.ts'
import { Secret } from '../base/secret.ts'
import type { AdmittedServer } from '../model/catalog.ts'
import type { Problem } from '../model/problem.ts'
import { hasOwnAuthorization, mayCarryTokens } from '../model/definition.ts'
import {
  MAX_TOKEN_BYTES,
  type OAuthClient,
  type SignIn,
  type SignInKey,
  type Tokens,
} from '../model/sign-in.ts'
import { createProblem, ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import { wishOf } from './find-sign-ins.ts'
import { hasOwnHeader, plainHttp } from './login-problems.ts'
import type { OpenSignInStore } from './sign-in-store.ts'

export interface Seed {
  readonly server: AdmittedServer
  readonly text: string
  /** A name for the credential. Servers that are started have no other way to ask for one. */
  readonly credentialId?: string | undefined
}

/**
 * Throws `authorize/bad-seed`, `authorize/no-credential-id`, `authorize/own-header`, `authorize/plain-http`,
 * `authorize/store-…`.
 */
export async function seedSignIn(world: World, store: OpenSignInStore, seed: Seed): Promise<SignIn> {
  if (hasOwnAuthorization(seed.server.transport)) throw new ProblemError(hasOwnHeader(seed.server))
  const fields = parseSeed(seed.text)
  const signIn = toSignIn(fields, keyOf(world, seed, fields), world.clock.now())
  await store.save(signIn)
  return signIn
}

type Fields = Readonly<Record<string, unknown>> & { readonly access_token: string }

/** Accepts what users paste: blanks at the ends, and a word before the token. */
function parseSeed(text: string): Fields {
  const trimmed = text.trim().replace(/^Bearer\s+/i, '')
  if (trimmed === '') throw new ProblemError(badSeed('it is empty'))
  if (trimmed.length > MAX_TOKEN_BYTES) throw new ProblemError(badSeed('it is longer than 16 KB'))
  if (!trimmed.startsWith('{')) {
    if (/\s/.test(trimmed)) throw new ProblemError(badSeed('it is neither JSON nor a token in one piece'))
    return { access_token: trimmed }
  }
  const value = tryJson(trimmed)
  if (!isObject(value)) throw new ProblemError(badSeed('it begins like JSON, and is none'))
  const { access_token: access, refresh_token: refresh } = value
  // With a refresh token alone, the first request gets the rest.
  if (typeof access === 'string' && access !== '') return { ...value, access_token: access }
  if (typeof refresh === 'string' && refresh !== '') return { ...value, access_token: '', expires_in: 0 }
  throw new ProblemError(badSeed('it has no `access_token`'))
}

function keyOf(world: World, { server, credentialId }: Seed, fields: Fields): SignInKey {
  const issuer = textOf(fields, 'issuer') ?? ''
  const wish = wishOf(world, server)
  const name = credentialId ?? wish?.credentialId
  if (wish?.url !== undefined && !mayCarryTokens(server.transport, wish.url))
    throw new ProblemError(plainHttp(server, wish.url))
  if (wish?.url !== undefined)
    return { url: wish.url, issuer, ...(name === undefined ? {} : { credentialId: name }) }
  if (name === undefined) throw new ProblemError(noName(server.name))
  return { issuer, credentialId: name }
}

function toSignIn(fields: Fields, key: SignInKey, now: number): SignIn {
  const revocation = endpointOf(fields, 'revocation_endpoint')
  const resource = textOf(fields, 'resource')
  return {
    key,
    client: toClient(fields),
    tokens: toTokens(fields, now),
    endpoints: {
      token: endpointOf(fields, 'token_endpoint') ?? '',
      ...(revocation === undefined ? {} : { revocation }),
    },
    ...(resource === undefined ? {} : { resource }),
  }
}

function toClient(fields: Fields): OAuthClient {
  const secret = textOf(fields, 'client_secret')
  const said = textOf(fields, 'token_endpoint_auth_method')
  const method = said === 'client_secret_post' || said === 'none' ? said : 'client_secret_basic'
  return {
    id: textOf(fields, 'client_id') ?? '',
    from: 'entry',
    redirectUris: [],
    ...(secret === undefined ? { method: 'none' } : { method, secret: new Secret(secret) }),
  }
}

function toTokens(fields: Fields, now: number): Tokens {
  const refresh = textOf(fields, 'refresh_token')
  requireRenewable(fields, refresh)
  const expiresAt = endOf(fields, now)
  const scopes = (textOf(fields, 'scope') ?? '').split(/\s+/).filter((one) => one !== '')
  return {
    access: new Secret(fields.access_token),
    type: 'bearer',
    ...(refresh === undefined ? {} : { refresh: new Secret(refresh) }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    scopes,
  }
}

function requireRenewable(fields: Fields, refresh: string | undefined): void {
  if (refresh === undefined) return
  const missing = ['token_endpoint', 'client_id'].filter((name) => textOf(fields, name) === undefined)
  if (missing.length === 0) return
  const names = missing.map((name) => `\`${name}\``).join(' and ')
  throw new ProblemError(badSeed(`it has a \`refresh_token\`, but not the ${names} to use it with`))
}

/** Some files hold the end (in seconds since 1970), others the seconds until then. */
function endOf(fields: Fields, now: number): number | undefined {
  const at = Number(fields['expires_at'] ?? Number.NaN)
  // The value is in milliseconds: in seconds it would be thousands of years away.
  if (Number.isFinite(at)) return at > 1e11 ? at : at * 1000
  const seconds = Number(fields['expires_in'] ?? Number.NaN)
  return Number.isFinite(seconds) ? now + seconds * 1000 : undefined
}

/** Secrets are sent to this endpoint, so others must not be able to read the traffic. */
function endpointOf(fields: Fields, name: string): string | undefined {
  const text = textOf(fields, name)
  if (text === undefined) return undefined
  const isSafe = /^https?:/.test(text) && URL.canParse(text) && isConfidential(new URL(text))
  if (!isSafe) throw new ProblemError(badSeed(`its \`${name}\` is not an https address`))
  return text
}

function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // the caller reports that it is no JSON
  }
}

function badSeed(why: string): Problem {
  return createProblem({
    code: 'authorize/bad-seed',
    message: `the token was not taken: ${why}`,
    hints: [
      'give a bare token, or the JSON of a token endpoint with `client_id`, `token_endpoint` and, if there is one, `client_secret` beside',
    ],
  })
}

function noName(server: string): Problem {
  return createProblem({
    code: 'authorize/no-credential-id',
    message: `\`${server}\` has no address that a token could be for, so it needs a name`,
    hints: [
      'give one with `--credential <id>`',
      'and put it into the entry of the server: `"auth": { "type": "oauth", "credentialId": "<id>" }`',
    ],
  })
}
