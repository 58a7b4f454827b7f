/**
 * ask-trust: the folder of the project and the servers that it declares, as far as the user has not decided about them.
 *
 * out    whether something may run now that could not before; each decision is on disk
 */
import type { LoadedCatalog } from '../../runtime/load-catalog.ts'
import { decideFolder } from '../../runtime/folder-trust.ts'
import { decide, trustQuestions, type TrustQuestion } from '../../runtime/trust.ts'
import type { World } from '../../world/world.ts'
import { countOf } from '../shared/amounts.ts'
import { FOLDER_TITLE, showFolderQuestion } from '../shared/folder-question.ts'
import type { Paint } from '../shared/paint.ts'
import { rulesNote, showQuestion, WARNING } from '../shared/trust-question.ts'
import type { Ask } from './questions.ts'

export interface TrustDesk {
  readonly world: World
  readonly ask: Ask
  readonly paint: Paint
  /** Leaves the rest for the next time. */
  readonly signal: AbortSignal
  note(line: string): void
}

/** `again`: also a folder that the user declined before. */
export async function askTrust(
  desk: TrustDesk,
  loaded: LoadedCatalog,
  when: 'first' | 'again' = 'first',
): Promise<boolean> {
  const { folder, servers } = loaded.catalog
  const waiting = trustQuestions(loaded).filter(({ entry }) => entry.fate.kind === 'untrusted')
  const isConcerned = waiting.length > 0 || servers.some(({ confinement }) => confinement !== undefined)
  const isOpen = folder.decision === 'unknown' || (when === 'again' && folder.decision === 'declined')
  if (!isOpen || !isConcerned) return askEach(desk, loaded, waiting)
  switch (await askFolder(desk, loaded, waiting)) {
    case 'all':
      if (waiting.length > 0) await decide(desk.world, loaded, 'approved', waiting)
      await decideFolder(desk.world, loaded, 'trusted')
      return true
    case 'folder':
      await decideFolder(desk.world, loaded, 'trusted')
      await askEach(desk, loaded, waiting)
      return true
    case 'each':
      return askEach(desk, loaded, waiting)
    case 'declined':
      await decideFolder(desk.world, loaded, 'declined')
      desk.note('this folder is not trusted; /trust asks again')
      return false
    default:
      return false
  }
}

/** One question for the folder and everything that it declares. */
function askFolder(
  { world, ask, paint, signal }: TrustDesk,
  loaded: LoadedCatalog,
  waiting: readonly TrustQuestion[],
): Promise<string | undefined> {
  const here = { here: world, paint }
  const servers = countOf(waiting.length, 'server')
  const declared =
    waiting.length === 0
      ? []
      : [
          '',
          `This project declares ${servers} that you have not approved.`,
          WARNING,
          ...rulesNote(loaded, world),
          ...waiting.flatMap((question) => ['', showQuestion(question, here)]),
        ]
  const options =
    waiting.length === 0
      ? [{ value: 'all', label: 'yes', hint: 'until you take it back' }]
      : [
          { value: 'all', label: 'yes, and approve what it declares', hint: servers },
          { value: 'folder', label: 'yes, and ask about each server' },
          { value: 'each', label: 'not now, but ask about each server' },
        ]
  return ask(
    {
      kind: 'choice',
      title: FOLDER_TITLE,
      lines: [...showFolderQuestion(loaded, here), ...declared],
      options: [
        { value: 'later', label: 'not now', hint: 'ask again next time' },
        ...options,
        { value: 'declined', label: 'no', hint: 'and do not ask again' },
      ],
    },
    { signal },
  )
}

async function askEach(
  desk: TrustDesk,
  loaded: LoadedCatalog,
  waiting: readonly TrustQuestion[],
): Promise<boolean> {
  const { world, paint, signal } = desk
  let isApproved = false
  for (const question of waiting) {
    const answer = await desk.ask(
      {
        kind: 'choice',
        title: 'May it run in this project?',
        lines: [WARNING, ...rulesNote(loaded, world), '', showQuestion(question, { here: world, paint })],
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
