/**
 * listening: a stream of events that the server may end at any time, and that the client then resumes.
 *
 * in     the position in the stream, and the delay that the server asks for
 * out    the data of each event, until the caller stops or the server has no such stream
 * never  reconnects earlier than the server said; retries without end when the server keeps refusing
 */
import type { WireFailure } from '../../../model/wire.ts'
import type { BodyUse, Clock, Http, HttpHead } from '../../../world/world.ts'
import { createEventStream, type EventStream } from './event-stream.ts'
import { Exchange, type AnswerListener, type ExchangeRequest } from './exchange.ts'
import { mediaType } from './media-type.ts'

/** What a stream needs from its wire. */
export interface ListeningLine {
  readonly http: Http
  readonly clock: Clock
  onSign(): void
  /** The request for the stream, or for the rest of one. */
  toGet(lastEventId: string | undefined): ExchangeRequest
}

export interface ListeningHooks {
  /** The server has opened the stream, perhaps not for the first time. */
  onOpen?(): void
  onData(text: string): void
  /** The stream broke off or could not open. The server may be gone; the client retries. */
  onBroken?(failure: WireFailure): void
  /** The server has no such stream, or no longer has it. */
  onGiveUp(failure: WireFailure): void
}

export interface StreamPosition {
  readonly lastEventId?: string | undefined
  readonly retryMs?: number | undefined
}

/** The delay between two streams, unless the server sets one. */
const WAIT_MS = { first: 1000, growth: 1.5, most: 30_000 }

/** The longest delay of a timer in Node. */
const LONGEST_MS = 2 ** 31 - 1

/** So many attempts in a row may fail. */
const MAX_FAILURES = 5

/** Refusals that are temporary and do not depend on this client. */
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
  /** How many streams in a row brought no event. */
  #fruitless = 0

  constructor(line: ListeningLine, hooks: ListeningHooks, place: StreamPosition = {}) {
    this.#line = line
    this.#hooks = hooks
    this.#lastEventId = place.lastEventId
    this.#retryMs = place.retryMs
  }

  open(): void {
    this.#events = undefined
    this.#exchange = new Exchange(this.#line.http, this.#line.toGet(this.#lastEventId), this)
  }

  /** Opens the stream again after it ended. */
  reopen(): void {
    if (this.#isOver) return
    const { first, growth, most } = WAIT_MS
    const ownMs = Math.min(first * growth ** this.#fruitless, most)
    // A server may ask for an immediate reconnect and never send an event. The client still waits longer each time.
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
    // A stream that broke off is resumed like one that ended.
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
