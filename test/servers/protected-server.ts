/**
 * protected-server: an MCP server that wants a token of an authorization server, and looks at it closely.
 *
 * in     who gives out tokens, and which scopes it wants
 * out    an address; 401 with where its description is (RFC 9728), that description, 403 for a tool that wants more
 * never  accepts a token for another server, or one that was revoked
 */
import type { AuthorizationServer } from './authorization-server.ts'
import { answerLegacy, sendJson, serve, type Loopback, type Received } from './http/loopback.ts'

export interface ProtectedServer extends Loopback {
  /** How many messages it answered with this status, or with any. */
  answered(status?: number): number
  /** The tokens it was shown, each once, in order. */
  readonly tokens: readonly string[]
}

export interface ProtectedServerOptions {
  readonly authorization: Pick<AuthorizationServer, 'issuer' | 'check'>
  /** What every request needs. Default: `mcp:read`. */
  readonly scopes?: readonly string[]
  /** What the tool `admin` needs beside. Default: `mcp:admin`. */
  readonly adminScope?: string
  /** Whether a 401 names the scopes. Default: yes. */
  readonly namesScopes?: boolean
  /** Where its description is: named in the 401, or at the well-known places only, or nowhere. Default: `named`. */
  readonly description?: 'named' | 'well-known' | 'none'
  /** Changes what the description says. */
  readonly describe?: (usual: Description) => object
  readonly port?: number
}

export interface Description {
  readonly resource: string
  readonly authorization_servers: readonly string[]
  readonly scopes_supported: readonly string[]
  readonly bearer_methods_supported: readonly string[]
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

export async function startProtectedServer(options: ProtectedServerOptions): Promise<ProtectedServer> {
  const statuses: number[] = []
  const tokens: string[] = []
  let server: Loopback | undefined
  const answer = async (request: Received): Promise<void> => {
    if (request.path.startsWith(WELL_KNOWN)) return sendDescription(server!, request, options)
    const refusal = await judge(server!, request, options)
    const token = tokenOf(request)
    if (token !== undefined && !tokens.includes(token)) tokens.push(token)
    if (refusal === undefined) {
      request.response.on('finish', () => statuses.push(request.response.statusCode))
      return answerLegacy(request, { 'tools/list': () => ({ tools: TOOLS }) })
    }
    statuses.push(refusal.status)
    request.response.setHeader('www-authenticate', refusal.challenge)
    sendJson(request, { error: refusal.error }, refusal.status)
  }
  server = await serve(
    (request) => void answer(request),
    options.port === undefined ? {} : { port: options.port },
  )
  return Object.assign(server, {
    tokens,
    answered: (status?: number) => statuses.filter((one) => status === undefined || one === status).length,
  })
}

const TOOLS = [
  { name: 'echo', description: 'Returns the text.', inputSchema: { type: 'object' } },
  { name: 'admin', description: 'Wants a scope of its own.', inputSchema: { type: 'object' } },
]

interface Refusal {
  readonly status: 401 | 403
  readonly error: string
  readonly challenge: string
}

async function judge(
  server: Loopback,
  request: Received,
  options: ProtectedServerOptions,
): Promise<Refusal | undefined> {
  const { authorization, scopes = ['mcp:read'], adminScope = 'mcp:admin' } = options
  const token = tokenOf(request)
  const refuse = (status: 401 | 403, error: string | undefined, wanted: readonly string[]): Refusal => {
    const namesScopes = status === 403 || options.namesScopes !== false
    const parts = [
      error === undefined ? undefined : `error="${error}"`,
      namesScopes ? `scope="${wanted.join(' ')}"` : undefined,
      (options.description ?? 'named') === 'named'
        ? `resource_metadata="${server.origin}${WELL_KNOWN}/mcp"`
        : undefined,
    ]
    const challenge = `Bearer ${parts.filter((one) => one !== undefined).join(', ')}`
    return { status, error: error ?? 'unauthorized', challenge: challenge.trim() }
  }
  if (token === undefined) return refuse(401, undefined, scopes)
  const known = await authorization.check(token)
  if (known === undefined || known.audience !== server.url) return refuse(401, 'invalid_token', scopes)
  const params = request.message?.params as { readonly name?: unknown } | undefined
  const wanted = params?.name === 'admin' ? [...scopes, adminScope] : scopes
  const isEnough = wanted.every((scope) => known.scopes.includes(scope))
  return isEnough ? undefined : refuse(403, 'insufficient_scope', wanted)
}

function tokenOf({ headers }: Received): string | undefined {
  return /^(?:bearer|dpop) (.+)$/i.exec(headers.authorization ?? '')?.[1]
}

function sendDescription(server: Loopback, request: Received, options: ProtectedServerOptions): void {
  const { authorization, scopes = ['mcp:read'], description = 'named', describe } = options
  if (description === 'none') return void request.response.writeHead(404).end()
  const usual: Description = {
    resource: server.url,
    authorization_servers: [authorization.issuer],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
  }
  sendJson(request, describe?.(usual) ?? usual)
}
