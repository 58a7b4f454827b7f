/**
 * authorization-server: a real one (`oidc-provider`) on loopback, set up as the MCP specification asks: resource
 * indicators, PKCE, dynamic registration, `iss` in answers, rotation, revocation, device flow, client credentials.
 *
 * in     how long tokens last, which clients it knows from the start
 * out    its issuer, every request that was made to it, and a willing user to send through its pages
 * never  accepts a rotated refresh token twice: whoever shows an old one loses the whole grant
 */
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  Provider,
  type Adapter,
  type AdapterPayload,
  type ClientMetadata,
  type KoaContextWithOIDC,
} from 'oidc-provider'
import { noteIssued, noteSecret } from '../leaks/secrets.ts'

export interface AuthorizationServer extends AsyncDisposable {
  readonly issuer: string
  /** All that it was asked, in order, without the pages of its user. */
  readonly requests: readonly AskedOfServer[]
  /** How many requests of a kind there were: `token`, `token refresh_token`, `registration`, `revocation`. */
  count(what: string): number
  /** Takes the place of the usual answer while it is set; gives false for what it leaves alone. */
  answer: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  /** As a browser whose user agrees to everything: where the last redirect leads, which is not followed. */
  approve(authorizationUrl: string | URL): Promise<URL>
  /** The same user at `verification_uri_complete`. */
  approveDevice(verificationUrl: string | URL): Promise<void>
  /** A client and tokens by the code flow, without any of our code. */
  signIn(wish: SignInWish): Promise<GivenSignIn>
  /** As if the time of every access token that it has given were over. */
  expireAccessTokens(): void
  /** What it knows of a token; undefined for one that is no good (any more). */
  check(accessToken: string): Promise<CheckedToken | undefined>
}

export interface AuthorizationServerOptions {
  /** Of access tokens. Default: an hour. */
  readonly accessTokenSeconds?: number
  readonly clients?: readonly ClientMetadata[]
  /** Dynamic registration. Default: on. */
  readonly registration?: 'on' | 'off'
  /** The device flow. Default: on. */
  readonly device?: 'on' | 'off'
  /** New refresh tokens with every use. Default: on. */
  readonly rotation?: 'on' | 'off'
  /** Client ID Metadata Documents. Default: off. */
  readonly documents?: 'on' | 'off'
  /** Access tokens that can be checked without asking it, or not. Default: `opaque`. */
  readonly tokens?: 'opaque' | 'jwt'
  /** Those that protected servers may ask for. Default: `SCOPES`. */
  readonly scopes?: readonly string[]
}

export interface AskedOfServer {
  /** `token refresh_token`: the endpoint, and for the token endpoint the kind of grant. */
  readonly what: string
  readonly method: string
  readonly path: string
  readonly status: number
  /** Of the query or the form. */
  readonly params: Readonly<Record<string, unknown>>
}

export interface SignInWish {
  readonly resource: string
  readonly scopes?: readonly string[]
}

export interface GivenSignIn {
  readonly clientId: string
  readonly clientSecret?: string
  readonly redirectUri: string
  readonly accessToken: string
  readonly refreshToken: string
  readonly expiresInSeconds: number
  readonly scopes: readonly string[]
}

export interface CheckedToken {
  readonly audience: string
  readonly scopes: readonly string[]
  readonly clientId: string
  /** The thumbprint of the key that the token is bound to. */
  readonly jkt?: string
}

/** Those that protected servers may ask for. */
export const SCOPES = ['mcp:read', 'mcp:write', 'mcp:admin'] as const

/** The one who agrees to everything. */
const ACCOUNT = 'ada'

export async function startAuthorizationServer(
  options: AuthorizationServerOptions = {},
): Promise<AuthorizationServer> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const { client_secret: secret } of options.clients ?? []) noteSecret(secret)
  const stored = new Map<string, AdapterPayload>()
  const provider = createProvider(issuer, stored, options)
  const requests: AskedOfServer[] = []
  provider.use(async (ctx, next) => {
    await next()
    const { method, path, status } = ctx
    const params = { ...(ctx.oidc?.body ?? ctx.query) }
    noteExchange(ctx, params)
    if (!isPage(path)) requests.push({ what: nameOf(path, params), method, path, status, params })
  })
  const callback = provider.callback()
  const self: AuthorizationServer = {
    issuer,
    requests,
    count: (what) => requests.filter((one) => one.what === what || one.what.startsWith(`${what} `)).length,
    answer: undefined,
    approve,
    approveDevice: (url) => approveDevice(url),
    signIn: (wish) => signIn(issuer, wish),
    expireAccessTokens() {
      for (const key of stored.keys()) if (/^(?:AccessToken|ClientCredentials) /.test(key)) stored.delete(key)
    },
    check: (token) => check(provider, token),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  server.on('request', (request, response) => {
    if (self.answer?.(request, response) === true) return
    if (request.url!.startsWith('/interaction/')) void finish(provider, request, response)
    else void callback(request, response)
  })
  return self
}

