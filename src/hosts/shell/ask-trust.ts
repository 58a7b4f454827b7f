/**
 * ask-trust: asks the user about the folder of the project and the servers that it declares, as far as they are
 * undecided.
 *
 * out    whether more may run now than before; each decision is on disk
 */
import type { Problem } from '../../model/problem.ts'
import type { LoadedCatalog } from '../../runtime/load-catalog.ts'
import { decideFolder } from '../../runtime/folder-trust.ts'
import { decideAsShown, waitingQuestions, type TrustQuestion } from '../../runtime/trust.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { World } from '../../world/world.ts'
import { countOf } from '../shared/amounts.ts'
import { FOLDER_TITLE, showFolderQuestion } from '../shared/folder-question.ts'
import type { Paint } from '../shared/paint.ts'
import { settleTrust, TRUST_TITLE, trustChoices } from '../shared/settle-trust.ts'
import { rulesNote, showQuestion, WARNING } from '../shared/trust-question.ts'
import type { Ask } from './questions.ts'

export interface TrustContext {
  readonly world: World
  readonly ask: Ask
  readonly paint: Paint
  /** The current width of the terminal. */
  columns(): number
  /** Leaves the other questions for the next time. */
  readonly signal: AbortSignal
  /** Reads the files again. */
  load(): Promise<LoadedCatalog>
  note(line: string): void
  report(problems: readonly Problem[]): void
}

/** `again`: asks also about a folder that the user declined before. */
export async function askTrust(
  desk: TrustContext,
  loaded: LoadedCatalog,
  when: 'first' | 'again' = 'first',
): Promise<boolean> {
  const { folder, servers } = loaded.catalog
  const waiting = waitingQuestions(loaded)
  const isConcerned =
    waiting.length > 0 ||
    servers.some(({ confinement }) => confinement !== undefined && confinement.start !== 'elsewhere')
  const isOpen =
    when === 'again' ? folder.decision !== 'trusted' : folder.decision === 'unknown' && isConcerned
  if (!isOpen) return askEach(desk, loaded, waiting)
  const answer = await askFolder(desk, loaded, waiting)
  try {
    return await carryOut(desk, { loaded, waiting, answer })
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    desk.report([error.problem])
    // An entry that changed meanwhile is shown again. A decision that cannot be saved stays open.
    return error.problem.code === 'trust/changed' && askTrust(desk, await desk.load(), when)
  }
}

interface Answered {
  readonly loaded: LoadedCatalog
  readonly waiting: readonly TrustQuestion[]
  readonly answer: string | undefined
}

async function carryOut(desk: TrustContext, { loaded, waiting, answer }: Answered): Promise<boolean> {
  const { world } = desk
  const decideAll = async (decision: 'approved' | 'declined'): Promise<void> => {
    if (waiting.length > 0) await decideAsShown(world, await desk.load(), { decision, shown: waiting })
  }
  switch (answer) {
    case 'all':
      await decideAll('approved')
      await decideFolder(world, loaded, 'trusted')
      return true
    case 'folder':
      await decideFolder(world, loaded, 'trusted')
      await askEach(desk, loaded, waiting)
      return true
    case 'each':
      return askEach(desk, loaded, waiting)
    case 'declined':
      await decideAll('declined')
      await decideFolder(world, loaded, 'declined')
      desk.note('this folder is not trusted; /trust folder asks again')
      return false
    default:
      return false
  }
}

/** One question for the folder and everything that it declares. */
function askFolder(
  { world, ask, paint, signal, columns }: TrustContext,
  loaded: LoadedCatalog,
  waiting: readonly TrustQuestion[],
): Promise<string | undefined> {
  const here = { here: world, paint, columns: columns() - 1 }
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
  desk: TrustContext,
  loaded: LoadedCatalog,
  waiting: readonly TrustQuestion[],
): Promise<boolean> {
  const { world } = desk
  let isApproved = false
  for (const question of waiting) {
    const decided = await settleTrust(
      {
        world,
        load: () => desk.load(),
        report: (problem) => desk.report([problem]),
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
