/**
 * approve: let servers of this project run.
 *
 * On a terminal each is shown and asked about. Without one, naming a server (or `--all`) is the answer: it is shown all
 * the same, so that a log says what was approved.
 */
import type { TrustDecision } from '../../../../model/trust.ts'
import { toPrintable, toPrintableJson } from '../../../../base/printable.ts'
import { createProblem, ProblemError } from '../../../../problem/problem.ts'
import type { LoadedCatalog } from '../../../../runtime/load-catalog.ts'
import { decide, requireQuestions, trustQuestions, type TrustQuestion } from '../../../../runtime/trust.ts'
import { showFolder } from '../../../shared/show-path.ts'
import type { CommandContext } from '../../command.ts'
import { showQuestion, WARNING } from './question.ts'

export async function run(context: CommandContext): Promise<number> {
  const { terminal, flags, json } = context
  const loaded = await context.load()
  const questions = findQuestions(context, loaded)
  if (questions.length === 0) {
    terminal.out(json ? '{"decided":[]}\n' : 'nothing waits for your approval in this project\n')
    return 0
  }
  const mustAsk = terminal.canAsk && flags['yes'] !== true && !json
  if (!json) terminal.err(`${WARNING}\n`)
  return mustAsk ? askEach(context, loaded, questions) : approveAll(context, loaded, questions)
}

/** The servers named; without names, all that wait. Throws `trust/nothing-named` where nobody can be asked. */
function findQuestions(
  { terminal, flags, args }: CommandContext,
  loaded: LoadedCatalog,
): readonly TrustQuestion[] {
  if (args.length > 0) return args.flatMap((name) => requireQuestions(loaded, name))
  const waiting = trustQuestions(loaded).filter(({ entry }) => entry.fate.kind === 'untrusted')
  const isTold = terminal.canAsk || flags['all'] === true
  if (waiting.length > 0 && !isTold) throw new ProblemError(nothingNamed(waiting))
  return waiting
}

async function approveAll(
  { world, terminal, paint, json }: CommandContext,
  loaded: LoadedCatalog,
  questions: readonly TrustQuestion[],
): Promise<number> {
  await decide(world, loaded, 'approved', questions)
  if (json)
    terminal.out(
      `${toPrintableJson({ decided: questions.map(({ name }) => ({ server: name, decision: 'approved' })) })}\n`,
    )
  else {
    for (const question of questions) terminal.out(`\n${showQuestion(question, { here: world, paint })}\n`)
    const names = [...new Set(questions.map(({ name }) => `\`${toPrintable(name)}\``))].join(', ')
    terminal.out(`\napproved ${names} for ${showFolder(loaded.project.realRoot, world)}\n`)
  }
  return 0
}

type Answer = TrustDecision['decision'] | 'later'

async function askEach(
  { world, terminal, paint }: CommandContext,
  loaded: LoadedCatalog,
  questions: readonly TrustQuestion[],
): Promise<number> {
  for (const question of questions) {
    terminal.out(`\n${showQuestion(question, { here: world, paint })}\n`)
    const answer = await terminal.choose<Answer>('May it run in this project?', [
      { value: 'later', label: 'not now', hint: 'ask again next time' },
      { value: 'approved', label: 'yes', hint: 'until it changes' },
      { value: 'declined', label: 'no', hint: 'and do not ask again' },
    ])
    if (answer === undefined) return 130
    if (answer !== 'later') await decide(world, loaded, answer, [question])
  }
  return 0
}

function nothingNamed(waiting: readonly TrustQuestion[]): ProblemError['problem'] {
  return createProblem({
    code: 'trust/nothing-named',
    message: 'there is no terminal to ask on, so the servers to approve must be named',
    notes: [`waiting: ${[...new Set(waiting.map(({ name }) => name))].join(', ')}`],
    hints: [
      'name them: `plugboard trust approve <server>`',
      'or approve all that wait: `plugboard trust approve --all`',
    ],
  })
}
