/** offering: what one server offers, in its own words. Each item is checked by itself. */
import type { Problem } from './problem.ts'
import type { Hello } from './session.ts'

export interface Offering {
  readonly hello: Hello
  /** In the server's order, as are the lists below. */
  readonly tools: readonly ListedTool[]
  readonly resources: readonly Listed[]
  readonly resourceTemplates: readonly Listed[]
  readonly prompts: readonly Listed[]
  /** Items that cannot be used, and why. The valid items are in the lists above. */
  readonly quarantined: readonly Quarantined[]
  /** Lists that could not be read; they are empty above. Never the tools: without tools there is no offering. */
  readonly problems: readonly Problem[]
  /** Which lists those are. Absent: none. */
  readonly unlisted?: readonly ListKind[]
  /** How many tools `includeTools` and `excludeTools` hide. Absent: there is no such filter. */
  readonly filteredTools?: number
  /** How long and for whom each list may be cached. Absent where the server says nothing. */
  readonly caching?: Readonly<Partial<Record<ListKind, CacheHints>>>
}

export interface CacheHints {
  /** How long the list is valid: the shortest time of all pages. */
  readonly ttlMs?: number
  /** `public`: the same for every user. `private`: for this credential, which is also the default. */
  readonly cacheScope?: 'public' | 'private'
}

/** An object from the server with all required fields. Every other field is unchanged. */
export type Listed = Readonly<Record<string, unknown>> & { readonly name: string }

export type ListedTool = Listed & { readonly inputSchema: Readonly<Record<string, unknown>> }

export interface Quarantined {
  readonly kind: ListKind
  /** Its own name, where it has one; otherwise its position in the list: `#3`. */
  readonly name: string
  /** What is wrong with it, as a clause: "it has no `name`". */
  readonly reason: string
}

export type ListKind = 'tool' | 'resource' | 'resource-template' | 'prompt'

export const LIST_KINDS: readonly ListKind[] = ['tool', 'resource', 'resource-template', 'prompt']
