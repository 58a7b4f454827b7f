/**
 * ended: for commands that stay until somebody ends them.
 */
import type { CommandContext } from './command.ts'
import { DONE, INTERRUPTED } from './exit-codes.ts'

/** Ctrl-C, or the wish of whoever looks after this process. */
export function ended({ terminal }: CommandContext): Promise<number> {
  return new Promise((resolve) => {
    terminal.onInterrupt(() => resolve(INTERRUPTED))
    terminal.onTerminate(() => resolve(DONE))
  })
}
