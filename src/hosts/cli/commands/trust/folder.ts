/**
 * folder: decides whether the user's own servers may start in the folder of this project, and run programs from it.
 */
import { createProblem, ProblemError } from '../../../../problem/problem.ts'
import { decideFolder } from '../../../../runtime/folder-trust.ts'
import type { LoadedCatalog } from '../../../../runtime/load-catalog.ts'
import { decideAsShown, waitingQuestions, type TrustQuestion } from '../../../../runtime/trust.ts'
import { countOf } from '../../../shared/amounts.ts'
import { FOLDER_TITLE, showFolderQuestion } from '../../../shared/folder-question.ts'
import { showFolder } from '../../../shared/show-path.ts'
import { rulesNote, showQuestion, WARNING } from '../../../shared/trust-question.ts'
import type { CommandContext } from '../../command.ts'
import { DONE, INTERRUPTED } from '../../exit-codes.ts'
import { printJson, printLines, viewOf } from '../../print.ts'

type Answer = 'folder-and-servers' | 'folder' | 'declined' | 'neither' | 'later'

/** Throws `trust/not-asked` where the command needs a question and cannot ask one. */
export async function run(context: CommandContext): Promise<number> {
  const { terminal, flags, json } = context
  const loaded = await context.load()
  const waiting = waitingQuestions(loaded)
  const chosen = answerOf(flags)
  if (chosen !== undefined) {
    // So that a log says what was decided.
    if (!json) printLines(terminal, [...showAll(context, loaded, waiting), ''])
    return carryOut(context, { loaded, waiting, answer: chosen })
  }
  if (loaded.catalog.folder.decision === 'trusted') return report(context, loaded, 'trusted')
  if (json || !terminal.canAsk) {
    if (!json) printLines(terminal, showAll(context, loaded, waiting))
    throw new ProblemError(notAsked)
  }
  printLines(terminal, showAll(context, loaded, waiting))
  const answer = await terminal.choose<Answer>(FOLDER_TITLE, toOptions(waiting.length))
  if (answer === undefined) return INTERRUPTED
  return answer === 'later' ? DONE : carryOut(context, { loaded, waiting, answer })
}

function answerOf(flags: CommandContext['flags']): Exclude<Answer, 'later'> | undefined {
  if (flags['decline'] === true) return 'declined'
  if (flags['yes'] !== true) return undefined
  return flags['all'] === true ? 'folder-and-servers' : 'folder'
}

function toOptions(
  count: number,
): readonly { readonly value: Answer; readonly label: string; readonly hint: string }[] {
  const servers = countOf(count, 'server')
  return [
    { value: 'later', label: 'not now', hint: 'ask again next time' },
    ...(count === 0
      ? []
      : [
          {
            value: 'folder-and-servers' as const,
            label: 'yes, and approve what it declares',
            hint: servers,
          },
        ]),
    { value: 'folder', label: count === 0 ? 'yes' : 'yes, the folder only', hint: 'until you take it back' },
    { value: 'neither', label: 'no', hint: 'and do not ask again' },
  ]
}

interface Decision {
  readonly loaded: LoadedCatalog
  readonly waiting: readonly TrustQuestion[]
  readonly answer: Exclude<Answer, 'later'>
}

async function carryOut(context: CommandContext, { loaded, waiting, answer }: Decision): Promise<number> {
  const { world } = context
  const decision = answer === 'declined' || answer === 'neither' ? 'declined' : 'trusted'
  const shown = answer === 'folder-and-servers' || answer === 'neither' ? waiting : []
  if (shown.length > 0)
    await decideAsShown(world, await context.load(), {
      decision: answer === 'neither' ? 'declined' : 'approved',
      shown,
    })
  await decideFolder(world, loaded, decision)
  const approved = answer === 'folder-and-servers' ? waiting.map(({ name }) => name) : []
  return report(context, loaded, decision, approved)
}

function report(
  { world, terminal, json }: CommandContext,
  { catalog: { folder } }: LoadedCatalog,
  decision: 'trusted' | 'declined',
  approved: readonly string[] = [],
): number {
  const names = [...new Set(approved)]
  if (json) printJson(terminal, { folder: folder.path, decision, approved: names })
  else {
    const what = decision === 'trusted' ? 'trusted' : 'not trusted, and not asked about again'
    printLines(terminal, [
      `${showFolder(folder.path, world)}: ${what}`,
      ...(names.length === 0 ? [] : [`approved: ${names.join(', ')}`]),
    ])
  }
  return DONE
}

function showAll(
  context: CommandContext,
  loaded: LoadedCatalog,
  waiting: readonly TrustQuestion[],
): readonly string[] {
  const { world } = context
  const view = { ...viewOf(context), form: 'whole' } as const
  const own = showFolderQuestion(loaded, view)
  if (waiting.length === 0) return own
  return [
    ...own,
    '',
    `This project declares ${countOf(waiting.length, 'server')} that you have not approved.`,
    WARNING,
    ...rulesNote(loaded, world),
    ...waiting.flatMap((question) => ['', showQuestion(question, view)]),
  ]
}

const notAsked = createProblem({
  code: 'trust/not-asked',
  message:
    '`plugboard trust folder` asks on a terminal; without one, or with `--json`, it needs `--yes` or `--decline`',
  notes: [
    'nothing was decided',
    'with `--all` as well, every server that the project declares is approved; `--decline` says no',
  ],
})
