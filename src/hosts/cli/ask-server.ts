/**
 * ask-server: one request to one server, for commands that need nothing else.
 */
import type { Params, Result } from '../../model/message.ts'
import type { Offering } from '../../model/offering.ts'
import { SessionError } from '../../model/session.ts'
import { createProblem, ProblemError } from '../../problem/problem.ts'
import { denyReading, type Reading } from '../../runtime/permit-reading.ts'
import type { CommandContext } from './command.ts'
import { requireKnown, withBoard } from './with-board.ts'

export interface Question {
  readonly method: string
  /** What a model would need for it: what the rules deny to everyone, they deny to the user too. */
  readonly as: Reading
  /** Parameters that fit the server's offering. Throws the fault in the command line. */
  params(offering: Offering | undefined): Params
  /** What to do when the server refuses the request. */
  hints(offering: Offering | undefined): readonly string[]
}

/** Throws `cli/unknown-server`, `permit/denied`, the problem that keeps the server from being ready, `call/failed`. */
export function ask(context: CommandContext, server: string, question: Question): Promise<Result> {
  return withBoard(context, { only: [server], wait: 'none' }, async (board) => {
    requireKnown(context, board, server)
    const said = (await board.permissions()).current()
    const no = denyReading(said, { tool: question.as, server }, context.world.platform)
    if (no !== undefined) throw new ProblemError(no)
    await board.connect(server)
    const offering = board.snapshot().servers.find(({ name }) => name === server)?.offering
    const params = question.params(offering)
    try {
      return await board.request(server, question.method, params)
    } catch (error) {
      if (!(error instanceof SessionError)) throw error
      throw toProblem(error, { server, method: question.method, hints: question.hints(offering) })
    }
  })
}

function toProblem(
  error: SessionError,
  {
    server,
    method,
    hints,
  }: { readonly server: string; readonly method: string; readonly hints: readonly string[] },
): ProblemError {
  const { failure } = error
  if (failure.kind !== 'rpc') {
    const message = `\`${server}\` did not answer \`${method}\`: ${error.message}`
    return new ProblemError(createProblem({ code: 'call/failed', message }))
  }
  const { code, message: words } = failure.error
  return new ProblemError(
    createProblem({
      code: 'call/failed',
      message: `\`${server}\` refused \`${method}\`: error ${code}`,
      notes: words === '' ? [] : [`it said: "${words.replace(/\s+/g, ' ').slice(0, 300)}"`],
      hints,
    }),
  )
}
