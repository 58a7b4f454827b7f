/**
 * permission-question: how the shell asks whether a call may happen.
 *
 * in     the board's question
 * out    the answer of the user at the terminal; Esc means no
 */
import { toPrintable, toPrintableJson } from '../../base/printable.ts'
import type { Answer, Ask as AskPermission, Question, ToolHints } from '../../model/permission.ts'
import type { Choice } from '../../world/world.ts'
import type { Paint } from '../shared/paint.ts'
import { showPinDiff } from '../shared/show-pin-diff.ts'
import { cutEnd } from '../shared/width.ts'
import { wrap } from '../shared/wrap.ts'
import type { Ask } from './questions.ts'

export interface PermissionQuestionContext {
  readonly ask: Ask
  readonly paint: Paint
  columns(): number
}

export function createPermissionAsker(desk: PermissionQuestionContext): AskPermission {
  return async (question, { signal }) => {
    const answer = await desk.ask(
      {
        kind: 'choice',
        title: `May ${question.tool} of ${question.server} be called?`,
        lines: permissionLines(question, desk),
        options: optionsFor(question),
      },
      { signal },
    )
    if (answer !== 'reason') return toAnswer(answer)
    const reason = await desk.ask(
      { kind: 'text', title: 'What should the model know, or do instead?' },
      { signal, place: 'next', isAwaited: true },
    )
    return reason === undefined || reason.trim() === '' ? 'no' : { no: reason.trim() }
  }
}

function toAnswer(answer: string | undefined): Answer {
  return answer === 'once' || answer === 'session' || answer === 'always' ? answer : 'no'
}

function optionsFor({ canRemember }: Question): readonly Choice<string>[] {
  const remembered: readonly Choice<string>[] = [
    { value: 'session', label: 'yes, for this session' },
    { value: 'always', label: 'yes, always', hint: 'until the tool changes' },
  ]
  return [
    { value: 'once', label: 'yes, once' },
    ...(canRemember ? remembered : []),
    { value: 'no', label: 'no' },
    { value: 'reason', label: 'no, and say why' },
  ]
}

/** All of the arguments as they are sent: the user agrees to exactly these. */
function permissionLines(
  question: Question,
  { paint, columns }: PermissionQuestionContext,
): readonly string[] {
  const width = Math.max(columns() - 12, 20)
  const { server, tool, name, description, hints, why, renamedFrom, diff } = question
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['tool', [`${tool} (${name})`]],
    ['server', [server]],
    ...(description === undefined ? [] : [['about', [description.split('\n', 1)[0] ?? '']] as const]),
    ['arguments', argumentLines(question.arguments, width)],
    ['it says', [sayHints(hints)]],
    ...(why.kind === 'rule'
      ? [
          [
            'asked by',
            [`rule ${why.rule.tool}${why.rule.reason === undefined ? '' : `: ${why.rule.reason}`}`],
          ] as const,
        ]
      : []),
    ...(renamedFrom === undefined ? [] : [['renamed', [`you approved it as ${renamedFrom}`]] as const]),
  ]
  return [
    ...rows.flatMap(([label, lines]) =>
      lines.map(
        (line, i) => `${paint.cyan((i === 0 ? label : '').padEnd(9))} ${cutEnd(toPrintable(line), width)}`,
      ),
    ),
    ...(diff === undefined
      ? []
      : [paint.yellow('it is not what you approved:'), ...showPinDiff(diff, paint)]),
  ]
}

function argumentLines(given: unknown, width: number): readonly string[] {
  const json = toPrintableJson(given ?? {}, 1)
  const short = json.replace(/\s*\n\s*/g, ' ')
  return short.length <= width ? [short] : json.split('\n').flatMap((line) => wrap(line, width))
}

/** The server's claims, not facts. */
function sayHints({ readOnly, destructive, idempotent, openWorld }: ToolHints): string {
  const words = [
    readOnly === true ? 'only reads' : readOnly === false ? 'changes things' : undefined,
    destructive === true ? 'may destroy' : undefined,
    idempotent === true ? 'can be repeated' : undefined,
    openWorld === true ? 'reaches other systems' : undefined,
  ].filter((word) => word !== undefined)
  return words.length === 0 ? 'nothing of what it does to things' : words.join(', ')
}
