/**
 * ask-trust: servers that the project declares and nobody has decided upon, one question each, at the first start.
 *
 * out    whether something was approved; what was decided is on disk
 */
import type { Problem } from '../../model/problem.ts'
import type { LoadedCatalog } from '../../runtime/load-catalog.ts'
import { waitingQuestions } from '../../runtime/trust.ts'
import type { World } from '../../world/world.ts'
import type { Paint } from '../shared/paint.ts'
import { settleTrust, TRUST_TITLE, trustChoices } from '../shared/settle-trust.ts'
import { rulesNote, showQuestion, WARNING } from '../shared/trust-question.ts'
import type { Ask } from './questions.ts'

export interface TrustDesk {
  readonly world: World
  readonly ask: Ask
  readonly paint: Paint
  /** Of the terminal, now. */
  columns(): number
  /** Leaves the rest for the next time. */
  readonly signal: AbortSignal
  /** The files as they are now. */
  load(): Promise<LoadedCatalog>
  note(line: string): void
  report(problems: readonly Problem[]): void
}

export async function askTrust(desk: TrustDesk, loaded: LoadedCatalog): Promise<boolean> {
  const { world } = desk
  let isApproved = false
  for (const question of waitingQuestions(loaded)) {
    const decided = await settleTrust(
      {
        world,
        load: () => desk.load(),
        tell: (problem) => desk.report([problem]),
        async ask(shown, how) {
          const view = { here: world, paint: desk.paint, columns: desk.columns() - 1, ...how }
          const lines = [WARNING, ...rulesNote(loaded, world, how.form), '', showQuestion(shown, view)]
          const options = trustChoices(shown, view)
          const answer = await desk.ask(
            { kind: 'choice', title: TRUST_TITLE, lines, options },
            { signal: desk.signal },
          )
          return options.find(({ value }) => value === answer)?.value
        },
      },
      question,
    )
    isApproved ||= decided === 'approved'
    const { name } = question
    if (decided === 'declined')
      desk.note(`${name}: declined, and not started (\`/trust reset ${name}\` has it asked again)`)
  }
  return isApproved
}
