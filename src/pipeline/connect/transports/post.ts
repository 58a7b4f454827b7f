/**
 * post: sends one message over Streamable HTTP and reads the answer to it.
 *
 * in     the message and the request that carries it
 * out    messages; for a request that gets no answer, one failure
 * never  calls its listener after it was aborted
 */
import { describeWireFailure } from '../../../model/session.ts'
import type { Message, RequestId } from '../../../model/message.ts'
import type { SendOptions, Sent, WireFailure, WireListener } from '../../../model/wire.ts'
import type { BodyUse, HttpHead } from '../../../world/world.ts'
import { titleOf } from '../page.ts'
import { isMessage } from './deliver.ts'
import { createEventStream, type EventStream } from './event-stream.ts'
import { Exchange, type AnswerListener, type ExchangeRequest } from './exchange.ts'
import { Listening, type ListeningLine } from './listening.ts'
import { mediaType } from './media-type.ts'

/** What a message needs from its wire. */
export interface PostLine extends ListeningLine {
  readonly listener: WireListener
  /** The server accepted the message. This call comes before those for its answer. */
  onAccepted(message: Message, head: HttpHead): void
  /** The request has its answer, but its stream is still open. */
  onLinger(post: Post): void
  onOver(post: Post): void
}

export interface Letter {
  readonly message: Message
  readonly options: SendOptions
  readonly request: ExchangeRequest
  /** A 404 then means that the server has forgotten the session, whatever else the answer says. */
  readonly hasSession: boolean
}

/** More than a log keeps of a line. The rest is never shown, because the cut may be inside a secret. */
const NOISE_LENGTH = 16 * 1024

export class Post implements AnswerListener, Sent {
  /** The number under which its wire keeps it. */
  number = 0
  readonly #line: PostLine
  readonly #letter: Letter
  /** Undefined: the message expects no answer. */
  readonly #id: RequestId | undefined
  #exchange: Exchange | undefined
  #events: EventStream | undefined
  #lastEventId: string | undefined
  #retryMs: number | undefined
  /** Resumes a stream that ended too early. */
  #rest: Listening | undefined
  /** The title of a web page that came instead of an answer. */
  #page: string | undefined
  #isAnswered = false
  #isOver = false

  constructor(line: PostLine, letter: Letter) {
    const { message } = letter
    this.#line = line
    this.#letter = letter
    this.#id = 'method' in message && 'id' in message ? message.id : undefined
  }

  get message(): Message {
    return this.#letter.message
  }

  start(): void {
    this.#exchange = new Exchange(this.#line.http, this.#letter.request, this)
  }

  abort(): void {
    if (this.#isOver) return
    this.#finish()
    this.#exchange?.abort()
    this.#rest?.abort()
  }

  onSign(): void {
    this.#line.onSign()
  }

  onHead(head: HttpHead): BodyUse {
    this.#line.onAccepted(this.#letter.message, head)
    const type = mediaType(head.headers)
    if (this.#id === undefined) return this.#passOver(type)
    if (type === 'application/json' || type.endsWith('+json') || type === '') return 'whole'
    if (type === 'text/event-stream') {
      this.#events = this.#readEvents()
      return 'pieces'
    }
    if (type === 'text/html') {
      this.#page = ''
      return 'whole'
    }
    this.#fail({
      kind: 'protocol',
      message: `it answered with \`${show(type)}\` and not with JSON or events`,
    })
    this.#exchange?.abort()
    return 'nothing'
  }

