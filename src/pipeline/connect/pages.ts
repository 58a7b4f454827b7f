/**
 * pages: what a server of the older revisions wants to have opened in a browser, and that somebody was done there.
 *
 * in     the pages, and the host's own way to show one
 * out    whether somebody agreed to all of them
 * never  opens anything: that is the host's part, and the person's
 */
import { wantedPages, type WantedPage } from '../../model/elicitation.ts'
import type { Params } from '../../model/message.ts'
import { SessionError, type ClientHandlers } from '../../model/session.ts'
import { answerQuestion, elicitorFor, type QuestionContext } from './questions.ts'

export const COMPLETE = 'notifications/elicitation/complete'

/** Who waits to hear that somebody is done with a page, by the id that the server gave it. */
export class Completions {
  #waiting: Map<unknown, () => void> | undefined

  /** Settles when the server says so; never, when it does not. */
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

/** The pages that a request failed for and that somebody here can be asked about. */
export function pagesToOpen(error: unknown, handlers: ClientHandlers): readonly WantedPage[] {
  if (!(error instanceof SessionError) || error.failure.kind !== 'rpc') return []
  return elicitorFor(handlers, 'url') === undefined ? [] : wantedPages(error.failure.error)
}

/** One after the other: nobody reads two pages at once. Rejects as the host's handler does. */
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
