/**
 * registry: requests to an MCP registry. Its API is that of the official one (`GET /v0/servers`, OpenAPI 2025-12).
 *
 * in     search words, or the name of a server
 * out    servers as the registry describes them
 * never  sends anything but the search; follows a redirect
 */
import { isTooDeep } from '../../base/depth.ts'
import { findNearest } from '../../base/edit-distance.ts'
import { describeWebError } from '../../model/network.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { World } from '../../world/world.ts'
import {
  ambiguousName,
  badRegistry,
  noSuchServer,
  registryFailed,
  registryMisspoke,
} from './registry-problems.ts'
import { toRegistryPage, toRegistryServer, type RegistryServer } from './registry-server.ts'

/** The default registry, unless a setting or a flag names another. */
export const OFFICIAL_REGISTRY = 'https://registry.modelcontextprotocol.io'

export interface RegistrySearch {
  readonly words: readonly string[]
  readonly limit: number
}

const TIMEOUT_MS = 15_000

const PAGE = 100

/**
 * A registry searches only for parts of names. Plugboard searches for the other words itself, but only in so many
 * pages.
 */
const MOST_PAGES = 10

/** The newest version of each server that has all the words, at least one of them in its name. Throws `registry/…`. */
export async function searchRegistry(
  world: World,
  registry: string,
  { words, limit }: RegistrySearch,
): Promise<readonly RegistryServer[]> {
  const found = new Map<string, RegistryServer>()
  // The longest word matches the fewest names.
  for (const word of words.toSorted((a, b) => b.length - a.length)) {
    for await (const server of listServers(world, registry, word)) {
      if (found.size >= limit) return [...found.values()]
      if (server.status !== 'deleted' && hasWords(server, words)) found.set(server.name, server)
    }
  }
  return [...found.values()]
}

/** By its whole name, or by the part after the `/` when only one server has that. Throws `registry/…`. */
export async function requireRegistryServer(
  world: World,
  registry: string,
  wanted: string,
): Promise<RegistryServer> {
  const { name, version } = splitVersion(wanted)
  if (name.includes('/')) return fetchServer(world, registry, { name, version, wanted })
  const found = await searchRegistry(world, registry, { words: [name], limit: PAGE })
  const exact = found.filter((one) => one.name.split('/').at(-1)?.toLowerCase() === name.toLowerCase())
  const [only, ...more] = exact
  if (only === undefined) {
    const nearest = findNearest(
      name,
      found.map((one) => one.name.split('/').at(-1)!),
    )
    throw new ProblemError(
      noSuchServer(
        wanted,
        registry,
        found.filter((one) => one.name.endsWith(`/${nearest}`)),
      ),
    )
  }
  if (more.length > 0) throw new ProblemError(ambiguousName(wanted, exact))
  return version === 'latest' ? only : fetchServer(world, registry, { name: only.name, version, wanted })
}

/** `name@1.2.3`. */
function splitVersion(wanted: string): { readonly name: string; readonly version: string } {
  const at = wanted.lastIndexOf('@')
  return at < 1
    ? { name: wanted, version: 'latest' }
    : { name: wanted.slice(0, at), version: wanted.slice(at + 1) }
}

async function fetchServer(
  world: World,
  registry: string,
  { name, version, wanted }: { readonly name: string; readonly version: string; readonly wanted: string },
): Promise<RegistryServer> {
  const path = `servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`
  const { status, value } = await get(world, registry, path)
  const server = status === 404 ? undefined : toRegistryServer(value)
  if (server === undefined && status === 404) throw new ProblemError(noSuchServer(wanted, registry, []))
  // A registry that answers with another server would choose what is installed.
  if (server === undefined || server.name !== name) throw new ProblemError(registryMisspoke(registry))
  return server
}

/** Page after page, as long as the caller reads on. */
async function* listServers(world: World, registry: string, search: string): AsyncGenerator<RegistryServer> {
  let cursor: string | undefined
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const query = new URLSearchParams({ search, version: 'latest', limit: String(PAGE) })
    if (cursor !== undefined) query.set('cursor', cursor)
    const { value } = await get(world, registry, `servers?${query.toString()}`)
    const page = toRegistryPage(value)
    if (page === undefined) throw new ProblemError(registryMisspoke(registry))
    yield* page.servers
    if (page.nextCursor === undefined || page.nextCursor === cursor) return
    cursor = page.nextCursor
  }
}

async function get(
  world: World,
  registry: string,
  path: string,
): Promise<{ readonly status: number; readonly value: unknown }> {
  const url = `${baseOf(registry)}/${path}`
  const controller = new AbortController()
  const cancel = world.clock.after(TIMEOUT_MS, () => controller.abort())
  try {
    const answer = await world.web.get(url, {
      headers: { accept: 'application/json' },
      signal: controller.signal,
    })
    if (answer.status === 404) return { status: 404, value: undefined }
    if (answer.status !== 200)
      throw new ProblemError(registryFailed(registry, `it answered with status ${answer.status}`))
    const value: unknown = JSON.parse(answer.text)
    if (isTooDeep(value)) throw new ProblemError(registryMisspoke(registry))
    return { status: 200, value }
  } catch (error) {
    if (error instanceof ProblemError) throw error
    if (error instanceof SyntaxError) throw new ProblemError(registryMisspoke(registry), { cause: error })
    const why = controller.signal.aborted
      ? `no answer in ${TIMEOUT_MS / 1000} s`
      : describeWebError(error, url)
    throw new ProblemError(registryFailed(registry, why), { cause: error })
  } finally {
    cancel()
  }
}

/** Adds the version of the API, unless the address has one. */
function baseOf(registry: string): string {
  if (!URL.canParse(registry) || !/^https?:\/\//i.test(registry))
    throw new ProblemError(badRegistry(registry))
  const base = registry.replace(/\/+$/, '')
  return /\/v\d+(?:\.\d+)?$/.test(base) ? base : `${base}/v0`
}

function hasWords({ name, title, description }: RegistryServer, words: readonly string[]): boolean {
  const text = `${name} ${title ?? ''} ${description}`.toLowerCase()
  return words.every((word) => text.includes(word.toLowerCase()))
}