/** Before its answer leaves: whoever gets it may print it. */
function noteExchange(
  ctx: Pick<KoaContextWithOIDC, 'body' | 'response' | 'get'>,
  params: Readonly<Record<string, unknown>>,
): void {
  noteIssued(params)
  if (ctx.body !== null && typeof ctx.body === 'object') noteIssued(ctx.body as Record<string, unknown>)
  // The code that a browser is sent back with, and the name and secret of a client.
  const back = ctx.response.get('location')
  if (URL.canParse(back)) noteIssued(Object.fromEntries(new URL(back).searchParams))
  noteSecret(/^Basic (.+)$/.exec(ctx.get('authorization'))?.[1])
}

function createProvider(issuer: string, stored: Stored, options: AuthorizationServerOptions): Provider {
  const { accessTokenSeconds = 3600, registration = 'on', device = 'on', rotation = 'on' } = options
  const { tokens = 'opaque', scopes = SCOPES } = options
  const provider = new Provider(issuer, {
    adapter: createAdapters(stored),
    jwks: { keys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    clients: [...(options.clients ?? [])],
    // Without this, whoever registers as a web client may not come back to loopback over http.
    clientDefaults: {
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'ES256',
    },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    scopes: ['openid', 'offline_access'],
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: registration === 'on' },
      revocation: { enabled: true, allowedPolicy: () => true },
      introspection: { enabled: true },
      clientCredentials: { enabled: true },
      dPoP: { enabled: true },
      deviceFlow: {
        enabled: device === 'on',
        userCodeInputSource: (ctx, form) => void (ctx.body = form),
        userCodeConfirmSource: (ctx, form) => void (ctx.body = form),
        successSource: (ctx) => void (ctx.body = 'done'),
      },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource) => ({
          audience: resource,
          scope: scopes.join(' '),
          accessTokenFormat: tokens,
          ...(tokens === 'jwt' ? { jwt: { sign: { alg: 'ES256' } } } : {}),
          accessTokenTTL: accessTokenSeconds,
        }),
      },
      ...(options.documents === 'on' ? { clientIdMetadataDocument: { enabled: true } } : {}),
    },
    discovery: { scopes_supported: ['openid', 'offline_access', ...scopes] },
    rotateRefreshToken: rotation === 'on',
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    loadExistingGrant: grantAll,
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    renderError: (ctx, out) => void (ctx.body = out),
    ttl: {
      Interaction: 600,
      Session: 600,
      Grant: 86_400,
      RefreshToken: 86_400,
      DeviceCode: 600,
      AccessToken: accessTokenSeconds,
      ClientCredentials: accessTokenSeconds,
    },
  })
  return provider
}

/** Whatever was asked for is granted: consent is no part of these tests. */
async function grantAll(ctx: Parameters<NonNullable<Config['loadExistingGrant']>>[0]): ReturnType<LoadGrant> {
  const { client, session, params, provider } = ctx.oidc
  const grant = new provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! })
  const scope = typeof params?.['scope'] === 'string' ? params['scope'] : ''
  grant.addOIDCScope('openid offline_access')
  const resources = [params?.['resource']].flat().filter((one) => typeof one === 'string')
  for (const resource of resources) grant.addResourceScope(resource, scope)
  await grant.save()
  return grant
}

type Config = NonNullable<ConstructorParameters<typeof Provider>[1]>
type LoadGrant = () => Promise<InstanceType<Provider['Grant']>>

/** The page where its user would sign in. */
async function finish(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  await provider.interactionFinished(request, response, { login: { accountId: ACCOUNT }, consent: {} })
}

/** Everything but the pages of its user. */
function isPage(path: string): boolean {
  return /^\/(?:auth\/.|interaction\/|device$|device\/(?!auth$))/.test(path)
}

function nameOf(path: string, params: Readonly<Record<string, unknown>>): string {
  if (path === '/token') return `token ${String(params['grant_type'])}`
  const names: Readonly<Record<string, string>> = {
    '/reg': 'registration',
    '/auth': 'authorization',
    '/device/auth': 'device',
    '/token/revocation': 'revocation',
    '/token/introspection': 'introspection',
  }
  return names[path] ?? (path.startsWith('/.well-known/') ? 'metadata' : path)
}

