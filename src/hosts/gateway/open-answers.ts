/**
 * open-answers: the requests that a gateway has not answered yet, and the answer they get when it closes.
 *
 * never  lets a stream end without an answer: clients would wait for it, or repeat a request that may have run
 */
import { IdTable } from '../../base/id-table.ts'
import { RPC_CODES, type RpcError } from '../../model/message.ts'

/** Over HTTP with status 200: a proxy may repeat a request that got a 503, and this one may have run. */
export const ENDED: RpcError = {
  code: RPC_CODES.internalError,
  message: 'the gateway ended before it had answered: what was asked for may have happened',
}

export interface OpenAnswer {
  /** Answers with `ENDED`, unless the request has an answer already. */
  giveUp(): void
}

export class OpenAnswers {
  readonly #open = new IdTable<OpenAnswer>()

  /** Returns the number that removes it. */
  add(answer: OpenAnswer): number {
    return this.#open.add(answer)
  }

  remove(number: number): void {
    this.#open.take(number)
  }

  giveUp(): void {
    for (const one of this.#open.all()) one.giveUp()
  }
}
