/** problem: every failure, in a form that a host can show. `problem/` makes them. */
import type { Scope, SourceId, Spot } from './origin.ts'

export interface Problem {
  /** Stable, `stage/what`. */
  readonly code: string
  readonly severity: 'error' | 'warning' | 'info'
  /** One lower-case clause without a full stop; literals in backticks. */
  readonly message: string
  readonly where?: Where
  /** Lines below the place: who decided, what still works. */
  readonly notes: readonly string[]
  /** One step each, which the user can take now; three at most. */
  readonly hints: readonly string[]
}

/** The place at fault, and its owner. */
export interface Where extends Spot {
  readonly source?: SourceId
  readonly scope?: Scope
  readonly server?: string
  readonly excerpt?: Excerpt
  /** A note already names the place, as that of the decision. */
  readonly isNamed?: true
}

/** One line of the file and the part of it that is wrong. String values that may be secrets are already masked. */
export interface Excerpt {
  readonly text: string
  /** From 1. */
  readonly column: number
  readonly length: number
}