/** A browser: it keeps cookies, and follows redirects as long as they stay where they began. */
function openBrowser(): (url: URL, form?: URLSearchParams) => Promise<Response> {
  const cookies = new Map<string, string>()
  return async (url, form) => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [name, value] = cookie.split(';')[0]!.split('=') as [string, string]
      cookies.set(name, value)
    }
    return response
  }
}

async function approve(authorizationUrl: string | URL): Promise<URL> {
  const browse = openBrowser()
  let url = new URL(authorizationUrl)
  const { origin } = url
  for (let steps = 0; steps < 10; steps++) {
    const response = await browse(url)
    const location = response.headers.get('location')
    if (location === null) throw new Error(`no redirect but ${response.status}: ${await response.text()}`)
    url = new URL(location, url)
    if (url.origin !== origin) return url
  }
  throw new Error('it redirects in circles')
}

/** Through the form that confirms the code, then as any sign-in. */
async function approveDevice(verificationUrl: string | URL): Promise<void> {
  const browse = openBrowser()
  const start = new URL(verificationUrl)
  let response = await browse(start)
  let url = start
  for (let steps = 0; steps < 10; steps++) {
    const location = response.headers.get('location')
    const body = location === null ? await response.text() : ''
    if (body === 'done') return
    if (location === null && !body.includes('<form'))
      throw new Error(`no form but ${response.status}: ${body}`)
    url = new URL(location ?? /action="([^"]+)"/.exec(body)![1]!, url)
    response = location === null ? await browse(url, fieldsOf(body, start)) : await browse(url)
  }
  throw new Error('it asks without end')
}

function fieldsOf(form: string, start: URL): URLSearchParams {
  const fields = new URLSearchParams({ user_code: start.searchParams.get('user_code') ?? '', confirm: 'yes' })
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const [name, value] = ['name', 'value'].map((key) => new RegExp(`${key}="([^"]*)"`).exec(input)?.[1])
    if (name !== undefined && value !== undefined) fields.set(name, value)
  }
  return fields
}

async function signIn(issuer: string, { resource, scopes = SCOPES }: SignInWish): Promise<GivenSignIn> {
  const redirectUri = 'http://127.0.0.1:1/callback'
  const registered = await postJson(`${issuer}/reg`, {
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    application_type: 'native',
  })
  const clientId = String(registered['client_id'])
  const verifier = randomBytes(32).toString('base64url')
  const url = new URL(`${issuer}/auth`)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope: scopes.join(' '),
    resource,
  }).toString()
  const back = await approve(url)
  const code = back.searchParams.get('code')
  if (code === null) throw new Error(`no code: ${back.search}`)
  const tokens = await postForm(`${issuer}/token`, {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id: clientId,
    redirect_uri: redirectUri,
    resource,
  })
  return {
    clientId,
    redirectUri,
    accessToken: String(tokens['access_token']),
    refreshToken: String(tokens['refresh_token']),
    expiresInSeconds: Number(tokens['expires_in']),
    scopes: String(tokens['scope']).split(' '),
  }
}

async function postJson(url: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const headers = { 'content-type': 'application/json' }
  return read(await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }))
}

async function postForm(
  url: string,
  fields: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  return read(await fetch(url, { method: 'POST', body: new URLSearchParams(fields) }))
}

async function read(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text}`)
  return JSON.parse(text) as Readonly<Record<string, unknown>>
}

async function check(provider: Provider, token: string): Promise<CheckedToken | undefined> {
  const found = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token))
  if (found === undefined || !found.isValid) return undefined
  return {
    audience: String(found.aud),
    scopes: [...found.scopes],
    clientId: String(found.clientId),
    ...(found.jkt === undefined ? {} : { jkt: found.jkt }),
  }
}

type Stored = Map<string, AdapterPayload>

/** In memory, one for each server: what one test stores no other finds. */
function createAdapters(stored: Stored): (name: string) => Adapter {
  return (model) => {
    const keyOf = (id: string): string => `${model} ${id}`
    const findBy = (claim: (one: AdapterPayload) => boolean): AdapterPayload | undefined =>
      [...stored].find(([key, one]) => key.startsWith(`${model} `) && claim(one))?.[1]
    return {
      upsert: async (id, payload) => void stored.set(keyOf(id), payload),
      find: async (id) => stored.get(keyOf(id)),
      findByUid: async (uid) => findBy((one) => one.uid === uid),
      findByUserCode: async (code) => findBy((one) => one.userCode === code),
      consume: async (id) => void (stored.get(keyOf(id))!.consumed = Math.floor(Date.now() / 1000)),
      destroy: async (id) => void stored.delete(keyOf(id)),
      async revokeByGrantId(grantId) {
        for (const [key, one] of stored) if (one.grantId === grantId) stored.delete(key)
      },
    }
  }
}
