/**
 * settle-trust: asks about a server of a repository, and asks again until the answer is about its current entry.
 *
 * out    the answer, which is on disk; `gone` where there is nothing left to decide
 * never  records a decision about anything that was not shown
 */
import type { TrustDecision } from '../../model/trust.ts'
import type { Problem } from '../../model/problem.ts'
import type { LoadedCatalog } from '../../runtime/load-catalog.ts'
import { changedMeanwhile, decide, findAgain, type TrustQuestion } from '../../runtime/trust.ts'
import type { Choice, World } from '../../world/world.ts'
import { isShortened, type QuestionView } from './trust-question.ts'

export type TrustAnswer = TrustDecision['decision'] | 'later' | 'whole'

export interface TrustContext {
  readonly world: World
  /** Reads the files as they are now. */
  load(): Promise<LoadedCatalog>
  /** Shows the question and asks. Undefined: the user did not answer. */
  ask(question: TrustQuestion, how: HowToShow): Promise<TrustAnswer | undefined>
  report(problem: Problem): void
}

export type HowToShow = Required<Pick<QuestionView, 'form' | 'since'>>

export async function settleTrust(
  context: TrustContext,
  first: TrustQuestion,
  form: HowToShow['form'] = 'short',
): Promise<TrustDecision['decision'] | 'later' | 'gone' | undefined> {
  let question = first
  let how: HowToShow = { form, since: 'you decided' }
  for (;;) {
    const answer = await context.ask(question, how)
    if (answer === undefined || answer === 'later') return answer
    if (answer === 'whole') {
      how = { ...how, form: 'whole' }
      continue
    }
    const loaded = await context.load()
    const now = findAgain(loaded, question)
    if (now?.changed.length === 0) {
      await decide(context.world, loaded, answer, [question])
      return answer
    }
    context.report(changedMeanwhile(question, now))
    if (now === undefined) return 'gone'
    question = now
    how = { form, since: 'you were asked' }
  }
}

export const TRUST_TITLE = 'May it run in this project?'

/** The first choice decides nothing. The last exists only where the view leaves something out. */
export function trustChoices(question: TrustQuestion, view: QuestionView): readonly Choice<TrustAnswer>[] {
  const isWhole = view.form === 'whole' || !isShortened(question, view)
  return [
    { value: 'later', label: 'not now', hint: 'ask again next time' },
    { value: 'approved', label: 'yes', hint: 'until it changes' },
    { value: 'declined', label: 'no', hint: 'and do not ask again' },
    ...(isWhole ? [] : [{ value: 'whole' as const, label: 'show all of it', hint: 'parts are left out' }]),
  ]
}
