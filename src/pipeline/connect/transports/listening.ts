/**
 * listening: a stream of events that the server may drop at any time and that is then taken up where it was.
 *
 * in     the place in the stream to go on from, and how long the server wants to be left alone
 * out    the data of each event, until nobody wants more of it or the server has no such stream
 * never  comes back earlier than the server said; tries without end at a door that stays shut
 */
import type { WireFailure } from '../../../model/wire.ts'
import type { BodyUse, Clock, Http, HttpHead } from '../../../world/world.ts'
import { createEventStream, type EventStream } from './event-stream.ts'
import { Exchange, type AnswerListener, type ExchangeRequest } from './exchange.ts'
import { mediaType } from './media-type.ts'

/** What a stream needs of the wire it belongs to. */
export interface ListeningLine {
  readonly http: Http
  readonly clock: Clock
  onSign(): void
  /** Asks for the stream, or for the rest of one. */
  toGet(lastEventId: string | undefined): ExchangeRequest
}

export interface ListeningHooks {
  /** The server has opened it, perhaps not for the first time. */
  onOpen?(): void
  onData(text: string): void
  /** It broke off or could not be opened, for a reason that may be the end of the server. It is tried again. */
  onBroken?(failure: WireFailure): void
  /** There is no such stream, or none any more. */
  onGiveUp(failure: WireFailure): void
}

export interface Place {
  readonly lastEventId?: string | undefined
  readonly retryMs?: number | undefined
}

/** Between two streams, unless the server says how long. */
const WAIT_MS = { first: 1000, growth: 1.5, most: 30_000 }

/** The longest a timer can wait. */
const LONGEST_MS = 2 ** 31 - 1

/** So often in a row may opening it fail. */
const MAX_FAILURES = 5

/** Refusals that are about the moment and not about us. */
const FOR_NOW: ReadonlySet<number> = new Set([408, 425, 429])

export class Listening implements AnswerListener {
  readonly #line: ListeningLine
  readonly #hooks: ListeningHooks
  #lastEventId: string | undefined
  #retryMs: number | undefined
  #exchange: Exchange | undefined
  #events: EventStream | undefined
  #cancelWait: (() => void) | undefined
  #isOver = false
  #failures = 0
  /** Streams in a row that brought nothing. */
  #fruitless = 0

  constructor(line: ListeningLine, hooks: ListeningHooks, place: Place = {}) {
    this.#line = line
    this.#hooks = hooks
    this.#lastEventId = place.lastEventId
    this.#retryMs = place.retryMs
  }

  open(): void {
    this.#events = undefined
    this.#exchange = new Exchange(this.#line.http, this.#line.toGet(this.#lastEventId), this)
  }

  /** After a stream that ended. */
  reopen(): void {
    if (this.#isOver) return
    const { first, growth, most } = WAIT_MS
    const ownMs = Math.min(first * growth ** this.#fruitless, most)
    // A server that asks to be called back at once, and never has anything to say, is not called at once for ever.
    const waitMs = this.#fruitless === 0 ? (this.#retryMs ?? ownMs) : Math.max(this.#retryMs ?? 0, ownMs)
    this.#fruitless++
    this.#cancelWait = this.#line.clock.after(Math.min(waitMs, LONGEST_MS), () => this.open())
  }

  abort(): void {
    this.#isOver = true
    this.#cancelWait?.()
    this.#exchange?.abort()
  }

  onSign(): void {
    this.#line.onSign()
  }

  onHead({ headers }: HttpHead): BodyUse {
    if (mediaType(headers) !== 'text/event-stream') {
      this.#giveUp({ kind: 'protocol', message: 'it did not answer with a stream of events' })
      return 'nothing'
    }
    this.#failures = 0
    this.#hooks.onOpen?.()
    this.#events = createEventStream({
      onEvent: ({ id, event, data }) => {
        this.#fruitless = 0
        if (id !== undefined) this.#lastEventId = id
        if (!this.#isOver && data !== '' && (event === undefined || event === 'message'))
          this.#hooks.onData(data)
      },
      onRetry: (ms) => (this.#retryMs = ms),
      onTooLarge: (message) => this.#giveUp({ kind: 'protocol', message }),
    })
    return 'pieces'
  }

  onText(text: string): void {
    this.#events?.push(text)
  }

  onEnd(): void {
    this.reopen()
  }

  onFailure(failure: WireFailure): void {
    // A stream that broke off is taken up again like one that ended.
    const isOver = this.#events === undefined && (isFinal(failure) || ++this.#failures >= MAX_FAILURES)
    if (isOver) return this.#giveUp(failure)
    if (failure.kind === 'network') this.#hooks.onBroken?.(failure)
    this.reopen()
  }

  #giveUp(failure: WireFailure): void {
    if (this.#isOver) return
    this.abort()
    this.#hooks.onGiveUp(failure)
  }
}

function isFinal(failure: WireFailure): boolean {
  if (failure.kind === 'http') return failure.status < 500 && !FOR_NOW.has(failure.status)
  return failure.kind !== 'network'
}
