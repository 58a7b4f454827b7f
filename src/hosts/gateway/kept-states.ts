/**
 * kept-states: keeps what each of our `requestState` values stands for, until its client returns with it.
 *
 * in     a call that waits for its client, or a permission for one call
 * out    a name that cannot be guessed, valid for one answer
 * never  keeps anything for a client that does not return in time; keeps more than `MAX_KEPT` for one holder
 */
import type { World } from '../../world/world.ts'
import type { SuspendedCall } from './suspended-call.ts'

/** How long a client may take to return with an answer. */
const PATIENCE_MS = 10 * 60_000

/** Limit for one holder at a time. Beyond it, the oldest state is given up. */
export const MAX_KEPT = 200

/** The prefix of our own states. All others belong to a server. */
const MARK = 'plugboard.'

export type Kept =
  | { readonly kind: 'call'; readonly call: SuspendedCall }
  /** The permission for one call, and the state that the server wants back. */
  | { readonly kind: 'permission'; readonly state: unknown; readonly about: string }

interface Entry {
  readonly what: Kept
  readonly holder: string
  readonly cancel: () => void
}

export class KeptStates {
  readonly #world: Pick<World, 'clock' | 'keys'>
  readonly #kept = new Map<string, Entry>()

  constructor(world: Pick<World, 'clock' | 'keys'>) {
    this.#world = world
  }

  keep(what: Kept, holder: string): string {
    const theirs = [...this.#kept].filter(([, one]) => one.holder === holder)
    if (theirs.length >= MAX_KEPT) {
      const oldest = this.take(theirs[0]![0])
      if (oldest?.kind === 'call') oldest.call.abandon()
    }
    const state = MARK + this.#world.keys.random(32)
    const cancel = this.#world.clock.after(PATIENCE_MS, () => {
      this.#kept.delete(state)
      if (what.kind === 'call') what.call.abandon()
    })
    this.#kept.set(state, { what, holder, cancel })
    return state
  }

  /** Each state is valid for one answer. */
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
