/**
 * open-answers: the requests that a gateway has not answered yet, and the answer that they get when it ends.
 *
 * never  lets a stream end without an answer: clients would wait for one, or ask again for what may have happened
 */
import { IdTable } from '../../base/id-table.ts'
import { RPC_CODES, type RpcError } from '../../model/message.ts'

/** Over HTTP with status 200: a proxy may send a request again that got a 503, and this one may have been carried out. */
export const ENDED: RpcError = {
  code: RPC_CODES.internalError,
  message: 'the gateway ended before it had answered: what was asked for may have happened',
}

export interface OpenAnswer {
  /** Answers with `ENDED`, unless there is an answer already. */
  giveUp(): void
}

export class OpenAnswers {
  readonly #open = new IdTable<OpenAnswer>()

  /** Gives the number by which it is removed. */
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
