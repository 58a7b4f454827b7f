/**
 * ended: waits for the end of a command that runs until it is stopped.
 */
import type { OpenServing } from '../shared/gateway-host.ts'
import type { CommandContext } from './command.ts'
import { DONE, INTERRUPTED } from './exit-codes.ts'
import type { EndOptions } from './serve-options.ts'

/**
 * Ctrl-C ends the command at once. SIGTERM, for example from a service manager, lets it finish its work first. A second
 * SIGTERM has no handler, so the system ends the process.
 */
export function ended({ terminal }: CommandContext, finish: () => Promise<void>): Promise<number> {
  return new Promise((resolve) => {
    terminal.onInterrupt(() => resolve(INTERRUPTED))
    terminal.onTerminate(() => void finish().then(() => resolve(DONE)))
  })
}

/** First load balancers learn to send clients elsewhere; then running calls finish. */
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
