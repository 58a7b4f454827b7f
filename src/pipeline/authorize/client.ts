/**
 * client: chooses the client identity for an authorization server.
 *
 * in     the server, what the entry says, and the redirect address for a browser
 * out    the client of the entry, else a document that describes the client, else a client that it registers now
 */
import { Secret } from '../../base/secret.ts'
import type { OAuthClient } from '../../model/sign-in.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { AuthServer } from './discover.ts'
import type { SignInContext } from './errand.ts'
import { GuardError, type Refusal } from './guarded-fetch.ts'
import { AuthorizeError, noEndpoints } from './problems.ts'

export interface ClientRequest {
  /** Absent for a grant without a browser. */
  readonly redirectUri?: string
  readonly grantTypes: readonly string[]
  readonly scopes?: readonly string[] | undefined
}

/** Throws AuthorizeError, GuardError, the errors of the SDK, and `authorize/no-endpoints`. */
export async function chooseClient(
  errand: SignInContext,
  server: AuthServer,
  wish: ClientRequest,
): Promise<OAuthClient> {
  return ofEntry(errand, server, wish) ?? ofDocument(errand, server, wish) ?? register(errand, server, wish)
}

function urisOf({ redirectUri }: ClientRequest): readonly string[] {
  return redirectUri === undefined ? [] : [redirectUri]
}

function ofEntry(
  { plan, sdk }: SignInContext,
  { metadata }: AuthServer,
  wish: ClientRequest,
): OAuthClient | undefined {
  if (plan.client === undefined) return undefined
  const { id, secret, key } = plan.client
  const supported = metadata?.token_endpoint_auth_methods_supported ?? []
  const method =
    key === undefined
      ? sdk.selectClientAuthMethod({ client_id: id, client_secret: secret?.reveal() }, supported)
      : 'private_key_jwt'
  return {
    id,
    ...(secret === undefined ? {} : { secret }),
    from: 'entry',
    method,
    redirectUris: urisOf(wish),
  }
}

function ofDocument(
  { plan }: SignInContext,
  { metadata }: AuthServer,
  wish: ClientRequest,
): OAuthClient | undefined {
  const { clientDocumentUrl } = plan
  const isTaken = metadata?.client_id_metadata_document_supported === true
  if (clientDocumentUrl === undefined || !isTaken) return undefined
  return { id: clientDocumentUrl, from: 'document', method: 'none', redirectUris: urisOf(wish) }
}

async function register(
  errand: SignInContext,
  server: AuthServer,
  wish: ClientRequest,
): Promise<OAuthClient> {
  const { sdk } = errand
  const { metadata } = server
  if (metadata !== undefined && metadata.registration_endpoint === undefined)
    throw noRegistration(errand, server)
  const given = await askToRegister(errand, server, wish)
  const secret = given.client_secret === undefined ? undefined : new Secret(given.client_secret)
  if (secret !== undefined) errand.secrets.push(secret)
  const supported = metadata?.token_endpoint_auth_methods_supported ?? []
  return {
    id: given.client_id,
    ...(secret === undefined ? {} : { secret }),
    from: 'registered',
    method: sdk.selectClientAuthMethod(given, supported),
    redirectUris: given.redirect_uris,
  }
}

type Registered = Awaited<ReturnType<SignInContext['sdk']['registerClient']>>

/**
 * Registers with the scopes that the sign-in will request, because some servers grant no others later. If the server
 * refuses them, it registers once more without, because other servers know scopes only of resources and not of clients.
 */
async function askToRegister(
  errand: SignInContext,
  server: AuthServer,
  wish: ClientRequest,
): Promise<Registered> {
  const { sdk } = errand
  try {
    return await postRegistration(errand, server, wish)
  } catch (error) {
    const isRejected = error instanceof sdk.RegistrationRejectedError
    // Without metadata, a refusal, a page or a redirect means that the server has no registration.
    const isNothing = isRejected || (error instanceof GuardError && NOTHING.has(error.refusal))
    if (server.metadata === undefined && isNothing)
      throw new ProblemError(noEndpoints(errand.server, server.looked))
    if (!isRejected) throw error
    if (wish.scopes === undefined || error.status !== 400) throw error
    return postRegistration(errand, server, { ...wish, scopes: undefined })
  }
}

const NOTHING: ReadonlySet<Refusal> = new Set(['not-json', 'redirect'])

function postRegistration(
  { sdk, fetch }: SignInContext,
  server: AuthServer,
  wish: ClientRequest,
): Promise<Registered> {
  const { metadata, url } = server
  const scope = wish.scopes?.join(' ')
  return sdk.registerClient(url, {
    ...(metadata === undefined ? {} : { metadata }),
    clientMetadata: {
      client_name: 'Plugboard',
      redirect_uris: [...urisOf(wish)],
      grant_types: [...wish.grantTypes],
      response_types: wish.redirectUri === undefined ? [] : ['code'],
      token_endpoint_auth_method: methodOf(server),
      // Without it, some servers refuse to redirect a browser to this machine.
      application_type: 'native',
      ...(server.isKeyBound ? { dpop_bound_access_tokens: true } : {}),
    },
    ...(scope === undefined ? {} : { scope }),
    fetchFn: fetch,
  })
}

/** A public client if possible: a secret in every copy of a program is no secret. */
function methodOf({ metadata }: AuthServer): 'none' | 'client_secret_basic' | 'client_secret_post' {
  const supported = metadata?.token_endpoint_auth_methods_supported
  if (supported === undefined || supported.includes('none')) return 'none'
  return supported.includes('client_secret_basic') ? 'client_secret_basic' : 'client_secret_post'
}

function noRegistration({ server }: SignInContext, { issuer }: AuthServer): AuthorizeError {
  return new AuthorizeError('its authorization server does not register clients, and its entry names none', {
    notes: [`the authorization server is ${issuer}`],
    hints: [
      `register a client there yourself, and name it in the entry of \`${server}\`: \`"oauth": { "clientId": "…" }\``,
    ],
  })
}
