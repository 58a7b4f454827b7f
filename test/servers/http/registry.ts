/**
 * registry: an MCP registry on this machine, with the API of the official one as far as reading goes (`/v0/servers`, pages
 * with a cursor, `search` in names, `version=latest`, `/v0/servers/{name}/versions/{version}`).
 */
import { sendJson, serve, type Loopback, type Received } from './loopback.ts'

export interface PublishedServer {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly [key: string]: unknown
}

export interface Published {
  readonly server: PublishedServer
  /** Default: active. */
  readonly status?: 'active' | 'deprecated' | 'deleted'
  readonly statusMessage?: string
}

export interface RegistryOptions {
  /** Servers on a page, whatever is asked for. */
  readonly pageSize?: number
}

/** Of one name the last is the latest. */
export function serveRegistry(
  published: readonly Published[],
  { pageSize = 100 }: RegistryOptions = {},
): Promise<Loopback> {
  return serve((request) => {
    const { pathname, searchParams } = new URL(request.path, 'http://registry')
    const detail = /^\/v0\/servers\/([^/]+)\/versions\/([^/]+)$/.exec(pathname)
    if (request.method !== 'GET') sendJson(request, { error: 'Method not allowed' }, 405)
    else if (pathname === '/v0/servers')
      sendPage(request, findAll(published, searchParams), { searchParams, pageSize })
    else if (detail === null) sendJson(request, { error: 'Not found' }, 404)
    else sendOne(request, published, detail.slice(1).map(decodeURIComponent))
  })
}

function findAll(published: readonly Published[], query: URLSearchParams): readonly Published[] {
  const search = query.get('search')?.toLowerCase() ?? ''
  return published
    .filter((one) => query.get('version') !== 'latest' || isLatest(published, one))
    .filter(({ server }) => server.name.toLowerCase().includes(search))
}

function isLatest(published: readonly Published[], one: Published): boolean {
  return published.findLast(({ server }) => server.name === one.server.name) === one
}

function sendPage(
  request: Received,
  found: readonly Published[],
  { searchParams, pageSize }: { readonly searchParams: URLSearchParams; readonly pageSize: number },
): void {
  const limit = Math.min(Number(searchParams.get('limit') ?? 30), pageSize)
  const cursor = searchParams.get('cursor')
  const start = cursor === null ? 0 : found.findIndex((one) => cursorOf(one) === cursor) + 1
  const page = found.slice(start, start + limit)
  const isLast = start + limit >= found.length
  sendJson(request, {
    servers: page.map((one) => toAnswer(found, one)),
    metadata: { count: page.length, ...(isLast ? {} : { nextCursor: cursorOf(page.at(-1)!) }) },
  })
}

function cursorOf({ server }: Published): string {
  return `${server.name}:${server.version}`
}

function sendOne(
  request: Received,
  published: readonly Published[],
  [name, version]: readonly string[],
): void {
  const versions = published.filter(({ server }) => server.name === name)
  const found =
    version === 'latest' ? versions.at(-1) : versions.find(({ server }) => server.version === version)
  if (found === undefined) sendJson(request, { error: 'Server not found' }, 404)
  else sendJson(request, toAnswer(published, found))
}

function toAnswer(published: readonly Published[], one: Published): object {
  const { server, status = 'active', statusMessage } = one
  return {
    server: { $schema: 'https://static.example.test/server.schema.json', ...server },
    _meta: {
      'io.modelcontextprotocol.registry/official': {
        status,
        statusMessage,
        publishedAt: '2026-01-01T00:00:00Z',
        isLatest: isLatest(published, one),
      },
    },
  }
}
