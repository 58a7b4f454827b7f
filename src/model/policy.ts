/** policy: which servers may run at all. A rule keeps its line, because a refusal must name its author. */
import type { SourceId, Spot } from './origin.ts'
import type { Problem } from './problem.ts'

/** The level of a settings file. Lists of every level count together: deny always wins, allow lists intersect. */
export type Level = 'managed' | 'user' | 'local' | 'project'

export interface Policy {
  readonly deny: readonly ServerRule[]
  /** One for each file that has a non-empty list. */
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
  /** The agent whose settings contain it. Absent: Plugboard. */
  readonly source?: SourceId
}

export type ServerMatch =
  | { readonly kind: 'name'; readonly pattern: string }
  | { readonly kind: 'url'; readonly pattern: string }
  /** Exactly this command and these arguments. */
  | { readonly kind: 'command'; readonly argv: readonly string[] }
  /** Command and arguments joined by spaces, with `*`. */
  | { readonly kind: 'command-pattern'; readonly pattern: string }

/** The rule in a form that its author recognises. */
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
