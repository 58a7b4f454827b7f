/**
 * discover: who gives out tokens for a server, and for what exactly.
 *
 * in     what the entry says, and what the server said when it turned us down
 * out    an AuthServer, whose name is the one that was asked for
 * never  takes a description that is of another resource, or metadata of another issuer
 */
import { ProblemError } from '../../problem/problem.ts'
import type { Errand, ServerMetadata } from './errand.ts'
import { GuardError } from './guarded-fetch.ts'
import { AuthorizeError, noEndpoints } from './problems.ts'

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
  const { plan, sdk, fetch } = errand
  const { authorizationUrl, tokenUrl, metadataUrl } = plan
  if (authorizationUrl !== undefined && tokenUrl !== undefined)
    return metadataOf(authorizationUrl, tokenUrl, plan.issuer)
  const metadata =
    metadataUrl === undefined
      ? await sdk.discoverAuthorizationServerMetadata(url, { fetchFn: fetch })
      : await sdk.discoverAuthorizationServerMetadata(url, {
          // Whatever place is looked at, it is the one that the entry names; whose it is, the document says.
          fetchFn: (_, init) => fetch(metadataUrl, init),
          skipIssuerValidation: true,
        })
  return metadata === undefined ? undefined : withOwn(metadata, plan)
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
