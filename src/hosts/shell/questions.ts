/**
 * questions: what the shell can ask, and the queue in which questions wait.
 *
 * in     questions, from whoever has one: a call, a server, a command
 * out    one at a time, and to each asker the answer, or undefined where nobody gave one
 * never  leaves an asker waiting when the shell ends, or when what asked is gone
 */
import type { AskOptions, Choice } from '../../world/world.ts'
import { wrapPainted } from '../shared/wrap.ts'

export type Question =
  | {
      readonly kind: 'choice'
      readonly title: string
      /** Shown above, printable and painted. */
      readonly lines?: readonly string[]
      readonly options: readonly Choice<string>[]
    }
  | (AskOptions & {
      readonly kind: 'text'
      readonly title: string
      readonly lines?: readonly string[]
      /** In the line already. */
      readonly initial?: string
    })
  | {
      readonly kind: 'form'
      readonly title: string
      readonly lines?: readonly string[]
      readonly fields: readonly FormField[]
      /** What says no without leaving the question open: the answer is then `declined`. Absent: there is only Esc. */
      readonly decline?: string
    }

export interface FormField {
  readonly name: string
  readonly label: string
  readonly description?: string
  readonly isRequired: boolean
  readonly input:
    | {
        readonly kind: 'text'
        readonly initial?: string
        /** What is typed → what is answered, or what is wrong with it. */
        read(
          typed: string,
        ): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string }
      }
    | { readonly kind: 'choice'; readonly options: readonly Choice<string>[]; readonly initial?: string }
    | {
        readonly kind: 'choices'
        readonly options: readonly Choice<string>[]
        readonly initial?: readonly string[]
        readonly min?: number
        readonly max?: number
      }
    | { readonly kind: 'switch'; readonly initial?: boolean }
}

/** What a question of each kind is answered with. */
export interface Answers {
  readonly choice: string
  readonly text: string
  readonly form: Readonly<Record<string, unknown>> | 'declined'
}

export type Ask = <Kind extends Question['kind']>(
  question: Extract<Question, { kind: Kind }>,
  options?: AskingOptions,
) => Promise<Answers[Kind] | undefined>

export interface AskingOptions {
  /** Takes the question back. */
  readonly signal?: AbortSignal | undefined
  /** `next`: before all that wait, for what goes on with the question before. Default: `last`. */
  readonly place?: 'next' | 'last' | undefined
  /** It follows from what its user has just done, so that no key can have been meant for something else. */
  readonly isAwaited?: boolean | undefined
}

/** Whether all of these fit above a question on such a screen, as they are drawn: what is cut off there is the top. */
export function hasRoom(
  lines: readonly string[],
  { columns, rows }: { readonly columns: number; readonly rows: number },
): boolean {
  return lines.flatMap((line) => wrapPainted(line, columns - 1)).length <= rows - OTHER_ROWS
}

/** Title, options, keys, status, and what runs meanwhile. */
const OTHER_ROWS = 14

/** One that was asked. */
export interface Asked {
  readonly id: number
  readonly question: Question
  readonly isAwaited: boolean
}

export interface QuestionQueue {
  readonly ask: Ask
  /** Answers the one with this id; what is not asked any more is let go. */
  answer(id: number, answer: Answers[keyof Answers] | undefined): void
  /** All that wait are over without an answer, and so is every later one. */
  close(): void
}

/** `onFront`: which question is the first now; undefined when none waits. */
export function createQuestions(onFront: (asked: Asked | undefined) => void): QuestionQueue {
  let waiting: readonly (Asked & { settle(answer: unknown): void })[] = []
  let nextId = 1
  let isClosed = false

  const change = (next: typeof waiting): void => {
    const [before] = waiting
    waiting = next
    if (waiting[0] === before) return
    const [first] = waiting
    onFront(first)
  }
  const answer: QuestionQueue['answer'] = (id, given) => {
    const one = waiting.find((asked) => asked.id === id)
    if (one === undefined) return
    change(waiting.filter((asked) => asked !== one))
    one.settle(given)
  }
  return {
    answer,
    ask<Kind extends Question['kind']>(
      question: Extract<Question, { kind: Kind }>,
      { signal, place, isAwaited = false }: AskingOptions = {},
    ) {
      if (isClosed || signal?.aborted === true) return Promise.resolve(undefined)
      return new Promise<Answers[Kind] | undefined>((resolve) => {
        const id = nextId++
        const onAbort = (): void => answer(id, undefined)
        signal?.addEventListener('abort', onAbort, { once: true })
        const settle = (given: unknown): void => {
          signal?.removeEventListener('abort', onAbort)
          // The screen answers a question in the way of its kind.
          resolve(given as Answers[Kind] | undefined)
        }
        const one = { id, question, isAwaited, settle }
        change(place === 'next' ? [one, ...waiting] : [...waiting, one])
      })
    },
    close() {
      isClosed = true
      const all = waiting
      change([])
      for (const one of all) one.settle(undefined)
    },
  }
}
