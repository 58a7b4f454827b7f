/**
 * http-answer: the answer to one request: JSON, until there is something to tell before it.
 *
 * in     messages that belong to the request, and at last its answer; for a stream with a log, the connections on which its
 *        client reads it, one after the other
 * out    one JSON document, or a stream of events
 * never  stays silent for so long that somebody in between takes the connection for dead
 */
import { RPC_CODES, type Message } from '../../model/message.ts'
import type { Reply } from '../../world/world.ts'
import { toMessageText } from './message-text.ts'
import type { Beating, Heartbeats } from './heartbeats.ts'
import { MAX_EVENT, type EventLog } from './resumable-streams.ts'

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
  /** Where the events of its stream are kept, once it is one. Without: whoever loses the connection loses the stream. */
  readonly toLog?: ((answer: HttpAnswer) => EventLog) | undefined
}

/** How long a client waits before it comes back, unless it knows better. */
const RETRY_MS = 1000

export class HttpAnswer implements Beating {
  /** Undefined: the connection broke, and its client may come back. */
  #reply: Reply | undefined
  readonly #options: AnswerOptions
  #log: EventLog | undefined
  /** By which it is known to the heartbeats; none has the number 0. */
  #beating = 0
  #isStreaming = false
  #isOver = false

  constructor(reply: Reply, options: AnswerOptions) {
    this.#reply = reply
    this.#options = options
    if (options.canStream) this.#beating = options.heartbeats.add(this)
  }

  /**
   * Something that belongs to the request. False: its client takes no events, or hung up, or it cannot be written. A
   * question is not kept: its server must know whether it can be answered.
   */
  tell(message: Message): boolean {
    if (this.#isOver || !this.#options.canStream) return false
    if (this.#reply === undefined && 'method' in message && 'id' in message) return false
    const text = toMessageText(message)
    if (text === undefined) return false
    this.stream()
    this.#write(text)
    return true
  }

  /** The last one. */
  finish(message: Message, status: number): void {
    if (this.#isOver) return
    const text = toMessageText(message) ?? ''
    if (this.#isStreaming) {
      this.#write(text)
      if (text.length > MAX_EVENT) this.#log?.add(tooLong(message))
      this.end()
      return
    }
    const reply = this.#reply
    this.#close()
    const { headers: more } = this.#options
    const headers = more === undefined ? JSON_HEADERS : { ...more, ...JSON_HEADERS }
    reply?.send({ status, headers, body: text })
  }

  /** Without an answer: it was cancelled, or there is none. */
  end(): void {
    if (this.#isOver) return
    const reply = this.#reply
    this.#close()
    if (this.#isStreaming) reply?.end()
    else reply?.send({ status: 204, headers: {}, body: '' })
  }

  /** From now on a stream, although there is nothing to tell yet. */
  stream(): void {
    if (this.#isStreaming || this.#isOver) return
    this.#isStreaming = true
    this.#reply?.stream(200, { ...this.#options.headers, ...STREAM_HEADERS })
    this.#log = this.#options.toLog?.(this)
    // An id before anything can go wrong, and when to come back.
    if (this.#log !== undefined) this.#reply?.write(toEvent('', this.#log.add(''), RETRY_MS))
  }

  /** On another connection, since the one before broke: what came after `event`, and what comes. */
  resume(reply: Reply, event: number): void {
    const log = this.#log
    if (log === undefined) return
    this.#reply?.end()
    this.#options.heartbeats.remove(this.#beating)
    this.#reply = reply
    reply.stream(200, STREAM_HEADERS)
    for (const { id, text } of log.after(event)) reply.write(toEvent(text, id))
    if (this.#isOver) reply.end()
    else this.#beating = this.#options.heartbeats.add(this)
  }

  /** What was sent after `event` on connections before this one. */
  repeat(event: number): void {
    for (const { id, text } of this.#log?.after(event) ?? []) this.#reply?.write(toEvent(text, id))
  }

  /** The connection broke: nobody reads it any more, unless there is a log to read on from. */
  abandon(reply?: Reply): void {
    if (reply !== undefined && reply !== this.#reply) return
    this.#reply = undefined
    this.#options.heartbeats.remove(this.#beating)
    if (this.#log === undefined) this.#close()
  }

  /** After so long without an answer it becomes a stream. */
  beat(): void {
    if (this.#isOver) return
    this.stream()
    this.#reply?.write(': still here\n\n')
  }

  #write(text: string): void {
    const id = this.#log?.add(text)
    this.#reply?.write(toEvent(text, id))
  }

  #close(): void {
    this.#isOver = true
    this.#options.heartbeats.remove(this.#beating)
  }
}

function toEvent(text: string, id?: string, retryMs?: number): string {
  const retry = retryMs === undefined ? '' : `retry: ${retryMs}\n`
  return `event: message\n${id === undefined ? '' : `id: ${id}\n`}${retry}data: ${text}\n\n`
}

/** The answer for a client that was away when a long one came. */
function tooLong(message: Message): string {
  const id = 'id' in message ? message.id : null
  const error = {
    code: RPC_CODES.internalError,
    message: 'the answer came while the client was away, and is too long to be kept: it may have happened',
  }
  return JSON.stringify({ jsonrpc: '2.0', id, error })
}
