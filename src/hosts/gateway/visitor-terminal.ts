/**
 * visitor-terminal: the terminal of a command that runs here, while the user types in another process.
 *
 * in     what the visitor reported about its terminal, then its replies
 * out    messages that say what to print there
 */
import { isObject } from '../../base/is-object.ts'
import type { VisitorTerminal, Word } from '../../world/visit.ts'
import type { Terminal } from '../../world/world.ts'

export interface RemoteTerminal extends Terminal {
  /** Takes a line that followed the visit. */
  take(reply: unknown): void
  /** The visitor is gone: it expects no answer. */
  hangUp(): void
}

export function createVisitorTerminal(its: VisitorTerminal, say: (word: Word) => void): RemoteTerminal {
  const interrupts = new Set<() => void>()
  const pieces: string[] = []
  let onInput: (() => void) | undefined
  let hasEnded = false
  /** It came before the command listened. */
  let isUnheard = false
  const interrupt = (): void => {
    isUnheard = interrupts.size === 0
    for (const one of interrupts) one()
  }
  return {
    canAsk: its.canAsk,
    columns: its.columns,
    columnsBeside: its.columnsBeside,
    hasColor: its.hasColor,
    out: (text) => say({ say: 'out', text }),
    err: (text) => say({ say: 'err', text }),
    async input() {
      say({ say: 'input' })
      if (!hasEnded) await new Promise<void>((resolve) => (onInput = resolve))
      return pieces.join('')
    },
    onInterrupt(listener) {
      interrupts.add(listener)
      if (isUnheard) queueMicrotask(listener)
      isUnheard = false
      return () => void interrupts.delete(listener)
    },
    take(reply) {
      if (!isObject(reply)) return
      if (reply['interrupt'] === true) return interrupt()
      if (typeof reply['input'] === 'string') pieces.push(reply['input'])
      else if (reply['input'] === null) {
        hasEnded = true
        onInput?.()
      }
    },
    hangUp() {
      hasEnded = true
      onInput?.()
      interrupt()
    },
    // No command for a visitor uses any of these.
    inputWithin: async () => ({ kind: 'none' }),
    onInput: ({ onEnd }) => onEnd(),
    onTerminate: () => undefined,
    onTyped: () => () => undefined,
    choose: async () => undefined,
    ask: async () => undefined,
    edit: async () => undefined,
    size: () => ({ columns: its.columns ?? 80, rows: 24 }),
    onResize: () => () => undefined,
    onKeys: () => () => undefined,
  }
}
