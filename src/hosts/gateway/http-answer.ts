/**
 * http-answer: the answer to one request: JSON, until there is something to tell before it.
 *
 * in     messages that belong to the request, and at last its answer
 * out    one JSON document, or a stream of events
 * never  stays silent for so long that somebody in between takes the connection for dead
 */
import type { Message } from '../../model/message.ts'
import type { Reply } from '../../world/world.ts'
import { toMessageText } from './message-text.ts'
import type { Beating, Heartbeats } from './heartbeats.ts'

const JSON_HEADERS = { 'content-type': 'application/json' }

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

export interface AnswerOptions {
  readonly heartbeats: Heartbeats
  /** Whether the client takes events. */
  readonly canStream: boolean
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export class HttpAnswer implements Beating {
  readonly #reply: Reply
  readonly #options: AnswerOptions
  /** By which it is known to the heartbeats; none has the number 0. */
  #beating = 0
  #isStreaming = false
  #isOver = false

  constructor(reply: Reply, options: AnswerOptions) {
    this.#reply = reply
    this.#options = options
    if (options.canStream) this.#beating = options.heartbeats.add(this)
  }

  /** Something that belongs to the request. False: its client takes no events, or hung up, or it cannot be written. */
  tell(message: Message): boolean {
    if (this.#isOver || !this.#options.canStream) return false
    const text = toMessageText(message)
    if (text === undefined) return false
    this.stream()
    this.#reply.write(toEvent(text))
    return true
  }

  /** The last one. */
  finish(message: Message, status: number): void {
    if (this.#isOver) return
    const text = toMessageText(message) ?? ''
    if (this.#isStreaming) {
      this.#reply.write(toEvent(text))
      this.end()
      return
    }
    this.#close()
    const { headers: more } = this.#options
    const headers = more === undefined ? JSON_HEADERS : { ...more, ...JSON_HEADERS }
    this.#reply.send({ status, headers, body: text })
  }

  /** Without an answer: it was cancelled, or there is none. */
  end(): void {
    if (this.#isOver) return
    this.#close()
    if (this.#isStreaming) this.#reply.end()
    else this.#reply.send({ status: 204, headers: {}, body: '' })
  }

  /** From now on a stream, although there is nothing to tell yet. */
  stream(): void {
    if (this.#isStreaming || this.#isOver) return
    this.#isStreaming = true
    this.#reply.stream(200, { ...this.#options.headers, ...STREAM_HEADERS })
  }

  /** Nobody reads it any more. */
  abandon(): void {
    this.#close()
  }

  /** After so long without an answer it becomes a stream. */
  beat(): void {
    if (this.#isOver) return
    this.stream()
    this.#reply.write(': still here\n\n')
  }

  #close(): void {
    this.#isOver = true
    this.#options.heartbeats.remove(this.#beating)
  }
}

function toEvent(text: string): string {
  return `event: message\ndata: ${text}\n\n`
}
