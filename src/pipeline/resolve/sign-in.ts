/**
 * sign-in: fills in what an entry says about signing in.
 *
 * in     an admitted server and its context; for grants without a user, files that are read anew each time
 * out    a plan and the headers of every request to the server; undefined for servers without OAuth
 * never  looks for a stored token
 */
import { Secret } from '../../base/secret.ts'
import type { AdmittedServer } from '../../model/catalog.ts'
import type { GrantType, HttpTransport, OAuth } from '../../model/definition.ts'
import { reveal } from '../../model/launch.ts'
import { authorizationLimitsOf } from '../../model/leeway.ts'
import type { Problem } from '../../model/problem.ts'
import type { GrantPlan, PlannedClient, SignInPlan } from '../../model/sign-in.ts'
import type { Template } from '../../model/template.ts'
import { fillWhole } from './fill.ts'
import { createJob, toAbsolute, type Job, type ResolveContext } from './job.ts'
import { missingForGrant, unreadableFile, type Field } from './problems.ts'
import { resolveRemote } from './remote.ts'
import { secretsIn } from './secrets.ts'

export interface ResolvedSignIn {
  readonly plan: SignInPlan
  /** The headers of the entry. */
  readonly headers: ReadonlyMap<string, string>
  readonly secrets: readonly Secret[]
  /** An error among them prevents the grant. */
  readonly problems: readonly Problem[]
}

/** Whether this server can use OAuth. */
export function mayOAuth({ transport }: AdmittedServer): boolean {
  return (transport.type === 'http' || transport.type === 'sse') && transport.oauth?.isOff !== true
}

export async function resolveSignIn(
  server: AdmittedServer,
  context: ResolveContext,
): Promise<ResolvedSignIn | undefined> {
  if (!mayOAuth(server)) return undefined
  const job = createJob(server, { ...context, credentials: undefined })
  const transport = server.transport as HttpTransport
  const { url, headers } = await resolveRemote(job, transport)
  const plan = toPlan(job, reveal(url), transport.oauth ?? {})
  return {
    plan,
    headers: new Map([...headers].map(([name, value]) => [name, reveal(value)])),
    secrets: [...new Set(job.secrets)].map((text) => new Secret(text)),
    problems: job.problems,
  }
}

/** The client id of the entry; undefined if it has none. Synchronous: it runs no command. */
export function resolveClientId(server: AdmittedServer, context: ResolveContext): string | undefined {
  return clientIdOf(createJob(server, context), (server.transport as HttpTransport).oauth ?? {})
}

function toPlan(job: Job, url: string, oauth: OAuth): SignInPlan {
  const { auth } = job.server
  const client = toClient(job, oauth)
  const { callbackPort, callbackPath, redirectUri, scopes } = oauth
  const resource = oauth.resource ?? auth?.resource
  const tokenUrl = oauth.tokenUrl ?? auth?.tokenUrl
  return {
    url,
    grant: toGrant(job, oauth),
    ...(client === undefined ? {} : { client }),
    ...defined({ clientDocumentUrl: oauth.clientMetadataUrl }),
    ...(scopes === undefined ? {} : { scopes }),
    callback: defined({ port: callbackPort, path: callbackPath, redirectUri }),
    ...defined({ issuer: oauth.issuer, metadataUrl: oauth.authServerMetadataUrl }),
    ...defined({ authorizationUrl: oauth.authorizationUrl, tokenUrl, resource, prompt: oauth.prompt }),
    ...authorizationLimitsOf(job.server),
    ...defined({ credentialId: auth?.credentialId }),
  }
}

/** Removes the fields that have no value. */
function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}

function toClient(job: Job, oauth: OAuth): PlannedClient | undefined {
  const { auth } = job.server
  const id = clientIdOf(job, oauth)
  if (id === undefined) return undefined
  const secret = secretOf(job, oauth.clientSecret ?? auth?.clientSecret, 'clientSecret')
  const pem = secretOrFile(job, oauth, ['privateKey', 'privateKeyFile'])
  return {
    id,
    ...(secret === undefined ? {} : { secret }),
    ...(pem === undefined ? {} : { key: { pem, algorithm: oauth.signingAlgorithm ?? 'ES256' } }),
  }
}

function clientIdOf(job: Job, oauth: OAuth): string | undefined {
  return textOf(job, oauth.clientId ?? job.server.auth?.clientId, 'clientId')
}

const KINDS: Readonly<Record<GrantType, GrantPlan['kind']>> = {
  authorization_code: 'code',
  device_code: 'device',
  client_credentials: 'client-credentials',
  jwt_bearer: 'jwt-bearer',
  enterprise_managed: 'enterprise',
}

function toGrant(job: Job, oauth: OAuth): GrantPlan {
  const kind = KINDS[oauth.grantType ?? 'authorization_code']
  if (kind === 'jwt-bearer') {
    const assertion = secretOrFile(job, oauth, ['assertion', 'assertionFile'])
    return { kind, assertion: assertion ?? missing(job, 'assertionFile') }
  }
  if (kind !== 'enterprise') return { kind }
  const { idpIssuer: issuer, idpTokenUrl: tokenUrl } = oauth
  if (issuer === undefined && tokenUrl === undefined) missing(job, 'idpIssuer')
  const clientId = textOf(job, oauth.idpClientId, 'idpClientId')
  if (clientId === undefined) missing(job, 'idpClientId')
  const clientSecret = secretOf(job, oauth.idpClientSecret, 'idpClientSecret')
  return {
    kind,
    idToken: secretOrFile(job, oauth, ['idToken', 'idTokenFile']) ?? missing(job, 'idTokenFile'),
    provider: { ...defined({ issuer, tokenUrl, clientSecret }), clientId: clientId ?? '' },
  }
}

const NOTHING = new Secret('')

/** Reports the missing value. The caller checks the problems before it uses the plan. */
function missing(job: Job, key: keyof OAuth): Secret {
  job.problems.push(missingForGrant(job.server, key))
  return NOTHING
}

function textOf(job: Job, template: Template | undefined, key: string): string | undefined {
  const filled = template === undefined ? undefined : fillWhole(job, template, { name: 'oauth', key })
  // A reference without a value would be sent as if it were the value.
  return filled === undefined || filled.gap !== undefined || filled.text === '' ? undefined : filled.text
}

function secretOf(job: Job, template: Template | undefined, key: string): Secret | undefined {
  const text = textOf(job, template, key)
  if (text === undefined) return undefined
  job.secrets.push(...secretsIn(text))
  return new Secret(text)
}

type SecretKey = 'privateKey' | 'assertion' | 'idToken'

/** A value in the entry, else in a file that another program keeps fresh. */
function secretOrFile(
  job: Job,
  oauth: OAuth,
  [key, fileKey]: readonly [SecretKey, `${SecretKey}File`],
): Secret | undefined {
  const value = secretOf(job, oauth[key], key)
  if (value !== undefined) return value
  const path = textOf(job, oauth[fileKey], fileKey)
  if (path === undefined) return undefined
  const field: Field = { name: 'oauth', key: fileKey }
  const file = toAbsolute(job, path)
  const read = job.context.world.files.read(file)
  if (read.kind !== 'text') {
    job.problems.push(unreadableFile(job.server, field, { path: file, read }))
    return undefined
  }
  const text = read.text.trim()
  job.secrets.push(...secretsIn(text))
  return new Secret(text)
}
