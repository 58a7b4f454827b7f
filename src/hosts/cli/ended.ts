/**
 * ended: for commands that stay until somebody ends them.
 */
import type { CommandContext } from './command.ts'
import { DONE, INTERRUPTED } from './exit-codes.ts'

/**
 * Ctrl-C ends it at once. Whoever looks after this process asks it to end, and it finishes what it does before; the second
 * time nobody listens any more, and the system ends it.
 */
export function ended({ terminal }: CommandContext, finish: () => Promise<void>): Promise<number> {
  return new Promise((resolve) => {
    terminal.onInterrupt(() => resolve(INTERRUPTED))
    terminal.onTerminate(() => void finish().then(() => resolve(DONE)))
  })
}
