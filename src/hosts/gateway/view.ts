/**
 * view: what a client sees at one endpoint, and where each of it leads.
 *
 * in     the board
 * out    lists as the servers have them, live or remembered; the server behind a name or a URI
 * never  waits for a server where there are others to show
 */
import type { Params } from '../../model/message.ts'
import type { Listed, ListKind, Offering } from '../../model/offering.ts'

export interface Listing {
  readonly items: readonly Params[]
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

export interface Hello {
  readonly capabilities: Params
  readonly serverInfo: Params
  readonly instructions?: string
}

/** A thing of a server, by the server's own name for it. */
export interface Found {
  readonly server: string
  readonly name: string
}

export interface View {
  /** Undefined: all servers. */
  readonly server: string | undefined
  /** Resolves when there is something to show; rejects with a ProblemError when there will not be. Undefined: there is. */
  ready(): Promise<void> | undefined
  /** Lists are complete enough to be shown; undefined: they are already. */
  settling(): Promise<void> | undefined
  capabilities(): Params
  hello(): Hello
  list(kind: ListKind): Listing
  findTool(name: string): Found | undefined
  findPrompt(name: string): Found | undefined
  /** Of which nothing is known, or that cannot be had now, and to which a name that nobody has may belong. */
  absentOwners(name: string): readonly string[]
  /** The servers that may have it, likeliest first. */
  ownersOf(uri: string): readonly string[]
  /** Of a template, as it is listed. */
  ownerOfTemplate(template: string): string | undefined
}

/** A server of which it is known what it has. */
export interface Offered {
  readonly server: string
  readonly offering: Offering
}

export function listOf(offering: Offering, kind: ListKind): readonly Listed[] {
  switch (kind) {
    case 'tool':
      return offering.tools
    case 'resource':
      return offering.resources
    case 'resource-template':
      return offering.resourceTemplates
    case 'prompt':
      return offering.prompts
  }
}

/** As long as the shortest holds, for whom the strictest is. */
export function hintsOf(all: readonly Offered[], kind: ListKind): Pick<Listing, 'ttlMs' | 'cacheScope'> {
  const hints = all.map(({ offering }) => offering.caching?.[kind] ?? {})
  const ttls = hints.map(({ ttlMs = 0 }) => ttlMs)
  const isPublic = hints.length > 0 && hints.every(({ cacheScope }) => cacheScope === 'public')
  return { ttlMs: ttls.length === 0 ? 0 : Math.min(...ttls), cacheScope: isPublic ? 'public' : 'private' }
}
