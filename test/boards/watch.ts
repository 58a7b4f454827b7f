/**
 * watch: waiting for what a board or a process comes to, and no longer than a test may take.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from '../../src/model/connection.ts'
import type { Problem } from '../../src/model/problem.ts'
import type { Board } from '../../src/runtime/board.ts'
import { ProblemError } from '../../src/problem/problem.ts'
import { isAlive } from './open.ts'

const LIMIT_MS = 15_000

/** Settles when the condition holds; it is looked at with every change of the board. */
export async function until(board: Board, isSo: () => boolean, limitMs = LIMIT_MS): Promise<void> {
  if (isSo()) return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const states = (): string => JSON.stringify(board.readiness().servers.map(({ name, state }) => [name, state]))
  const timer = setTimeout(() => reject(new Error(`not so after ${limitMs} ms: ${states()}`)), limitMs)
  const stop = board.on('change', () => isSo() && resolve())
  await promise.finally(() => {
    clearTimeout(timer)
    stop()
  })
}
