/**
 * suspended-call: a call that continues while its client is away to find an answer.
 *
 * in     the work; the request that waits for it now; answers, when the client returns
 * out    rounds: questions as often as needed, then the result
 * never  leaves its work running for a client that gave it up; keeps a long result for a client that is away
 */
import { Abort, type Signal } from '../../base/abort.ts'
import { isObject } from '../../base/is-object.ts'
import { RPC_CODES, type Params, type Result } from '../../model/message.ts'
import { RpcFaultError } from '../../model/rpc-fault.ts'
import type { AskCaller, Caller } from './caller.ts'
import type { OpenRequest, Work } from './open-request.ts'

export type Round =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'questions'; readonly questions: Params }

/**
 * Limit, in characters, for a result that came while the client was away. The client may never return, and there may be
 * many such results.
 */
const MAX_KEPT = 1024 * 1024

interface Waiting {
  readonly question: Params
  readonly resolve: (answer: Result) => void
  readonly reject: (error: Error) => void
}

export class SuspendedCall implements OpenRequest {
  readonly about: string
  readonly more: Params
  caller: Caller
  isPermitted: boolean
  readonly #wanted = new Abort()
  readonly #outcome: Promise<Round>
  readonly #waiting = new Map<string, Waiting>()
  #lastKey = 0
  #missing: Params | undefined
  #isOver = false
  /** Whether a client request waits for it now. */
  #isAttended = false
  #onQuestion: (() => void) | undefined

  constructor(
    work: Work,
    from: Pick<OpenRequest, 'caller' | 'more' | 'isPermitted'> & { readonly about: string },
  ) {
    this.about = from.about
    this.more = from.more
    this.caller = from.caller
    this.isPermitted = from.isPermitted
    this.#outcome = work(this).then(
      (result) => ({ kind: 'done', result: this.#keep(this.#judge(result)) }),
      (error: unknown) => {
        throw this.#missing === undefined ? error : missingCapability(this.#missing)
      },
    )
    const finish = (): void => void (this.#isOver = true)
    // It may fail while no request waits. The next request gets the failure.
    this.#outcome.then(finish, finish)
  }

  get signal(): Signal {
    return this.#wanted
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0
  }

  readonly ask: AskCaller = (method, params, signal) =>
    new Promise((resolve, reject) => {
      // The client has its answer, and does not return.
      if (this.#isOver) return reject(unasked(method))
      const key = `plugboard-${++this.#lastKey}`
      const onAbort = (): void => {
        this.#waiting.delete(key)
        reject(new Error('the server took its question back'))
      }
      signal.addEventListener('abort', onAbort, { once: true })
      const settle = (tell: () => void): void => {
        signal.removeEventListener('abort', onAbort)
        tell()
      }
      this.#waiting.set(key, {
        question: { method, params },
        resolve: (answer) => settle(() => resolve(answer)),
        reject: (error) => settle(() => reject(error)),
      })
      this.#onQuestion?.()
    })

  notify(method: string, params: Params): void {
    this.caller.notify(method, params)
  }

  markPermitted(): void {
    this.isPermitted = true
  }

  missed(capabilities: Params): void {
    this.#missing = { ...this.#missing, ...capabilities }
  }

  answer(responses: Params): void {
    for (const [key, answer] of Object.entries(responses)) {
      const one = this.#waiting.get(key)
      if (one === undefined || !isObject(answer)) continue
      this.#waiting.delete(key)
      one.resolve(answer)
    }
  }

  abandon(): void {
    this.#wanted.abort()
    for (const { reject } of this.#waiting.values()) reject(new Error('the client did not come back'))
    this.#waiting.clear()
  }

  async next(caller: Caller, signal: Signal): Promise<Round> {
    this.caller = caller
    this.#isAttended = true
    const onAbort = (): void => this.abandon()
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([this.#outcome, this.#questions()])
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#isAttended = false
      this.#onQuestion = undefined
    }
  }

  /** A legacy server that failed because an answer was missing has no error code for it. The new era has one. */
  #judge(result: Result): Result {
    if (this.#missing !== undefined && result['isError'] === true) throw missingCapability(this.#missing)
    return result
  }

  #keep(result: Result): Result {
    if (this.#isAttended) return result
    const { length } = JSON.stringify(result)
    if (length <= MAX_KEPT) return result
    const message = `the result came while the client was away, and was not kept: it is longer than ${MAX_KEPT} characters`
    throw new RpcFaultError({ code: RPC_CODES.internalError, message })
  }

  /** Questions of the same turn go out together. */
  async #questions(): Promise<Round> {
    if (this.#waiting.size === 0) await new Promise<void>((resolve) => (this.#onQuestion = resolve))
    await Promise.resolve()
    const questions = [...this.#waiting].map(([key, { question }]) => [key, question] as const)
    return { kind: 'questions', questions: Object.fromEntries(questions) }
  }
}

function unasked(method: string): RpcFaultError {
  const message = `${method} cannot be answered: no client waits for this server`
  return new RpcFaultError({ code: RPC_CODES.internalError, message })
}

function missingCapability(requiredCapabilities: Params): RpcFaultError {
  return new RpcFaultError({
    code: RPC_CODES.missingCapability,
    message: 'this needs an answer that the client does not offer to give',
    data: { requiredCapabilities },
  })
}
