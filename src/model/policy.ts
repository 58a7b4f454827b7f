/**
 * policy: who may run at all. Rules keep the line that wrote them, because "not allowed" needs an author.
 */
import type { SourceId, Spot } from './origin.ts'
import type { Problem } from './problem.ts'

/** Where a settings file stands. Lists of every level count together: deny always wins, allow lists intersect. */
export type Level = 'managed' | 'user' | 'local' | 'project'

export interface Policy {
  readonly deny: readonly ServerRule[]
  /** One per file that has a non-empty list. */
  readonly allowLists: readonly AllowList[]
  /** The line of `pluginServersOnly: true`, managed settings only. */
  readonly pluginServersOnly?: Spot
  /** A managed or user policy that cannot be understood admits nothing. */
  readonly broken?: Problem
}

export interface AllowList {
  readonly by: Spot
  readonly level: Level
  readonly rules: readonly ServerRule[]
}

export interface ServerRule {
  readonly match: ServerMatch
  readonly level: Level
  readonly by: Spot
  /** The agent whose settings have it. Absent: ours. */
  readonly source?: SourceId
}

export type ServerMatch =
  | { readonly kind: 'name'; readonly pattern: string }
  | { readonly kind: 'url'; readonly pattern: string }
  /** Exactly this command and these arguments. */
  | { readonly kind: 'command'; readonly argv: readonly string[] }
  /** Command and arguments joined by spaces, with `*`. */
  | { readonly kind: 'command-pattern'; readonly pattern: string }

/** The rule as its author would recognise it. */
export function showMatch(match: ServerMatch): string {
  switch (match.kind) {
    case 'name':
    case 'url':
    case 'command-pattern':
      return match.pattern
    case 'command':
      return JSON.stringify(match.argv)
  }
}
