/**
 * kept-states: what a `requestState` of ours stands for, until its client comes back with it.
 *
 * in     a call that waits for its client, or a yes for one call
 * out    a name that nobody can guess, good for one answer
 * never  keeps anything for somebody who does not come back
 */
import type { World } from '../../world/world.ts'
import type { SuspendedCall } from './suspended-call.ts'

/** How long a client may take to come back with an answer. */
const PATIENCE_MS = 10 * 60_000

/** States of ours begin so; all others are a server's own. */
const MARK = 'plugboard.'

export type Kept =
  | { readonly kind: 'call'; readonly call: SuspendedCall }
  /** A yes for one call, and what the server wants back. */
  | { readonly kind: 'permission'; readonly state: unknown; readonly about: string }

export class KeptStates {
  readonly #world: Pick<World, 'clock' | 'keys'>
  readonly #kept = new Map<string, { readonly what: Kept; readonly cancel: () => void }>()

  constructor(world: Pick<World, 'clock' | 'keys'>) {
    this.#world = world
  }

  keep(what: Kept): string {
    const state = MARK + this.#world.keys.random(32)
    const cancel = this.#world.clock.after(PATIENCE_MS, () => {
      this.#kept.delete(state)
      if (what.kind === 'call') what.call.abandon()
    })
    this.#kept.set(state, { what, cancel })
    return state
  }

  /** Each state is good for one answer. */
  take(state: string): Kept | undefined {
    const kept = this.#kept.get(state)
    this.#kept.delete(state)
    kept?.cancel()
    return kept?.what
  }

  close(): void {
    for (const { what, cancel } of this.#kept.values()) {
      cancel()
      if (what.kind === 'call') what.call.abandon()
    }
    this.#kept.clear()
  }
}

export function isOurs(state: unknown): state is string {
  return typeof state === 'string' && state.startsWith(MARK)
}
