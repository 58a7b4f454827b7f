/**
 * discover: who gives out tokens for a server, and for what exactly.
 *
 * in     what the entry says, and what the server said when it turned us down
 * out    an AuthServer, whose name is the one that was asked for
 * never  takes a description that is of another resource, or metadata of another issuer
 */
import type { SignInPlan } from '../../model/sign-in.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { Errand, ServerMetadata } from './errand.ts'
import { GuardError } from './guarded-fetch.ts'
import { AuthorizeError, noEndpoints } from './problems.ts'
import { answeredWith } from './refusals.ts'

export interface AuthServer {
  readonly url: string
  readonly issuer: string
  /** Absent: a server of the first revision (2025-03-26) that has everything at its usual place, or nothing at all. */
  readonly metadata?: ServerMetadata
  /** For the `resource` parameter, to the letter. */
  readonly resource?: string
  /** That the resource knows of. */
  readonly scopes?: readonly string[]
  /** Tokens are to be bound to a key. */
  readonly isKeyBound: boolean
  /** Where nothing was found. */
  readonly looked: readonly string[]
}

type Description = Awaited<ReturnType<Errand['sdk']['discoverOAuthProtectedResourceMetadata']>>

/** Throws AuthorizeError, GuardError, what the SDK throws, `authorize/no-endpoints`. */
export async function discover(errand: Errand): Promise<AuthServer> {
  const { plan, sdk } = errand
  requireAddresses(plan)
  const description = await readDescription(errand)
  const url = chooseServer(errand, description)
  const metadata = await readMetadata(errand, url)
  const isNamed = (description?.authorization_servers?.length ?? 0) > 0 || plan.issuer !== undefined
  const looked = sdk.buildDiscoveryUrls(url).map((place) => place.url.href)
  // Only the first revision had places that need no description, and then at the server's own host.
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

/** Before a library says of the entry what it would say of an answer. */
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

/** Whether the server describes itself as one that wants tokens. */
export async function isDescribed(errand: Errand): Promise<boolean> {
  return (await readDescription(errand)) !== undefined
}

/** Undefined: it does not describe itself, as servers of the first revision do not. */
async function readDescription(errand: Errand): Promise<Description | undefined> {
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
    // What was refused must be told; anything else means that there is no description that could be used.
    if (error instanceof GuardError || error instanceof DOMException) throw error
    return undefined
  }
}

/** RFC 9728 §3.3: or a server could have us ask for tokens that are good at another one, and keep them. */
function requireSame({ sdk, plan }: Errand, { resource }: Description): void {
  const requestedResource = sdk.resourceUrlFromServerUrl(plan.url)
  if (sdk.checkResourceAllowed({ requestedResource, configuredResource: resource })) return
  throw new AuthorizeError('the server describes itself as another one', {
    notes: [`its address is ${requestedResource.href}`, `it says that it is ${new URL(resource).href}`],
  })
}

function chooseServer({ plan, server }: Errand, description: Description | undefined): string {
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

async function readMetadata(errand: Errand, url: string): Promise<ServerMetadata | undefined> {
  const { plan } = errand
  const { authorizationUrl, tokenUrl, metadataUrl } = plan
  if (authorizationUrl !== undefined && tokenUrl !== undefined)
    return metadataOf(authorizationUrl, tokenUrl, plan.issuer)
  const metadata =
    metadataUrl === undefined
      ? await findMetadata(errand, url)
      : // Whose it is, the document says.
        await readDocument(errand, url, { place: metadataUrl, skipIssuerValidation: true })
  return metadata === undefined ? undefined : withOwn(metadata, plan)
}

/** What an authorization server says of itself, at the first place that has something. */
export async function findMetadata(errand: Errand, url: string): Promise<ServerMetadata | undefined> {
  for (const { url: place } of errand.sdk.buildDiscoveryUrls(url)) {
    const found = await readDocument(errand, url, { place: place.href })
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Every document is checked as RFC 8414 has it, which is how the SDK checks what it finds at the first place it looks at. For
 * one of OpenID Connect it would want what no client of ours needs, and would drop what we do: where a device signs in, where
 * tokens are revoked.
 */
async function readDocument(
  { sdk, fetch }: Errand,
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
      // Any other address is one that the first answer redirects to.
      const response = await fetch(asked === first ? place : asked, init)
      // The SDK takes a 502 for a place that is not there.
      if (response.status < 500 || response.status === 502) return response
      throw answeredWith(response, place)
    },
  })
}

/** One endpoint in an entry outranks what was discovered. */
function withOwn(metadata: ServerMetadata, { authorizationUrl, tokenUrl }: Errand['plan']): ServerMetadata {
  return {
    ...metadata,
    ...(authorizationUrl === undefined ? {} : { authorization_endpoint: authorizationUrl }),
    ...(tokenUrl === undefined ? {} : { token_endpoint: tokenUrl }),
  }
}

/** Whoever writes both endpoints into an entry vouches for the rest. */
function metadataOf(authorizationUrl: string, tokenUrl: string, issuer: string | undefined): ServerMetadata {
  return {
    issuer: issuer ?? new URL(tokenUrl).origin,
    authorization_endpoint: authorizationUrl,
    token_endpoint: tokenUrl,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  }
}

/** RFC 9449: where the server wants it, and its authorization server does not say that it cannot. */
function isKeyBound(
  { challenge }: Errand,
  description: Description | undefined,
  metadata: ServerMetadata | undefined,
): boolean {
  const isWanted =
    challenge?.wantsDpop === true || fieldOf(description, 'dpop_bound_access_tokens_required') === true
  const algorithms = fieldOf(metadata, 'dpop_signing_alg_values_supported')
  return isWanted && (!Array.isArray(algorithms) || algorithms.includes('ES256'))
}

/** One that the types of the SDK do not have. */
export function fieldOf(value: object | undefined, name: string): unknown {
  return (value as Readonly<Record<string, unknown>> | undefined)?.[name]
}
