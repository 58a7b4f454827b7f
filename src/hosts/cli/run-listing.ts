/**
 * run-listing: what one server offers, or all of them, for the commands that list it.
 *
 * out    the exit code: not ready counts as failed for servers that are `required`, and for all after `--wait`
 */
import type { Board } from '../../runtime/board.ts'
import { toProblemJson } from '../shared/problem-json.ts'
import type { CommandContext } from './command.ts'
import { DONE, exitCodeOf, FAILED } from './exit-codes.ts'
import { printJson, printLines, reportBeside } from './print.ts'
import { problemsOf, requireKnown, withBoard } from './with-board.ts'

/** Both get the name of the server, when one was given. */
export interface Listing {
  toJson(board: Board, only: string | undefined): object
  toText(board: Board, only: string | undefined): readonly string[]
}

/** Throws `cli/unknown-server`, and what kept the server that was named from being ready. */
export function runListing(context: CommandContext, { toJson, toText }: Listing): Promise<number> {
  const [name] = context.args
  const only = name === undefined ? {} : { only: [name] }
  return withBoard(context, { wait: 'known', ...only }, async (board) => {
    if (name !== undefined) {
      requireKnown(context, board, name)
      await board.connect(name)
    }
    const problems = problemsOf(board)
    if (context.json) {
      const readiness = toReadinessJson(board)
      printJson(context.terminal, {
        ...toJson(board, name),
        problems: problems.map(toProblemJson),
        readiness,
      })
    } else {
      printLines(context.terminal, toText(board, name))
      reportBeside(context, problems)
    }
    return readinessCode(context, board)
  })
}

/** Scripts must not go on as if a server they need were there. */
function readinessCode({ flags }: CommandContext, board: Board): number {
  const missing = board
    .readiness()
    .servers.filter(({ state, required }) => state !== 'ready' && (required || flags['wait'] === true))
  const [first] = missing
  if (first === undefined) return DONE
  return first.problem === undefined ? FAILED : exitCodeOf(first.problem)
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
