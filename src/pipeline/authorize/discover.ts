/**
 * discover: finds the authorization server of an MCP server, and what it offers.
 *
 * in     what the entry says, and the server's challenge
 * out    an AuthServer whose name is the requested one
 * never  accepts a description of another resource, or metadata of another issuer
 */
import type { SignInPlan } from '../../model/sign-in.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { SignInContext, ServerMetadata } from './errand.ts'
import { GuardError } from './guarded-fetch.ts'
import { AuthorizeError, noEndpoints } from './problems.ts'
import { answeredWith } from './refusals.ts'

export interface AuthServer {
  readonly url: string
  readonly issuer: string
  /**
   * Absent for a server of the first revision (2025-03-26), which has its endpoints at the usual places, or has none.
   */
  readonly metadata?: ServerMetadata
  /** The exact value of the `resource` parameter. */
  readonly resource?: string
  /** The scopes that the resource lists. */
  readonly scopes?: readonly string[]
  /** Tokens must be bound to a key. */
  readonly isKeyBound: boolean
  /** The places that had nothing. */
  readonly looked: readonly string[]
}

type Description = Awaited<ReturnType<SignInContext['sdk']['discoverOAuthProtectedResourceMetadata']>>

/** Throws AuthorizeError, GuardError, the errors of the SDK, and `authorize/no-endpoints`. */
export async function discover(errand: SignInContext): Promise<AuthServer> {
  const { plan, sdk } = errand
  requireAddresses(plan)
  const description = await readDescription(errand)
  const url = chooseServer(errand, description)
  const metadata = await readMetadata(errand, url)
  const isNamed = (description?.authorization_servers?.length ?? 0) > 0 || plan.issuer !== undefined
  const looked = sdk.buildDiscoveryUrls(url).map((place) => place.url.href)
  // Only the first revision had endpoints without a description, and only at the server's own host.
  if (metadata === undefined && isNamed) throw new ProblemError(noEndpoints(errand.server, looked))
  const resource = plan.resource ?? description?.resource
  const scopes = description?.scopes_supported
  return {
    url,
    issuer: metadata?.issuer ?? url,
    ...(metadata === undefined ? {} : { metadata }),
    ...(resource === undefined ? {} : { resource }),
    ...(scopes === undefined || scopes.length === 0 ? {} : { scopes }),
    isKeyBound: isKeyBound(errand, description, metadata),
    looked,
  }
}

/** Checked first, because a library would report the fault as one of an answer. */
function requireAddresses(plan: SignInPlan): void {
  const provider = plan.grant.kind === 'enterprise' ? plan.grant.provider : undefined
  const addresses = {
    issuer: plan.issuer,
    authServerMetadataUrl: plan.metadataUrl,
    authorizationUrl: plan.authorizationUrl,
    tokenUrl: plan.tokenUrl,
    resource: plan.resource,
    clientMetadataUrl: plan.clientDocumentUrl,
    idpIssuer: provider?.issuer,
    idpTokenUrl: provider?.tokenUrl,
  }
  for (const [field, address] of Object.entries(addresses))
    if (address !== undefined && !URL.canParse(address))
      throw new AuthorizeError(`the \`${field}\` of its entry is not an address`, {
        hints: [`give the whole of it in \`${field}\`, with \`https://\``],
      })
}

/** Whether the server's description says that it wants tokens. */
export async function isDescribed(errand: SignInContext): Promise<boolean> {
  return (await readDescription(errand)) !== undefined
}

/** Undefined: the server has no description, like the servers of the first revision. */
async function readDescription(errand: SignInContext): Promise<Description | undefined> {
  const { sdk, plan, challenge, fetch } = errand
  const description = await readQuietly(() =>
    sdk.discoverOAuthProtectedResourceMetadata(
      plan.url,
      challenge?.resourceMetadataUrl === undefined
        ? {}
        : { resourceMetadataUrl: challenge.resourceMetadataUrl },
      fetch,
    ),
  )
  if (description !== undefined) requireSame(errand, description)
  return description
}

async function readQuietly<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    // The user must learn of a refusal by the guard. Any other error means that there is no usable description.
    if (error instanceof GuardError || error instanceof DOMException) throw error
    return undefined
  }
}

/**
 * RFC 9728 §3.3. Without this check, a server could make Plugboard request tokens for another server, and keep them.
 */
function requireSame({ sdk, plan }: SignInContext, { resource }: Description): void {
  const requestedResource = sdk.resourceUrlFromServerUrl(plan.url)
  if (sdk.checkResourceAllowed({ requestedResource, configuredResource: resource })) return
  throw new AuthorizeError('the server describes itself as another one', {
    notes: [`its address is ${requestedResource.href}`, `it says that it is ${new URL(resource).href}`],
  })
}

