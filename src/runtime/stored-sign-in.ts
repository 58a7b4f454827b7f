/**
 * stored-sign-in: a sign-in as it stands on disk, in its two parts: the public fields, and one text with all secrets.
 *
 * in     a SignIn; later, what was stored and its secrets, opened
 * out    the two parts; the same SignIn again
 * never  lets a secret into the public part
 */
import { isObject } from '../base/is-object.ts'
import { Secret } from '../base/secret.ts'
import { toKeyUrl, type SignIn, type SignInKey } from '../model/sign-in.ts'
import type { StoredSignIn } from './sign-in-file.ts'

export function toPublic(signIn: SignIn): Omit<StoredSignIn, 'account' | 'signedInAt' | 'secrets'> {
  const { key, client, tokens, endpoints, resource, grant, ended, wantedScopes } = signIn
  const { id, from, method, redirectUris } = client
  return {
    ...toOwnKey(key),
    client: {
      id,
      from,
      method,
      redirectUris,
      ...(client.key === undefined ? {} : { algorithm: client.key.algorithm }),
    },
    endpoints,
    ...(resource === undefined ? {} : { resource }),
    ...(grant === undefined ? {} : { grant }),
    scopes: tokens.scopes,
    type: tokens.type,
    ...(tokens.expiresAt === undefined ? {} : { expiresAt: tokens.expiresAt }),
    hasRefresh: tokens.refresh !== undefined,
    ...(ended === undefined ? {} : { ended }),
    ...(wantedScopes === undefined ? {} : { wantedScopes }),
  }
}

/** A missing field is undefined, and not in the JSON. */
interface StoredSecrets {
  readonly access: string
  readonly refresh: string | undefined
  readonly dpopKey: string | undefined
  readonly clientSecret: string | undefined
  readonly clientKey: string | undefined
}

/** Formats the secrets for the disk. */
export function secretText({ tokens, client }: SignIn): string {
  const secrets: StoredSecrets = {
    access: tokens.access.reveal(),
    refresh: tokens.refresh?.reveal(),
    dpopKey: tokens.dpopKey?.reveal(),
    clientSecret: client.secret?.reveal(),
    clientKey: client.key?.pem.reveal(),
  }
  return JSON.stringify(secrets)
}

/** Undefined for a text that Plugboard did not write. */
export function parseSignIn(stored: StoredSignIn, text: string): SignIn | undefined {
  const parsed = tryObject(text)
  return parsed === undefined ? undefined : toSignIn(stored, parsed)
}

function toSignIn(stored: StoredSignIn, parsed: Readonly<Record<string, unknown>>): SignIn {
  const { url, issuer, credentialId, client, endpoints, resource, grant, scopes, type, expiresAt } = stored
  const secret = (name: keyof StoredSecrets): Secret | undefined => {
    const value = parsed[name]
    return typeof value === 'string' ? new Secret(value) : undefined
  }
  const [refresh, dpopKey, clientSecret, pem] = [
    secret('refresh'),
    secret('dpopKey'),
    secret('clientSecret'),
    secret('clientKey'),
  ]
  const { algorithm = 'RS256', ...rest } = client
  return {
    key: toOwnKey({
      ...(url === undefined ? {} : { url }),
      issuer,
      ...(credentialId === undefined ? {} : { credentialId }),
    }),
    client: {
      ...rest,
      ...(clientSecret === undefined ? {} : { secret: clientSecret }),
      ...(pem === undefined ? {} : { key: { pem, algorithm } }),
    },
    tokens: {
      access: secret('access') ?? new Secret(''),
      type,
      ...(refresh === undefined ? {} : { refresh }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      scopes,
      ...(dpopKey === undefined ? {} : { dpopKey }),
    },
    endpoints,
    ...(resource === undefined ? {} : { resource }),
    ...(grant === undefined ? {} : { grant }),
    ...(stored.ended === undefined ? {} : { ended: stored.ended }),
    ...(stored.wantedScopes === undefined ? {} : { wantedScopes: stored.wantedScopes }),
  }
}

function tryObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined // reported like a text that does not open
  }
}

/** The key as it is stored, with its address in the form that is compared. */
export function toOwnKey({ url, issuer, credentialId }: SignInKey): SignInKey {
  const own = url === undefined ? undefined : (toKeyUrl(url) ?? url)
  return {
    ...(own === undefined ? {} : { url: own }),
    issuer,
    ...(credentialId === undefined ? {} : { credentialId }),
  }
}
