/**
 * offering: what one server has to offer, as it said it, each thing judged by itself.
 */
import type { Problem } from './problem.ts'
import type { Hello } from './session.ts'

export interface Offering {
  readonly hello: Hello
  /** In the server's order, as are the lists below. */
  readonly tools: readonly ListedTool[]
  readonly resources: readonly Listed[]
  readonly resourceTemplates: readonly Listed[]
  readonly prompts: readonly Listed[]
  /** What cannot be used, and why. Its neighbours are in the lists above. */
  readonly quarantined: readonly Quarantined[]
  /** Lists that could not be read; they are empty above. Never the tools: without them there is no offering. */
  readonly problems: readonly Problem[]
  /** Which lists those are. Absent: none. */
  readonly unlisted?: readonly ListKind[]
  /** How many tools `includeTools` and `excludeTools` keep back. Absent: there is no such filter. */
  readonly filteredTools?: number
  /** What the server says about keeping each of the lists; absent where it says nothing. */
  readonly caching?: Readonly<Partial<Record<ListKind, CacheHints>>>
}

export interface CacheHints {
  /** How long the list holds: the shortest of all pages. */
  readonly ttlMs?: number
  /** `public`: the same for everyone. `private`: for this credential, as it is where nothing is said. */
  readonly cacheScope?: 'public' | 'private'
}

/** An object from the wire that has what it must have; everything else in it is as it came. */
export type Listed = Readonly<Record<string, unknown>> & { readonly name: string }

export type ListedTool = Listed & { readonly inputSchema: Readonly<Record<string, unknown>> }

export interface Quarantined {
  readonly kind: ListKind
  /** The name it gives itself, where it has one; else its place in the list: `#3`. */
  readonly name: string
  /** What is wrong with it, as a clause: "it has no `name`". */
  readonly reason: string
}

export type ListKind = 'tool' | 'resource' | 'resource-template' | 'prompt'

export const LIST_KINDS: readonly ListKind[] = ['tool', 'resource', 'resource-template', 'prompt']
