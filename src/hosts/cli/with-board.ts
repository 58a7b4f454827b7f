/**
 * with-board: opens a board for one command, or uses the board of the gateway that runs the command.
 *
 * never  leaves a server running after the command, however the command ends
 */
import type { Problem } from '../../model/problem.ts'
import { ProblemError } from '../../problem/problem.ts'
import { notConnectable, notReady } from '../../runtime/board-problems.ts'
import { openBoard, type Board, type BoardOptions } from '../../runtime/board.ts'
import { showInstallations } from '../shared/installation-line.ts'
import type { CommandContext } from './command.ts'
import { badNumber } from './problems.ts'
import { unknownServer } from './unknown-server.ts'

type Options = Pick<BoardOptions, 'only' | 'wait' | 'maxResultTokens' | 'onInstallation'>

export async function withBoard<T>(
  context: CommandContext,
  options: Options,
  use: (board: Board) => Promise<T>,
): Promise<T> {
  const how = {
    ...options,
    ...(context.flags['wait'] === true ? { wait: 'all' as const } : {}),
    deadlineMs: readMs(context, 'deadline'),
  }
  if (context.visit !== undefined) {
    await using visited = await context.visit(how)
    return await use(visited)
  }
  const installations = showInstallations(context.terminal)
  await using board = await openBoard(context.world, {
    onInstallation: installations.tell,
    ...how,
    load: () => context.load({ connectors: 'fetch' }),
    client: { name: 'plugboard', version: context.version },
    stay: 'once',
    words: 'command',
  })
  installations.clear()
  return await use(board)
}

/** Reads a flag in milliseconds, such as `--deadline`. Throws `cli/bad-number`. */
export function readMs({ flags }: CommandContext, flag: string): number | undefined {
  const given = flags[flag]
  if (typeof given !== 'string') return undefined
  const ms = Number(given)
  if (!Number.isFinite(ms) || ms < 0) throw new ProblemError(badNumber(flag, 'milliseconds', given))
  return ms
}

/** Throws `cli/unknown-server`, or the reason why a declared server does not run. */
export function requireKnown(context: CommandContext, board: Board, name: string): void {
  const { catalog } = board.snapshot()
  const isKnown = catalog.entries.some(({ entry }) => entry.found.name === name)
  if (!isKnown) throw new ProblemError(unknownServer(name, catalog, context.world))
}

/** As `requireKnown`. Also throws the problem that keeps the server from being ready now. */
export function requireReady(context: CommandContext, board: Board, name: string): void {
  requireKnown(context, board, name)
  const { servers, catalog } = board.snapshot()
  const server = servers.find((one) => one.name === name)
  if (server === undefined) {
    const entry = catalog.entries.find(({ entry }) => entry.found.name === name)!
    throw new ProblemError(notConnectable(entry, 'command'))
  }
  const { connection } = server
  if (connection.state === 'ready') return
  const { waitedMs } = board.readiness()
  throw new ProblemError('problem' in connection ? connection.problem : notReady(name, waitedMs))
}

/** The problems that kept servers from being ready, and all others. */
export function problemsOf(board: Board): readonly Problem[] {
  const { servers, problems } = board.snapshot()
  return [
    ...problems,
    ...servers.flatMap(({ connection, offering, warnings }) => [
      ...('problem' in connection ? [connection.problem] : []),
      ...(offering?.problems ?? []),
      ...warnings,
    ]),
  ]
}
