/**
 * board-events: what a board tells those who listen to it.
 */
import { tell } from '../base/tell.ts'
import type { BoardNotification } from './board-notification.ts'
import type { ReloadSummary } from './reload.ts'
import type { ResourceChange } from './subscriptions.ts'

/** All that happened in one turn: a host drops what it made of the old state once. */
export interface BoardChange {
  /** Those that are not as they were, in any respect. */
  readonly servers: readonly string[]
  /** Whether the list of tools, or of our own ones, is another one than before. */
  readonly tools: boolean
  /** Whether `systemPromptSection()` is another one than before. */
  readonly section: boolean
}

export interface BoardReload {
  /** What was other than before. */
  readonly files: readonly string[]
  /** What came of it for the servers. */
  readonly summary: ReloadSummary
}

export interface BoardEvents {
  readonly change: BoardChange
  readonly notification: BoardNotification
  readonly resource: ResourceChange
  /** Files changed and were read again, by itself (`watch`). */
  readonly reload: BoardReload
}

type ListenersOf = { readonly [Event in keyof BoardEvents]: Set<(told: BoardEvents[Event]) => void> }

export class Listeners {
  readonly #of: ListenersOf = {
    change: new Set(),
    notification: new Set(),
    resource: new Set(),
    reload: new Set(),
  }

  /** The answer takes the listener away. */
  on<Event extends keyof BoardEvents>(
    event: Event,
    listener: (told: BoardEvents[Event]) => void,
  ): () => void {
    const listeners: Set<typeof listener> = this.#of[event]
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  /** One that throws keeps nothing from the others. */
  tell<Event extends keyof BoardEvents>(event: Event, told: BoardEvents[Event]): void {
    const listeners: Set<(told: BoardEvents[Event]) => void> = this.#of[event]
    for (const listener of listeners) tell(() => listener(told))
  }
}
