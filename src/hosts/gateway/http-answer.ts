/**
 * http-answer: the answer to one request: JSON, or a stream of events once there is something to send before it.
 *
 * in     messages that belong to the request, then its answer; for a stream with a log, each connection on which its
 *        client reads it
 * out    one JSON document, or a stream of events
 * never  stays silent for so long that a proxy takes the connection for dead
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
  /** Whether the client accepts events. */
  readonly canStream: boolean
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Where the events are kept once the answer is a stream. Without a log, a client that loses the connection loses the
   * stream.
   */
  readonly toLog?: ((answer: HttpAnswer) => EventLog) | undefined
}

/** How long a client waits before it reconnects, unless its own settings differ. */
const RETRY_MS = 1000

export class HttpAnswer implements Beating {
  /** Undefined: the connection broke, and the client may reconnect. */
  #reply: Reply | undefined
  readonly #options: AnswerOptions
  #log: EventLog | undefined
  /** Its number in the heartbeats; no answer has the number 0. */
  #beating = 0
  #isStreaming = false
  #isOver = false

  constructor(reply: Reply, options: AnswerOptions) {
    this.#reply = reply
    this.#options = options
    if (options.canStream) this.#beating = options.heartbeats.add(this)
  }

  /**
   * Sends a message that belongs to the request. False: the client accepts no events, or disconnected, or the message
   * cannot be written. A question to the client is not kept in the log: its server must know whether the client can
   * answer.
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

  /** The last message. */
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

  /** Ends without an answer: the request was cancelled, or needs no answer. */
  end(): void {
    if (this.#isOver) return
    const reply = this.#reply
    this.#close()
    if (this.#isStreaming) reply?.end()
    else reply?.send({ status: 204, headers: {}, body: '' })
  }

  /** Makes the answer a stream, although there is nothing to send yet. */
  stream(): void {
    if (this.#isStreaming || this.#isOver) return
    this.#isStreaming = true
    this.#reply?.stream(200, { ...this.#options.headers, ...STREAM_HEADERS })
    this.#log = this.#options.toLog?.(this)
    // First an event id and the retry time, in case the connection breaks later.
    if (this.#log !== undefined) this.#reply?.write(toEvent('', this.#log.add(''), RETRY_MS))
  }

  /** Continues on a new connection after the old one broke: repeats what came after `event`, then sends what comes. */
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

  /** Repeats what was sent after `event` on earlier connections. */
  repeat(event: number): void {
    for (const { id, text } of this.#log?.after(event) ?? []) this.#reply?.write(toEvent(text, id))
  }

  /** The connection broke. The answer ends here, unless a log allows the client to read on. */
  abandon(reply?: Reply): void {
    if (reply !== undefined && reply !== this.#reply) return
    this.#reply = undefined
    this.#options.heartbeats.remove(this.#beating)
    if (this.#log === undefined) this.#close()
  }

  /** An answer that takes this long becomes a stream. */
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

/** The answer for a client that was disconnected when a long one came. */
function tooLong(message: Message): string {
  const id = 'id' in message ? message.id : null
  const error = {
    code: RPC_CODES.internalError,
    message: 'the answer came while the client was away, and is too long to be kept: it may have happened',
  }
  return JSON.stringify({ jsonrpc: '2.0', id, error })
}
