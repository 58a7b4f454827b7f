/**
 * approve: let servers of this project run.
 *
 * On a terminal each is shown and asked about. Without one, `--yes` is the answer, for one server at a time or for all:
 * they are shown all the same, so that a log says what was approved.
 */
import { toPrintable } from '../../../../base/printable.ts'
import type { Problem } from '../../../../model/problem.ts'
import { createProblem, ProblemError } from '../../../../problem/problem.ts'
import type { LoadedCatalog } from '../../../../runtime/load-catalog.ts'
import {
  decideAsShown,
  requireQuestions,
  waitingQuestions,
  type TrustQuestion,
} from '../../../../runtime/trust.ts'
import { settleTrust, TRUST_TITLE, trustChoices } from '../../../shared/settle-trust.ts'
import { showFolder } from '../../../shared/show-path.ts'
import type { Form } from '../../../shared/shorten.ts'
import { rulesNote, showQuestion, WARNING } from '../../../shared/trust-question.ts'
import type { CommandContext } from '../../command.ts'
import { DONE, FAILED, INTERRUPTED } from '../../exit-codes.ts'
import { printJson, reportProblems, viewOf } from '../../print.ts'

export async function run(context: CommandContext): Promise<number> {
  const { terminal, flags, json } = context
  const loaded = await context.load()
  const isAsked = terminal.canAsk && flags['yes'] !== true && !json
  const questions = findQuestions(context, loaded, isAsked)
  if (questions.length === 0) {
    terminal.out(json ? '{"decided":[]}\n' : 'nothing waits for your approval in this project\n')
    return DONE
  }
  if (!json) terminal.err([WARNING, ...rulesNote(loaded, context.world)].join('\n') + '\n')
  return isAsked ? askEach(context, questions, 'short') : approveAll(context, loaded, questions)
}

/** The servers named; without names, all that wait. Throws `trust/nothing-named` where nobody will be asked. */
function findQuestions(
  { flags, args }: CommandContext,
  loaded: LoadedCatalog,
  isAsked: boolean,
): readonly TrustQuestion[] {
  if (args.length > 0) return args.flatMap((name) => requireQuestions(loaded, name))
  const waiting = waitingQuestions(loaded)
  if (waiting.length > 0 && !isAsked && flags['all'] !== true) throw new ProblemError(nothingNamed(waiting))
  return waiting
}

async function approveAll(
  context: CommandContext,
  { project }: LoadedCatalog,
  questions: readonly TrustQuestion[],
): Promise<number> {
  const { world, terminal, json } = context
  const view = { ...viewOf(context), form: 'whole' } as const
  if (!json) for (const question of questions) terminal.out(`\n${showQuestion(question, view)}\n`)
  await decideAsShown(world, await context.load(), { decision: 'approved', shown: questions })
  if (json)
    printJson(terminal, { decided: questions.map(({ name }) => ({ server: name, decision: 'approved' })) })
  else {
    const names = [...new Set(questions.map(({ name }) => `\`${toPrintable(name)}\``))].join(', ')
    terminal.out(`\napproved ${names} for ${showFolder(project.realRoot, world)}\n`)
  }
  return DONE
}

async function askEach(
  context: CommandContext,
  questions: readonly TrustQuestion[],
  form: Form,
): Promise<number> {
  const { world, terminal } = context
  let code = DONE
  for (const question of questions) {
    const answer = await settleTrust(
      {
        world,
        load: () => context.load(),
        tell: (problem) => reportProblems(terminal, [problem], world),
        ask(shown, how) {
          const view = { ...viewOf(context), ...how }
          terminal.out(`\n${showQuestion(shown, view)}\n`)
          return terminal.choose(TRUST_TITLE, trustChoices(shown, view))
        },
      },
      question,
      form,
    )
    if (answer === undefined) return INTERRUPTED
    if (answer === 'gone') code = FAILED
  }
  return code
}

function nothingNamed(waiting: readonly TrustQuestion[]): Problem {
  return createProblem({
    code: 'trust/nothing-named',
    message: 'nobody is asked here, so the servers to approve must be named',
    notes: [`waiting: ${[...new Set(waiting.map(({ name }) => name))].join(', ')}`],
    hints: [
      'name them: `plugboard trust approve <server>`',
      'or approve all that wait: `plugboard trust approve --all`',
    ],
  })
}
