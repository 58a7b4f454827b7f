/**
 * code: the grant for users with a browser. It has two halves: opening the page, and exchanging the code that comes
 * back.
 *
 * never  exchanges a code of another authorization server, or a code whose state is not checked
 */
import { isConfidential } from '../../base/confidential.ts'
import { Secret } from '../../base/secret.ts'
import type { SignIn } from '../../model/sign-in.ts'
import type { CallbackAnswer } from './callback.ts'
import type { AuthServer } from './discover.ts'
import type { SignInContext } from './errand.ts'
import { AuthorizeError, explainOAuth } from './problems.ts'
import { requestTokens, type Parties } from './tokens.ts'

/** An open page, and what the exchange needs when the browser comes back. */
export interface OpenPage extends Parties {
  readonly url: string
  readonly redirectUri: string
  readonly state: string
  /** The answer must name its issuer. */
  readonly needsIssuer: boolean
  readonly verifier: Secret
  readonly scopes: readonly string[] | undefined
}

export interface AuthorizationPage {
  readonly redirectUri: string
  readonly scopes: readonly string[] | undefined
}

/** Throws AuthorizeError and the errors of the SDK. */
export async function openPage(
  errand: SignInContext,
  parties: Parties,
  wish: AuthorizationPage,
): Promise<OpenPage> {
  const { sdk, plan, world } = errand
  const { server, client } = parties
  requireCodes(server)
  requirePkce(server)
  const state = world.keys.random(24)
  const scope = wish.scopes?.join(' ')
  const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(server.url, {
    ...(server.metadata === undefined ? {} : { metadata: server.metadata }),
    clientInformation: { client_id: client.id },
    redirectUrl: wish.redirectUri,
    state,
    ...(scope === undefined ? {} : { scope }),
    ...(server.resource === undefined ? {} : { resource: server.resource }),
  })
  requirePage(authorizationUrl, errand)
  if (plan.prompt !== undefined) authorizationUrl.searchParams.set('prompt', plan.prompt)
  const verifier = new Secret(codeVerifier)
  errand.secrets.push(verifier, new Secret(state))
  return {
    ...parties,
    ...wish,
    url: authorizationUrl.href,
    state,
    needsIssuer: needsIssuer(server),
    verifier,
  }
}

function needsIssuer({ metadata }: AuthServer): boolean {
  return metadata?.authorization_response_iss_parameter_supported === true
}

function requireCodes({ metadata }: AuthServer): void {
  if (metadata === undefined || metadata.response_types_supported.includes('code')) return
  throw new AuthorizeError('its authorization server does not offer sign-in in a browser', {
    notes: ['its `response_types_supported` does not have `code`'],
  })
}

/** The specification demands this refusal: without PKCE, any program that sees the code could use it. */
function requirePkce({ metadata }: AuthServer): void {
  if (metadata === undefined || metadata.code_challenge_methods_supported?.includes('S256') === true) return
  throw new AuthorizeError('its authorization server does not say that it supports PKCE (S256)')
}

/** A browser opens any URL: `file:`, `javascript:`, or one that starts a program. */
function requirePage(page: URL, { plan }: SignInContext): void {
  if (/^https?:$/.test(page.protocol) && (plan.allowsHttp || isConfidential(page))) return
  throw new AuthorizeError('the page to sign in at is not https, and is not opened')
}

/** Throws AuthorizeError, GuardError, and the errors of the SDK. */
export async function exchangeCode(
  errand: SignInContext,
  page: OpenPage,
  answer: CallbackAnswer,
): Promise<SignIn> {
  const { sdk, server: name } = errand
  const { metadata } = page.server
  // First of all: in a mix-up attack, everything else in the answer comes from the attacker (RFC 9207).
  sdk.validateAuthorizationResponseIssuer({
    iss: answer.iss,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: page.needsIssuer,
  })
  if (answer.kind === 'refused') {
    const { why, notes, hints } = explainOAuth(answer, name)
    throw new AuthorizeError(why, { notes: notes ?? [], hints: hints ?? [], oauthCode: answer.code })
  }
  errand.secrets.push(answer.code)
  const params = sdk.prepareAuthorizationCodeRequest(
    answer.code.reveal(),
    page.verifier.reveal(),
    page.redirectUri,
  )
  return requestTokens(errand, page, { params, scopes: page.scopes })
}
