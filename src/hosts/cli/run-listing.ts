/**
 * run-listing: lists what one server offers, or all of them.
 *
 * out    the exit code: a server that is not ready counts as failed if it is `required`, and always with `--wait`
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

/** Both functions get the name of the server, if the line has one. */
export interface Listing {
  toJson(board: Board, only: string | undefined): object
  toText(board: Board, only: string | undefined): readonly string[]
}

/** Throws `cli/unknown-server`, and the problem that keeps the named server from being ready. */
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

/** Only for servers that are still connecting: the state of all others contains the problem. */
function problemOfStarting(
  { name, state, problem, absence }: ServerReadiness,
  waitedMs: number,
): readonly Problem[] {
  if (state !== 'connecting') return []
  if (problem !== undefined) return [problem]
  return absence === 'late' || absence === 'slow' ? [notHere(name, waitedMs, absence)] : []
}

/** Servers that had to be ready and are not: a script must not continue as if they were. */
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