function chooseServer({ plan, server }: SignInContext, description: Description | undefined): string {
  const named = description?.authorization_servers ?? []
  const { issuer, knownIssuer } = plan
  const allowed = issuer ?? knownIssuer
  if (allowed !== undefined && named.some((one) => isSameIssuer(one, allowed))) return allowed
  if (issuer !== undefined && named.length === 0) return issuer
  const theirs = named[0] ?? new URL('/', plan.url).href
  if (allowed === undefined || isSameIssuer(theirs, allowed)) return theirs
  const names = `the server names ${named.map((one) => new URL(one).href).join(', ') || 'none'}`
  if (issuer !== undefined)
    throw new AuthorizeError(
      'the server wants tokens of another authorization server than its entry allows',
      {
        notes: [`its entry allows ${issuer}`, names],
      },
    )
  throw new AuthorizeError('the server wants tokens of another authorization server than before', {
    notes: [`your secrets were given to ${allowed} so far`, names],
    hints: [
      `if that is right, run \`plugboard logout ${server}\`, or put the new one into its entry: \`"oauth": { "issuer": "…" }\``,
    ],
  })
}

function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '')
}

async function readMetadata(errand: SignInContext, url: string): Promise<ServerMetadata | undefined> {
  const { plan } = errand
  const { authorizationUrl, tokenUrl, metadataUrl } = plan
  if (authorizationUrl !== undefined && tokenUrl !== undefined)
    return metadataOf(authorizationUrl, tokenUrl, plan.issuer)
  const metadata =
    metadataUrl === undefined
      ? await findMetadata(errand, url)
      : // The document itself names its issuer.
        await readDocument(errand, url, { place: metadataUrl, skipIssuerValidation: true })
  return metadata === undefined ? undefined : withOwn(metadata, plan)
}

/** The metadata of an authorization server, from the first place that has any. */
export async function findMetadata(errand: SignInContext, url: string): Promise<ServerMetadata | undefined> {
  for (const { url: place } of errand.sdk.buildDiscoveryUrls(url)) {
    const found = await readDocument(errand, url, { place: place.href })
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Checks every document as RFC 8414 demands, like the SDK does at the first place it reads. The SDK's check for OpenID
 * Connect demands fields that no client here needs, and drops fields that Plugboard needs: the endpoints for devices
 * and for revocation.
 */
async function readDocument(
  { sdk, fetch }: SignInContext,
  url: string,
  {
    place,
    skipIssuerValidation = false,
  }: { readonly place: string; readonly skipIssuerValidation?: boolean },
): Promise<ServerMetadata | undefined> {
  const [first, ...others] = sdk.buildDiscoveryUrls(url).map((one) => one.url.href)
  return sdk.discoverAuthorizationServerMetadata(url, {
    skipIssuerValidation,
    fetchFn: async (to, init) => {
      const asked = new URL(to).href
      if (others.includes(asked)) return new Response(undefined, { status: 404 })
      // Any other address comes from a redirect of the first answer.
      const response = await fetch(asked === first ? place : asked, init)
      // The SDK treats a 502 as a place without metadata.
      if (response.status < 500 || response.status === 502) return response
      throw answeredWith(response, place)
    },
  })
}

/** An endpoint in the entry outranks the discovered one. */
function withOwn(
  metadata: ServerMetadata,
  { authorizationUrl, tokenUrl }: SignInContext['plan'],
): ServerMetadata {
  return {
    ...metadata,
    ...(authorizationUrl === undefined ? {} : { authorization_endpoint: authorizationUrl }),
    ...(tokenUrl === undefined ? {} : { token_endpoint: tokenUrl }),
  }
}

/** When the entry has both endpoints, the user is responsible for the rest. */
function metadataOf(authorizationUrl: string, tokenUrl: string, issuer: string | undefined): ServerMetadata {
  return {
    issuer: issuer ?? new URL(tokenUrl).origin,
    authorization_endpoint: authorizationUrl,
    token_endpoint: tokenUrl,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  }
}

/** RFC 9449: the server demands it, and its authorization server does not exclude it. */
function isKeyBound(
  { challenge }: SignInContext,
  description: Description | undefined,
  metadata: ServerMetadata | undefined,
): boolean {
  const isWanted =
    challenge?.wantsDpop === true || fieldOf(description, 'dpop_bound_access_tokens_required') === true
  const algorithms = fieldOf(metadata, 'dpop_signing_alg_values_supported')
  return isWanted && (!Array.isArray(algorithms) || algorithms.includes('ES256'))
}

/** A field that the types of the SDK lack. */
export function fieldOf(value: object | undefined, name: string): unknown {
  return (value as Readonly<Record<string, unknown>> | undefined)?.[name]
}
