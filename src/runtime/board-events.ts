/**
 * board-events: the events of a board.
 */
import { tell } from '../base/tell.ts'
import type { BoardNotification } from './board-notification.ts'
import type { ReloadSummary } from './reload.ts'
import type { ResourceChange } from './subscriptions.ts'

/** All changes of one turn, so that a host drops what it made of the old state once. */
export interface BoardChange {
  /** The servers that changed in any respect. */
  readonly servers: readonly string[]
  /** Whether the list of tools, or of built-in tools, changed. */
  readonly tools: boolean
  /** Whether `systemPromptSection()` changed. */
  readonly section: boolean
}

export interface BoardReload {
  /** The files that changed. */
  readonly files: readonly string[]
  /** What the reload did to the servers. */
  readonly summary: ReloadSummary
}

export interface BoardEvents {
  readonly change: BoardChange
  readonly notification: BoardNotification
  readonly resource: ResourceChange
  /** Files changed and the board read them again by itself (`watch`). */
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

  /** The returned function removes the listener. */
  on<Event extends keyof BoardEvents>(
    event: Event,
    listener: (told: BoardEvents[Event]) => void,
  ): () => void {
    const listeners: Set<typeof listener> = this.#of[event]
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  /** A listener that throws does not stop the other listeners. */
  tell<Event extends keyof BoardEvents>(event: Event, told: BoardEvents[Event]): void {
    const listeners: Set<(told: BoardEvents[Event]) => void> = this.#of[event]
    for (const listener of listeners) tell(() => listener(told))
  }
}
