/**
 * tokens: sends one request to a token endpoint, for any grant, and makes a sign-in of the answer.
 *
 * in     the client, the authorization server, and the parameters of the grant
 * out    a SignIn
 * never  stores a time by any clock but the local one
 */
import { Secret } from '../../base/secret.ts'
import { toKeyUrl, type OAuthClient, type SignIn, type Tokens } from '../../model/sign-in.ts'
import { fieldOf, type AuthServer } from './discover.ts'
import { createProver } from './dpop.ts'
import { disguise, undisguise, type SignInContext, type Sdk, type ServerMetadata } from './errand.ts'
import { AuthorizeError } from './problems.ts'
import { tidyRefusal } from './refusals.ts'

type Provider = Parameters<Sdk['fetchToken']>[0]
type Given = Awaited<ReturnType<Sdk['fetchToken']>>
type DpopSession = Awaited<ReturnType<NonNullable<Provider['dpop']>>>

export interface TokenRequest {
  readonly params: URLSearchParams
  /** The requested scopes. They also count as granted if the answer names none. */
  readonly scopes?: readonly string[] | undefined
}

const CLIENT_CREDENTIALS = 'client_credentials'

/** The client and the authorization server. */
export interface Parties {
  readonly server: AuthServer
  readonly client: OAuthClient
}

/** Throws GuardError and the errors of the SDK. */
export async function requestTokens(
  errand: SignInContext,
  { server, client }: Parties,
  { params, scopes }: TokenRequest,
): Promise<SignIn> {
  const key = server.isKeyBound ? new Secret(errand.world.keys.create()) : undefined
  if (key !== undefined) errand.secrets.push(key)
  const { metadata, url, resource, issuer } = server
  const given = await errand.sdk.fetchToken(toProvider(errand, { server, client }, { params, key }), url, {
    ...(metadata === undefined ? {} : { metadata: withEndpoint(metadata, errand) }),
    ...(resource === undefined ? {} : { resource }),
    fetchFn: async (to, init) => tidyRefusal(await errand.fetch(to, init), errand.lastAsked()!),
  })
  const revocation = fieldOf(metadata, 'revocation_endpoint')
  return {
    key: {
      url: toKeyUrl(errand.plan.url) ?? errand.plan.url,
      issuer,
      ...(errand.plan.credentialId === undefined ? {} : { credentialId: errand.plan.credentialId }),
    },
    client: withKey(client, errand),
    tokens: toTokens(given, { now: errand.world.clock.now(), scopes, key }),
    endpoints: {
      token: metadata?.token_endpoint ?? new URL('/token', url).href,
      ...(typeof revocation === 'string' ? { revocation } : {}),
    },
    ...(resource === undefined ? {} : { resource }),
    ...(params.get('grant_type') === CLIENT_CREDENTIALS ? { grant: CLIENT_CREDENTIALS } : {}),
  }
}

/** Adds the key that renewing the tokens will need. */
function withKey(client: OAuthClient, { plan }: SignInContext): OAuthClient {
  const key = client.method === 'private_key_jwt' ? plan.client?.key : undefined
  return key === undefined ? client : { ...client, key }
}

function withEndpoint(metadata: ServerMetadata, { plan }: SignInContext): ServerMetadata {
  return { ...metadata, token_endpoint: disguise(metadata.token_endpoint, plan) }
}

/** The part of an SDK provider that one request needs. */
function toProvider(
  errand: SignInContext,
  { server, client }: Parties,
  { params, key }: { readonly params: URLSearchParams; readonly key: Secret | undefined },
): Provider {
  const { id, secret, method } = client
  const authenticate = signerOf(errand, client)
  return {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => ({
      client_id: id,
      ...(secret === undefined ? {} : { client_secret: secret.reveal() }),
      token_endpoint_auth_method: method,
      issuer: server.issuer,
    }),
    prepareTokenRequest: () => params,
    ...(authenticate === undefined ? {} : { addClientAuthentication: authenticate }),
    ...(key === undefined ? {} : { dpop: () => toSession(errand, key) }),
    // The SDK does not call these here; the caller stores the tokens.
    tokens: () => undefined,
    saveTokens: () => undefined,
    redirectToAuthorization: () => undefined,
    saveCodeVerifier: () => undefined,
    codeVerifier: () => '',
  }
}

/** RFC 7523 §2.2: a client that proves its identity with a signature. */
function signerOf(
  { plan, sdk }: SignInContext,
  { id, method }: OAuthClient,
): Provider['addClientAuthentication'] {
  const key = plan.client?.key
  if (method !== 'private_key_jwt' || key === undefined) return undefined
  const { pem, algorithm } = key
  const sign = sdk.createPrivateKeyJwtAuth({
    issuer: id,
    subject: id,
    privateKey: pem.reveal(),
    alg: algorithm,
  })
  return async (...request) => {
    try {
      await sign(...request)
    } catch {
      // The library's message may quote the key.
      throw new AuthorizeError(`the private key of its entry cannot be used to sign with ${algorithm}`, {
        hints: [
          'give a private key in PEM (PKCS #8: `-----BEGIN PRIVATE KEY-----`), and its algorithm as `signingAlgorithm`',
        ],
      })
    }
  }
}

/** Plugboard's own proofs in place of the SDK's: with a key that can be stored, and with the corrected clock. */
function toSession({ world, now, plan }: SignInContext, key: Secret): DpopSession {
  const prover = createProver(key, { keys: world.keys, now })
  const session: Pick<NonNullable<DpopSession>, 'buildProof' | 'observeNonce'> = {
    buildProof: async ({ htm, htu }) => prover.proofOf({ method: htm, url: undisguise(htu, plan).href }),
    observeNonce: ({ headers }, url) => {
      const nonce = headers.get('dpop-nonce')
      if (nonce !== null) prover.setNonce(undisguise(url, plan).href, nonce)
    },
  }
  return session as NonNullable<DpopSession>
}

interface TokenFacts {
  readonly now: number
  readonly scopes: readonly string[] | undefined
  readonly key: Secret | undefined
}

/** Longer than any token lasts: some servers send absurd values. */
const LONGEST_SECONDS = 10 * 365 * 86_400

function toTokens(given: Given, { now, scopes, key }: TokenFacts): Tokens {
  const { expires_in: seconds, refresh_token: refresh, scope } = given
  const isBound = key !== undefined && given.token_type.toLowerCase() === 'dpop'
  return {
    access: new Secret(given.access_token),
    type: isBound ? 'dpop' : 'bearer',
    ...(refresh === undefined ? {} : { refresh: new Secret(refresh) }),
    ...(seconds === undefined || Number.isNaN(seconds)
      ? {}
      : { expiresAt: now + Math.min(Math.max(seconds, 0), LONGEST_SECONDS) * 1000 }),
    scopes: scope?.split(' ').filter((one) => one !== '') ?? scopes ?? [],
    ...(isBound ? { dpopKey: key } : {}),
  }
}
