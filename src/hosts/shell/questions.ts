/**
 * questions: the kinds of questions in the shell, and the queue in which they wait.
 *
 * in     questions, from calls, servers and commands
 * out    one question at a time; for each its answer, or undefined where the user gave none
 * never  leaves a caller waiting when the shell ends, or when the cause of the question is gone
 */
import type { AskOptions, Choice } from '../../world/world.ts'
import { wrapPainted } from '../shared/wrap.ts'

export type Question =
  | {
      readonly kind: 'choice'
      readonly title: string
      /** Shown above the question, printable and painted. */
      readonly lines?: readonly string[]
      readonly options: readonly Choice<string>[]
    }
  | (AskOptions & {
      readonly kind: 'text'
      readonly title: string
      readonly lines?: readonly string[]
      /** The initial text of the line. */
      readonly initial?: string
    })
  | {
      readonly kind: 'form'
      readonly title: string
      readonly lines?: readonly string[]
      readonly fields: readonly FormField[]
      /** The label of the option that says no: the answer is then `declined`. Absent: only Esc says no. */
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
        /** Turns the typed text into the answer, or says what is wrong with it. */
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

/** The type of the answer to each kind of question. */
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
  /** Withdraws the question. */
  readonly signal?: AbortSignal | undefined
  /** `next`: before all waiting questions, for one that continues the previous question. Default: `last`. */
  readonly place?: 'next' | 'last' | undefined
  /** The user has just caused it, so no key can have been meant for something else. */
  readonly isAwaited?: boolean | undefined
}

/** Whether all of these lines fit above a question on such a screen: the screen cuts off the top. */
export function hasRoom(
  lines: readonly string[],
  { columns, rows }: { readonly columns: number; readonly rows: number },
): boolean {
  return lines.flatMap((line) => wrapPainted(line, columns - 1)).length <= rows - OTHER_ROWS
}

/** Title, options, keys, status, and lines about work in progress. */
const OTHER_ROWS = 14

/** A question in the queue. */
export interface Asked {
  readonly id: number
  readonly question: Question
  readonly isAwaited: boolean
}

export interface QuestionQueue {
  readonly ask: Ask
  /** Answers the question with this id. If it is no longer in the queue, nothing happens. */
  answer(id: number, answer: Answers[keyof Answers] | undefined): void
  /** All waiting questions end without an answer, and so does every later one. */
  close(): void
}

/** `onFront` gets the first question; undefined when none waits. */
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
          // The screen answers each question with the type of its kind.
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