  onText(text: string): void {
    if (this.#events !== undefined) this.#events.push(text)
    else if (this.#page !== undefined) this.#page = titleOf(text) ?? ''
    else if (!this.#receive(text)) this.#fail({ kind: 'protocol', message: 'it answered with invalid JSON' })
  }

  onEnd(): void {
    if (this.#isAnswered || this.#id === undefined) this.#finish()
    else if (this.#page !== undefined) this.#fail({ kind: 'page', title: this.#page })
    else if (!this.#takeUp()) this.#fail({ kind: 'protocol', message: 'it did not answer the request' })
  }

  onFailure(failure: WireFailure, body: string): void {
    if (this.#isAnswered) return this.#finish()
    if (failure.kind === 'http' && this.#isAnswer(failure.status, body)) return this.#finish()
    if (!this.#takeUp()) this.#fail(failure)
  }

  /** A body after a plain "accepted" is not for this client; a stream there would never end. */
  #passOver(type: string): BodyUse {
    if (type !== 'text/event-stream') return 'nothing'
    this.#finish()
    this.#exchange?.abort()
    return 'nothing'
  }

  #readEvents(): EventStream {
    return createEventStream({
      onEvent: ({ id, event, data }) => {
        if (id !== undefined) this.#lastEventId = id
        if (data !== '' && (event === undefined || event === 'message')) this.#hear(data)
      },
      onRetry: (ms) => (this.#retryMs = ms),
      onTooLarge: (message) => {
        this.#fail({ kind: 'protocol', message })
        this.#exchange?.abort()
      },
    })
  }

  #hear(data: string): void {
    const wasAnswered = this.#isAnswered
    if (!this.#receive(data)) this.#line.listener.onNoise?.(data.slice(0, NOISE_LENGTH))
    if (this.#isAnswered && !wasAnswered && !this.#isOver) this.#line.onLinger(this)
  }

  /** False: the text is no message of the protocol. */
  #receive(text: string): boolean {
    const value = tryJson(text)
    if (isMessage(value)) this.#take(value)
    // Revision 2025-03-26 allowed several messages in one list.
    else if (Array.isArray(value) && value.every(isMessage)) for (const one of value) this.#take(one)
    else return false
    return true
  }

  #take(message: Message): void {
    if (this.#isOver) return
    const told = this.#events === undefined ? this.#address(message) : message
    if (!('method' in told) && told.id === this.#id) this.#isAnswered = true
    this.#line.listener.onMessage(told, this.#id)
  }

  /**
   * A server that could not read the request sends an error without an id. It belongs to this request: only this
   * request reads this body.
   */
  #address(message: Message): Message {
    const isNobodys = 'error' in message && (message.id === undefined || message.id === null)
    return isNobodys && this.#id !== undefined ? { ...message, id: this.#id } : message
  }

  /** For some statuses, the JSON-RPC error in the body says more. */
  #isAnswer(status: number, body: string): boolean {
    const isOurs = status === 401 || status === 403 || (status === 404 && this.#letter.hasSession)
    if (isOurs || this.#id === undefined) return false
    const value = tryJson(body)
    if (!isMessage(value) || !('error' in value) || value.id !== this.#id) return false
    this.#take(value)
    return true
  }

  /** Resumes a stream that ended before the answer, if the server gave an event id. */
  #takeUp(): boolean {
    if (this.#isOver) return true
    if (this.#events === undefined || !this.#lastEventId) return false
    this.#rest = new Listening(
      this.#line,
      {
        onData: (data) => {
          this.#hear(data)
          if (this.#isAnswered) this.abort()
        },
        onGiveUp: (failure) => this.#fail(toLostAnswer(failure)),
      },
      { lastEventId: this.#lastEventId, retryMs: this.#retryMs },
    )
    this.#rest.reopen()
    return true
  }

  #fail(failure: WireFailure): void {
    if (this.#isOver) return
    this.#finish()
    const isNoSession = failure.kind === 'http' && failure.status === 404 && !this.#letter.hasSession
    this.#letter.options.onFailure?.(isNoSession ? { ...failure, hadNoSession: true } : failure)
  }

  #finish(): void {
    this.#isOver = true
    this.#line.onOver(this)
  }
}

/**
 * The server accepted the request. A later failure says nothing about the request: the server may have forgotten the
 * session, the sign-in may be over, or the port may be closed. The next request meets these failures itself. This
 * request must not count as one that never arrived, because the caller would send it again.
 */
function toLostAnswer(failure: WireFailure): WireFailure {
  const why =
    failure.kind === 'http'
      ? `it refused to go on with it (HTTP ${failure.status})`
      : `the rest could not be had: ${describeWireFailure(failure)}`
  return { kind: 'protocol', message: `its answer broke off, and ${why}` }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // the caller reports it as noise, or as a failure
  }
}

/** Text from a server, made safe for a message. */
function show(type: string): string {
  return type.replaceAll(/[^\w/+.-]/g, '').slice(0, 60)
}
