/**
 * ask-trust: servers that the project declares and nobody has decided upon, one question each, at the first start.
 *
 * out    whether something was approved; what was decided is on disk
 */
import type { LoadedCatalog } from '../../runtime/load-catalog.ts'
import { decide, trustQuestions } from '../../runtime/trust.ts'
import type { World } from '../../world/world.ts'
import type { Paint } from '../shared/paint.ts'
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
  note(line: string): void
}

export async function askTrust(desk: TrustDesk, loaded: LoadedCatalog): Promise<boolean> {
  const { world, paint, signal } = desk
  const waiting = trustQuestions(loaded).filter(({ entry }) => entry.fate.kind === 'untrusted')
  let isApproved = false
  for (const question of waiting) {
    const view = { here: world, paint, columns: desk.columns() - 1 }
    const answer = await desk.ask(
      {
        kind: 'choice',
        title: 'May it run in this project?',
        lines: [WARNING, ...rulesNote(loaded, world), '', showQuestion(question, view)],
        options: [
          { value: 'later', label: 'not now', hint: 'ask again next time' },
          { value: 'approved', label: 'yes', hint: 'until it changes' },
          { value: 'declined', label: 'no', hint: 'and do not ask again' },
        ],
      },
      { signal },
    )
    if (answer !== 'approved' && answer !== 'declined') continue
    await decide(world, loaded, answer, [question])
    isApproved ||= answer === 'approved'
    const { name } = question.entry.entry.found
    if (answer === 'declined')
      desk.note(`${name}: declined, and not started (\`plugboard trust reset ${name}\` has it asked again)`)
  }
  return isApproved
}
