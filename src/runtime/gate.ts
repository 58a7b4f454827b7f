/**
 * gate: how long opening a board takes.
 *
 * A host wants tools at once, and the right ones. So opening waits until all servers have settled, or for a moment, or
 * until every connecting server is at least known from last time. Hosts that cannot add tools later wait for unknown
 * servers, too; but not a second time in full when the first wait was in vain.
 */
import type { Clock } from '../world/world.ts'
import type { Supervisor } from './supervisor.ts'

export type Wait =
  /**
   * Until each server is ready, has failed, or is known: its offering, or, after a second chance, that a wait for it
   * was in vain. For the library and headless commands.
   */
  | 'known'
  /** For a moment only. For hosts that stay open. */
  | 'moment'
  /** Until each is ready or has failed. */
  | 'all'
  /** No wait. For commands that report each server when it is ready, or wait for one by themselves. */
  | 'none'

const MOMENT_MS = 250

/** For a server that the last wait did not get ready: most healthy servers are ready by then. */
const SECOND_CHANCE_MS = 750

export interface Gate {
  readonly supervisors: readonly Supervisor[]
  readonly clock: Clock
  readonly board: { on(event: 'change', listener: () => void): () => void }
}

export function passGate(
  { supervisors, clock, board }: Gate,
  { wait, deadlineMs }: { readonly wait: Wait; readonly deadlineMs: number | undefined },
): Promise<void> {
  return new Promise((resolve) => {
    if (wait === 'none') return resolve()
    let isMomentOver = false
    let isChanceOver = false
    const patience = wait === 'all' && deadlineMs !== undefined ? 'long' : 'short'
    const cancels: (() => void)[] = []
    const look = (): void => {
      const pending = supervisors.filter((one) => isPending(one, patience))
      const isKnown = (one: Supervisor): boolean =>
        one.offering !== undefined || (isChanceOver && one.wasLate())
      // A required server must be ready; to be known is not enough.
      const areKnown = pending.every((one) => one.server.required !== true && isKnown(one))
      const isEnough = wait !== 'all' && (areKnown || (wait === 'moment' && isMomentOver))
      if (pending.length === 0 || isEnough) open()
    }
    const open = (): void => {
      for (const cancel of cancels) cancel()
      resolve()
    }
    cancels.push(
      board.on('change', look),
      clock.after(MOMENT_MS, () => {
        isMomentOver = true
        look()
      }),
      clock.after(SECOND_CHANCE_MS, () => {
        isChanceOver = true
        look()
      }),
    )
    if (deadlineMs !== undefined) cancels.push(clock.after(deadlineMs, open))
    look()
  })
}

/** The server may still become ready: in its first try or, for hosts that set how long they wait, in any try. */
function isPending({ connection: { state } }: Supervisor, patience: 'short' | 'long'): boolean {
  return state === 'connecting' || (patience === 'long' && state === 'waiting')
}
