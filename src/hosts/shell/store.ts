/** store: holds the state of the shell. Events change it, and the store carries out the effects. */
import type { Effect, ShellEvent, ShellState } from './state.ts'
import { step } from './step.ts'

export interface Store {
  state(): ShellState
  send(event: ShellEvent): void
  /** The returned function removes the listener. */
  onChange(listener: () => void): () => void
}

export function createStore(first: ShellState, perform: (effect: Effect) => void): Store {
  let state = first
  const listeners = new Set<() => void>()
  return {
    state: () => state,
    send(event) {
      const [next, ...effects] = step(state, event)
      const isOther = next !== state
      state = next
      if (isOther) for (const listener of listeners) listener()
      // After the listeners: events that an effect sends must come after the event that caused it.
      for (const effect of effects) perform(effect)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
