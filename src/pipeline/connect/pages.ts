/**
 * pages: handles the pages that a server of the older revisions asks the user to open, and the notice that the user is
 * done.
 *
 * in     the pages, and the host's own way to show one
 * out    whether the user agreed to all of them
 * never  opens a page: the host and the user do that
 */
import { wantedPages, type WantedPage } from '../../model/elicitation.ts'
import type { Params } from '../../model/message.ts'
import { SessionError, type ClientHandlers } from '../../model/session.ts'
import { answerQuestion, elicitorFor, type QuestionContext } from './questions.ts'

export const COMPLETE = 'notifications/elicitation/complete'

/** The callers that wait until the user is done with a page, by the id that the server gave it. */
export class Completions {
  #waiting: Map<unknown, () => void> | undefined

  /** Settles when the server reports completion; never settles without that report. */
  of({ elicitationId }: Params): Promise<void> {
    this.#waiting ??= new Map()
    return new Promise((resolve) => this.#waiting!.set(elicitationId, resolve))
  }

  tell({ elicitationId }: Params): void {
    this.#waiting?.get(elicitationId)?.()
    this.#waiting?.delete(elicitationId)
  }

  forget({ elicitationId }: Params): void {
    this.#waiting?.delete(elicitationId)
  }
}

/** The pages that a failed request asks for, if the host can show them. */
export function pagesToOpen(error: unknown, handlers: ClientHandlers): readonly WantedPage[] {
  if (!(error instanceof SessionError) || error.failure.kind !== 'rpc') return []
  return elicitorFor(handlers, 'url') === undefined ? [] : wantedPages(error.failure.error)
}

/** One page after the other, because a user reads one page at a time. Rejects when the host's handler does. */
export async function openPages(
  pages: readonly WantedPage[],
  handlers: ClientHandlers,
  context: QuestionContext,
): Promise<boolean> {
  for (const page of pages) {
    const question = { method: 'elicitation/create', params: { ...page, mode: 'url' } }
    const answer = await answerQuestion(handlers, question, context)
    if (answer['action'] !== 'accept') return false
  }
  return true
}
