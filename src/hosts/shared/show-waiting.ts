/**
 * show-waiting: shows what servers of this project would run, and how the user decides about them. Asks nothing.
 */
import { toCommandLine } from '../../base/command-line.ts'
import { toPrintable } from '../../base/printable.ts'
import type { Problem } from '../../model/problem.ts'
import type { Words } from '../../runtime/board-problems.ts'
import type { TrustQuestion } from '../../runtime/trust.ts'
import type { Platform } from '../../world/world.ts'
import { countOf } from './amounts.ts'
import { showSpot } from './show-path.ts'
import { isShortened, showQuestion, type QuestionView } from './trust-question.ts'

export interface Waiting {
  readonly questions: readonly TrustQuestion[]
  /** Broken servers: the user must fix them before deciding about them. */
  readonly broken: readonly Problem[]
}

export interface WaitingView extends QuestionView {
  readonly words: Words
  readonly platform: Platform
}

export function showWaiting({ questions, broken }: Waiting, view: WaitingView): readonly string[] {
  const waiting = questions.filter(({ entry }) => entry.fate.kind === 'untrusted')
  const decided = questions.filter((one) => !waiting.includes(one))
  const isCut = view.form !== 'whole' && questions.some((question) => isShortened(question, view))
  return [
    ...questions.flatMap((question) => [...showQuestion(question, view).split('\n'), '']),
    ...(questions.length === 0 ? ['nothing waits for your approval in this project'] : []),
    ...(waiting.length === 0 ? [] : [sayCount(waiting.length)]),
    ...decided.map(({ name, entry }) => `\`${toPrintable(name)}\` does not wait: it is ${entry.fate.kind}`),
    ...broken.map((problem) => sayBroken(problem, view)),
    ...(waiting.length === 0 ? [] : [adviseToDecide(waiting, view)]),
    ...(isCut ? [`hint: to see all of what is shortened here, ${toCommand(['--verbose'], view)}`] : []),
  ]
}

function sayCount(count: number): string {
  return `${countOf(count, 'server')} of this project ${count === 1 ? 'waits' : 'wait'} for your approval`
}

function sayBroken({ message, where }: Problem, { here }: WaitingView): string {
  return toPrintable(message) + (where === undefined ? '' : ` (${showSpot(where, here)})`)
}

function adviseToDecide(waiting: readonly TrustQuestion[], view: WaitingView): string {
  const [name, ...others] = new Set(waiting.map((question) => question.name))
  const words = others.length > 0 ? ['approve <server>'] : [toCommandLine('approve', [name!], view.platform)]
  return toPrintable(`hint: to decide, ${toCommand(words, view)}; it asks first`)
}

function toCommand(words: readonly string[], { words: mode }: WaitingView): string {
  const start = mode === 'slash' ? 'type `/trust' : 'run `plugboard trust'
  return `${[start, ...words].join(' ')}\``
}
