/**
 * approve: let servers of this project run.
 *
 * On a terminal each is shown and asked about. Without one, naming a server (or `--all`) is the answer: it is shown all
 * the same, so that a log says what was approved.
 */
import type { TrustDecision } from '../../../../model/trust.ts'
import { toPrintable } from '../../../../base/printable.ts'
import { createProblem, ProblemError } from '../../../../problem/problem.ts'
import type { LoadedCatalog } from '../../../../runtime/load-catalog.ts'
import { decide, requireQuestions, trustQuestions, type TrustQuestion } from '../../../../runtime/trust.ts'
import { showFolder } from '../../../shared/show-path.ts'
import type { CommandContext } from '../../command.ts'
import { DONE, INTERRUPTED } from '../../exit-codes.ts'
import { printJson, viewOf } from '../../print.ts'
import { rulesNote, showQuestion, WARNING } from '../../../shared/trust-question.ts'

export async function run(context: CommandContext): Promise<number> {
  const { terminal, flags, json } = context
  const loaded = await context.load()
  const mustAsk = terminal.canAsk && flags['yes'] !== true && !json
  const questions = findQuestions(context, loaded, mustAsk)
  if (questions.length === 0) {
    terminal.out(json ? '{"decided":[]}\n' : 'nothing waits for your approval in this project\n')
    return DONE
  }
  if (!json) terminal.err([WARNING, ...rulesNote(loaded, context.world)].join('\n') + '\n')
  return mustAsk ? askEach(context, loaded, questions) : approveAll(context, loaded, questions)
}

/** The servers named; without names, all that wait. Throws `trust/nothing-named` where nobody will be asked. */
function findQuestions(
  { flags, args }: CommandContext,
  loaded: LoadedCatalog,
  mustAsk: boolean,
): readonly TrustQuestion[] {
  if (args.length > 0) return args.flatMap((name) => requireQuestions(loaded, name))
  const waiting = trustQuestions(loaded).filter(({ entry }) => entry.fate.kind === 'untrusted')
  if (waiting.length > 0 && !mustAsk && flags['all'] !== true) throw new ProblemError(nothingNamed(waiting))
  return waiting
}

async function approveAll(
  context: CommandContext,
  loaded: LoadedCatalog,
  questions: readonly TrustQuestion[],
): Promise<number> {
  const { world, terminal, json } = context
  await decide(world, loaded, 'approved', questions)
  if (json)
    printJson(terminal, { decided: questions.map(({ name }) => ({ server: name, decision: 'approved' })) })
  else {
    // A log has all of it.
    const view = { ...viewOf(context), form: 'whole' } as const
    for (const question of questions) terminal.out(`\n${showQuestion(question, view)}\n`)
    const names = [...new Set(questions.map(({ name }) => `\`${toPrintable(name)}\``))].join(', ')
    terminal.out(`\napproved ${names} for ${showFolder(loaded.project.realRoot, world)}\n`)
  }
  return DONE
}

type Answer = TrustDecision['decision'] | 'later'

async function askEach(
  context: CommandContext,
  loaded: LoadedCatalog,
  questions: readonly TrustQuestion[],
): Promise<number> {
  const { world, terminal } = context
  for (const question of questions) {
    terminal.out(`\n${showQuestion(question, viewOf(context))}\n`)
    const answer = await terminal.choose<Answer>('May it run in this project?', [
      { value: 'later', label: 'not now', hint: 'ask again next time' },
      { value: 'approved', label: 'yes', hint: 'until it changes' },
      { value: 'declined', label: 'no', hint: 'and do not ask again' },
    ])
    if (answer === undefined) return INTERRUPTED
    if (answer !== 'later') await decide(world, loaded, answer, [question])
  }
  return DONE
}

function nothingNamed(waiting: readonly TrustQuestion[]): ProblemError['problem'] {
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
