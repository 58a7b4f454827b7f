/**
 * ask-server: one request to one server, for commands that need nothing else.
 */
import type { Params, Result } from '../../model/message.ts'
import { SessionError } from '../../model/session.ts'
import { createProblem, ProblemError } from '../../problem/problem.ts'
import type { CommandContext } from './command.ts'
import { requireKnown, withBoard } from './with-board.ts'

/** Throws `cli/unknown-server`, what kept the server from being ready, `call/failed`. */
export function ask(
  context: CommandContext,
  server: string,
  { method, params }: { readonly method: string; readonly params: Params },
): Promise<Result> {
  return withBoard(context, { only: [server], wait: 'moment' }, async (board) => {
    requireKnown(context, board, server)
    try {
      return await board.request(server, method, params)
    } catch (error) {
      if (!(error instanceof SessionError)) throw error
      const { failure } = error
      const words = failure.kind === 'rpc' ? failure.error.message : undefined
      throw new ProblemError(
        createProblem({
          code: 'call/failed',
          message:
            failure.kind === 'rpc'
              ? `\`${server}\` refused \`${method}\`: error ${failure.error.code}`
              : `\`${server}\` did not answer \`${method}\`: ${error.message}`,
          notes:
            words === undefined || words === ''
              ? []
              : [`it said: "${words.replace(/\s+/g, ' ').slice(0, 300)}"`],
        }),
      )
    }
  })
}
