/**
 * approve: lets servers of this project run.
 *
 * On a terminal, the command shows each server and asks. Without one, `--yes` is the answer, for one server or for all.
 * The servers are still shown, so that a log says what was approved.
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
  const { terminal, world, flags, json } = context
  const names = new Set(context.args)
  const loaded = await context.load()
  const questions =
    names.size > 0 ? [...names].flatMap((name) => requireQuestions(loaded, name)) : waitingQuestions(loaded)
  if (questions.length === 0) {
    terminal.out(json ? '{"decided":[]}\n' : 'nothing waits for your approval in this project\n')
    return DONE
  }
  const isAsked = terminal.canAsk && flags['yes'] !== true && !json
  const refusal = isAsked ? undefined : findRefusal(context, names, questions)
  if (refusal !== undefined) throw new ProblemError(refusal)
  const form = flags['verbose'] === true ? 'whole' : 'short'
  if (!json) terminal.err([WARNING, ...rulesNote(loaded, world, isAsked ? form : 'whole')].join('\n') + '\n')
  return isAsked ? askEach(context, questions, form) : approveAll(context, loaded, questions)
}

/** Without a question, the command line must decide everything. */
function findRefusal(
  { flags }: CommandContext,
  names: ReadonlySet<string>,
  questions: readonly TrustQuestion[],
): Problem | undefined {
  if (names.size !== 1 && flags['all'] !== true) return oneAtATime(questions)
  return flags['yes'] === true ? undefined : needsYes
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
        report: (problem) => reportProblems(terminal, [problem], world),
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

const TO_LOOK = 'to see what each would run, run `plugboard trust`'

function oneAtATime(questions: readonly TrustQuestion[]): Problem {
  const names = [...new Set(questions.map(({ name }) => name))]
  return createProblem({
    code: 'trust/one-at-a-time',
    message: 'without a question, `plugboard trust approve` takes one server at a time',
    notes: [`these would be approved: ${names.join(', ')}`, 'with `--all` it takes them all'],
    hints: [TO_LOOK],
  })
}

const needsYes = createProblem({
  code: 'trust/needs-yes',
  message: '`plugboard trust approve` asks on a terminal; without one, or with `--json`, it needs `--yes`',
  hints: [TO_LOOK],
})
