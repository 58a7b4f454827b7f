/**
 * run-listing: what one server offers, or all of them, for the commands that list it.
 *
 * out    the exit code: not ready counts as failed for servers that are `required`, and for all after `--wait`
 */
import type { Problem } from '../../model/problem.ts'
import { notHere, notReady } from '../../runtime/board-problems.ts'
import type { Board } from '../../runtime/board.ts'
import type { ServerReadiness } from '../../runtime/readiness.ts'
import { toProblemJson } from '../shared/problem-json.ts'
import type { CommandContext } from './command.ts'
import { DONE, exitCodeOf, FAILED } from './exit-codes.ts'
import { printJson, printLines, reportBeside } from './print.ts'
import { problemsOf, requireReady, withBoard } from './with-board.ts'

/** Both get the name of the server, when one was given. */
export interface Listing {
  toJson(board: Board, only: string | undefined): object
  toText(board: Board, only: string | undefined): readonly string[]
}

/** Throws `cli/unknown-server`, and what kept the server that was named from being ready. */
export function runListing(context: CommandContext, { toJson, toText }: Listing): Promise<number> {
  const [name] = context.args
  const options = name === undefined ? { wait: 'known' as const } : { wait: 'all' as const, only: [name] }
  return withBoard(context, options, async (board) => {
    if (name !== undefined) requireReady(context, board, name)
    const missing = findMissing(context, board)
    const { waitedMs, servers } = board.readiness()
    const unready = missing.filter(({ problem }) => problem === undefined)
    const others = servers.filter((one) => !unready.some((another) => another.name === one.name))
    const problems = [
      ...problemsOf(board),
      ...unready.map((one) => notReady(one.name, waitedMs)),
      ...others.flatMap((one) => problemOfStarting(one, waitedMs)),
    ]
    if (context.json) {
      const readiness = { ...toReadinessJson(board), ok: missing.length === 0 }
      printJson(context.terminal, {
        ...toJson(board, name),
        problems: problems.map(toProblemJson),
        readiness,
      })
    } else {
      printLines(context.terminal, toText(board, name))
      reportBeside(context, problems)
    }
    const [first] = missing
    if (first === undefined) return DONE
    return first.problem === undefined ? FAILED : exitCodeOf(first.problem)
  })
}

/** What is not said of it anywhere else: of others, their state has the problem. */
function problemOfStarting(
  { name, state, problem, absence }: ServerReadiness,
  waitedMs: number,
): readonly Problem[] {
  if (state !== 'connecting') return []
  if (problem !== undefined) return [problem]
  return absence === 'late' || absence === 'slow' ? [notHere(name, waitedMs, absence)] : []
}

/** Servers that had to be ready and are not: scripts must not go on as if they were. */
function findMissing({ flags }: CommandContext, board: Board): readonly ServerReadiness[] {
  const asked = board.readiness().servers.filter(({ state }) => state !== 'idle')
  return asked.filter(({ state, required }) => state !== 'ready' && (required || flags['wait'] === true))
}

function toReadinessJson(board: Board): object {
  const { servers, ...rest } = board.readiness()
  return {
    ...rest,
    servers: servers.map(({ problem, ...server }) => ({
      ...server,
      ...(problem === undefined ? {} : { problem: toProblemJson(problem) }),
    })),
  }
}
