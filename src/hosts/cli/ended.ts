/**
 * ended: for commands that stay until somebody ends them.
 */
import type { OpenServing } from '../shared/gateway-host.ts'
import type { CommandContext } from './command.ts'
import { DONE, INTERRUPTED } from './exit-codes.ts'
import type { EndOptions } from './serve-options.ts'

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

/** First whoever sends clients here learns to send them elsewhere; then calls under way finish. */
export async function finishServing(
  { terminal, world }: CommandContext,
  serving: Pick<OpenServing, 'announceEnd' | 'drain'>,
  { lameDuckMs, limitMs }: EndOptions,
): Promise<void> {
  serving.announceEnd()
  if (lameDuckMs > 0) {
    terminal.err(
      `asked to end: \`/readyz\` says no from now on, and for ${lameDuckMs / 1000} s everything else goes on\n`,
    )
    await new Promise<void>((resolve) => void world.clock.after(lameDuckMs, resolve))
  }
  await serving.drain(limitMs)
}
