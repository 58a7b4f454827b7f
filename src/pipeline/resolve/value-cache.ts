/**
 * value-cache: keeps the results of value commands while the process lives.
 *
 * in     a key for the command, and a function that runs it
 * out    its outcome; callers that arrive during a run share that run
 * never  keeps a failure: the user may unlock the vault and try again
 */
import type { ShellOutcome } from '../../world/world.ts'

export interface ValueCache {
  get(key: string, run: () => Promise<ShellOutcome>): Promise<ShellOutcome>
}

export function createValueCache(): ValueCache {
  const runs = new Map<string, Promise<ShellOutcome>>()
  return {
    get(key, run) {
      const before = runs.get(key)
      if (before !== undefined) return before
      const running = run().then((outcome) => {
        if (!hasAnswer(outcome)) runs.delete(key)
        return outcome
      })
      runs.set(key, running)
      return running
    },
  }
}

/** It succeeded and printed something. */
export function hasAnswer({ stdout, exitCode, timedOut }: ShellOutcome): boolean {
  return exitCode === 0 && !timedOut && stdout.trim() !== ''
}
