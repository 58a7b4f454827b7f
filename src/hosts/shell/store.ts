/**
 * store: holds the state of the shell, has it changed by what happens, and has done what follows from that.
 */
import type { Effect, ShellEvent, ShellState } from './state.ts'
import { step } from './step.ts'

export interface Store {
  state(): ShellState
  send(event: ShellEvent): void
  /** The answer takes the listener away. */
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
      // Behind the listeners: what an effect sends comes after what it follows from.
      for (const effect of effects) perform(effect)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
