/**
 * alone: carries out the grants that work without a user: for CI, for services, for companies that decided already.
 *
 * in     an errand whose plan has such a grant
 * out    a SignIn, or that the authorization server could not be reached
 * never  tries a grant twice, or another in its place: the server would refuse it again
 */
import { isObject } from '../../base/is-object.ts'
import { Secret } from '../../base/secret.ts'
import type { GrantPlan, SignIn } from '../../model/sign-in.ts'
import { chooseClient } from './client.ts'
import { discover, findMetadata, type AuthServer } from './discover.ts'
import { createErrand, type SignInContext, type ErrandRequest } from './errand.ts'
import { GuardError, type Refusal } from './guarded-fetch.ts'
import { AuthorizeError, explainOAuth, toProblemError } from './problems.ts'
import { requireRefusal } from './refusals.ts'
import { chooseScopes } from './scopes.ts'
import { requestTokens } from './tokens.ts'

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

export type AloneGrant = Exclude<GrantPlan, { readonly kind: 'code' | 'device' }>

/** Whether the grant works without a user. */
export function canSignInAlone(grant: GrantPlan): grant is AloneGrant {
  return grant.kind !== 'code' && grant.kind !== 'device'
}

export type AloneOutcome =
  | { readonly kind: 'signed-in'; readonly signIn: SignIn }
  /** The server did not answer. That is no refusal, so the caller may try again. */
  | { readonly kind: 'unavailable'; readonly why: string; readonly host: string }

/** Throws a ProblemError. After an abort, it throws the reason of its signal. */
export async function signInAlone(request: ErrandRequest): Promise<AloneOutcome> {
  const errand = await createErrand(request)
  try {
    const { grant } = errand.plan
    if (!canSignInAlone(grant)) throw new AuthorizeError('its entry wants a person to sign in')
    return { kind: 'signed-in', signIn: await carryOut(errand, await discover(errand), grant) }
  } catch (error) {
    if (error instanceof GuardError && SILENCE.has(error.refusal))
      return { kind: 'unavailable', why: error.message, host: new URL(error.url).host }
    throw toProblemError(error, errand)
  }
}

const SILENCE: ReadonlySet<Refusal> = new Set(['unreachable', 'too-slow'])

/** Throws AuthorizeError, GuardError, and the errors of the SDK. */
export async function carryOut(
  errand: SignInContext,
  server: AuthServer,
  grant: AloneGrant,
): Promise<SignIn> {
  requireClient(errand)
  const scopes = chooseScopes(errand, server)
  const params = await paramsOf(errand, server, grant)
  if (scopes !== undefined) params.set('scope', scopes.join(' '))
  const client = await chooseClient(errand, server, { grantTypes: [params.get('grant_type')!], scopes })
  return requestTokens(errand, { server, client }, { params, scopes })
}

/** These grants need a client that the authorization server already knows. Registration cannot replace it. */
function requireClient({ plan }: SignInContext): void {
  if (plan.client !== undefined) return
  throw new AuthorizeError('its entry has no client', {
    hints: ['put the id of the client into its entry: `"oauth": { "clientId": "…" }`'],
  })
}

async function paramsOf(
  errand: SignInContext,
  server: AuthServer,
  grant: AloneGrant,
): Promise<URLSearchParams> {
  switch (grant.kind) {
    case 'client-credentials':
      return new URLSearchParams({ grant_type: 'client_credentials' })
    case 'jwt-bearer':
      return new URLSearchParams({ grant_type: JWT_BEARER, assertion: grant.assertion.reveal() })
    case 'enterprise': {
      const assertion = await askProvider(errand, server, grant)
      return new URLSearchParams({ grant_type: JWT_BEARER, assertion: assertion.reveal() })
    }
  }
}

/** The identity provider turns the user's identity assertion into a grant for this one server (RFC 8693, ID-JAG). */
async function askProvider(
  errand: SignInContext,
  server: AuthServer,
  { idToken, provider }: Extract<AloneGrant, { kind: 'enterprise' }>,
): Promise<Secret> {
  const { jwtAuthGrant } = await errand.sdk.requestJwtAuthorizationGrant({
    audience: server.issuer,
    resource: server.resource ?? errand.plan.url,
    idToken: idToken.reveal(),
    clientId: provider.clientId,
    ...(provider.clientSecret === undefined ? {} : { clientSecret: provider.clientSecret.reveal() }),
    tokenEndpoint: provider.tokenUrl ?? (await findTokenUrl(errand, provider.issuer!)),
    fetchFn: async (to, init) => requireGrant(await errand.fetch(to, init), errand),
  })
  const assertion = new Secret(jwtAuthGrant)
  errand.secrets.push(assertion)
  return assertion
}

async function findTokenUrl(errand: SignInContext, issuer: string): Promise<string> {
  const metadata = await findMetadata(errand, issuer)
  if (metadata !== undefined) return metadata.token_endpoint
  throw new AuthorizeError('the identity provider does not say where it gives tokens', {
    notes: errand.sdk.buildDiscoveryUrls(issuer).map(({ url }) => `looked at ${url.href}`),
    hints: ['put its token endpoint into the entry: `"oauth": { "idpTokenUrl": "…" }`'],
  })
}

const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag'

/** Checked before the SDK checks it: the SDK reports faults in the words of its schema library. */
async function requireGrant(response: Response, { server, lastAsked }: SignInContext): Promise<Response> {
  const url = lastAsked()!
  if (!response.ok) {
    const { why, notes = [] } = explainOAuth(await requireRefusal(response, url), server)
    throw new AuthorizeError(`the identity provider gave no grant for this server: ${why}`, { notes })
  }
  const value: unknown = await response.clone().json()
  const { issued_token_type: type, access_token: token } = isObject(value) ? value : {}
  if (type === ID_JAG && typeof token === 'string') return response
  throw new AuthorizeError('the identity provider gave no grant for this server', {
    notes: [
      `asked ${url}`,
      ...(type === ID_JAG ? [] : [`\`issued_token_type\` is not \`${ID_JAG}\``]),
      ...(typeof token === 'string' ? [] : ['`access_token` is missing, or is not a string']),
    ],
  })
}
