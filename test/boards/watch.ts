/**
 * watch: waiting for what a board or a process comes to, no longer than a test may take.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from '../../src/model/connection.ts'
import type { Problem } from '../../src/model/problem.ts'
import type { RequestOptions } from '../../src/model/session.ts'
import { ProblemError } from '../../src/problem/problem.ts'
import type { Board } from '../../src/runtime/board.ts'
import { isAlive } from './open.ts'

const LIMIT_MS = 15_000

/** Settles when the condition holds; it is looked at with every change of the board. */
export async function until(board: Board, isSo: () => boolean): Promise<void> {
  if (isSo()) return
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      stop()
      reject(new Error(`not so after ${LIMIT_MS} ms: ${JSON.stringify(board.snapshot().servers)}`))
    }, LIMIT_MS)
    const stop = board.on('change', () => {
      if (!isSo()) return
      clearTimeout(timer)
      stop()
      resolve()
    })
  })
}

/** The connection of a server, once it is in this state. */
export async function untilState<S extends Connection['state']>(
  board: Board,
  server: string,
  state: S,
): Promise<Extract<Connection, { state: S }>> {
  await until(board, () => connectionOf(board, server).state === state)
  return connectionOf(board, server) as Extract<Connection, { state: S }>
}

export function connectionOf(board: Board, server: string): Connection {
  return board.snapshot().servers.find(({ name }) => name === server)!.connection
}

/** What the server's tool says. */
export async function call(
  board: Board,
  server: string,
  [name, args = {}, options]: readonly [string, object?, RequestOptions?],
): Promise<string> {
  const result = await board.request(server, 'tools/call', { name, arguments: args }, options)
  return (result['content'] as { readonly text: string }[])[0]!.text
}

/** The problem that something is refused with. */
export async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof ProblemError) return error.problem
  throw new Error(`no problem, but ${String(error)}`)
}

/** The processes that are still there after so long; nobody tells of the end of a stranger's child. */
export async function leftOf(pids: readonly number[], withinMs: number): Promise<readonly number[]> {
  const limit = Date.now() + withinMs
  while (pids.some(isAlive) && Date.now() < limit) await pause(20)
  return pids.filter(isAlive)
}
