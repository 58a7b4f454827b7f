/**
 * view: what a client sees at one endpoint, and the server behind each item.
 *
 * in     the board
 * out    lists as the servers have them, live or remembered; the server behind a name or a URI
 * never  waits for one server while it can show others
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

/** An item of a server, by the server's own name. */
export interface Found {
  readonly server: string
  readonly name: string
}

export interface View {
  /** Undefined: all servers. */
  readonly server: string | undefined
  /**
   * Resolves when there is something to show; rejects with a ProblemError when there never will be. Undefined: it can
   * show something now.
   */
  ready(): Promise<void> | undefined
  /** Resolves when the lists are complete enough to show. Undefined: they are already. */
  settling(): Promise<void> | undefined
  capabilities(): Params
  hello(): Hello
  list(kind: ListKind): Listing
  findTool(name: string): Found | undefined
  findPrompt(name: string): Found | undefined
  /** Servers that may own an unknown name: their lists are unknown, or they are unavailable now. */
  absentOwners(name: string): readonly string[]
  /** The servers that may have the URI, the likeliest first. */
  ownersOf(uri: string): readonly string[]
  /** The owner of a template, by its listed text. */
  ownerOfTemplate(template: string): string | undefined
}

/** A server whose offering is known. */
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

/** The shortest lifetime and the strictest scope of all lists apply. */
export function hintsOf(all: readonly Offered[], kind: ListKind): Pick<Listing, 'ttlMs' | 'cacheScope'> {
  const hints = all.map(({ offering }) => offering.caching?.[kind] ?? {})
  const ttls = hints.map(({ ttlMs = 0 }) => ttlMs)
  const isPublic = hints.length > 0 && hints.every(({ cacheScope }) => cacheScope === 'public')
  return { ttlMs: ttls.length === 0 ? 0 : Math.min(...ttls), cacheScope: isPublic ? 'public' : 'private' }
}
