/**
 * stdio-front: the gateway for the one client that started it, of either era.
 *
 * in     lines of its stdin
 * out    lines on stdout, and nothing else there; resolves when the client is gone
 * never  gives up running requests as soon as stdin ends: the lines may come from a file
 */
import { Abort } from '../../base/abort.ts'
import { Lines } from '../../base/lines.ts'
import { RPC_CODES, type Message, type RequestId, type RpcRequest } from '../../model/message.ts'
import type { Era } from '../../model/session.ts'
import type { InputListener } from '../../world/world.ts'
import { eraOf, META, metaOf } from './era.ts'
import { toFault } from './fault.ts'
import type { Gateway } from './gateway.ts'
import { LegacyClient, nameOfClient } from './legacy-client.ts'
import { readMessage, toMessageText } from './message-text.ts'
import { answerModern } from './modern-client.ts'
import { ENDED } from './open-answers.ts'
import { PARENT } from './principal.ts'
import type { RequestRecord } from './sighting.ts'
import type { View } from './view.ts'

export interface Pipe {
  onInput(listener: InputListener): void
  out(text: string): void
}

const MAX_LINE_LENGTH = 64 * 1024 * 1024

/**
 * Time for running requests after the client has closed its end. Less than the two seconds after which clients send a
 * signal.
 */
const FINISH_MS = 1500

export interface StdioFront {
  /** The client has closed its end, and the answers that could finish in time are sent. */
  readonly isOver: Promise<void>
  /** Gives up running requests, and tells the client. */
  close(): void
}

export function serveStdio(gateway: Gateway, view: View, pipe: Pipe): StdioFront {
  const client = new StdioClient(gateway, view, (message) => {
    const text = toMessageText(message)
    if (text === undefined) return 0
    const line = `${text}\n`
    pipe.out(line)
    return line.length
  })
  const isOver = new Promise<void>((resolve) => {
    const lines = new Lines({
      maxLength: MAX_LINE_LENGTH,
      onLine: (line) => client.onLine(line),
      onTooLong: () => client.refuse('the line is too long'),
    })
    pipe.onInput({
      onText: (text) => lines.push(text),
      onEnd() {
        lines.flush()
        void client.finish().finally(resolve)
      },
    })
  })
  return { isOver, close: () => client.close() }
}

class StdioClient {
  readonly #gateway: Gateway
  readonly #view: View
  /** Returns the length of the written text. 0: it cannot be written. */
  readonly #send: (message: Message) => number
  readonly #legacy: LegacyClient
  readonly #underWay = new Map<RequestId, Abort>()
  /** Answers that are not sent yet; none rejects. */
  readonly #answers = new Map<Promise<void>, RequestId>()
  /** Legacy: the client has sent `initialize`, so it may get messages that answer no request. */
  #hasGreeted = false

  constructor(gateway: Gateway, view: View, send: (message: Message) => number) {
    this.#gateway = gateway
    this.#view = view
    this.#send = send
    this.#legacy = new LegacyClient(gateway, view, {
      tell: (message) => {
        return this.#hasGreeted ? send(message) > 0 : undefined
      },
      principal: PARENT,
    })
  }

  onLine(line: string): void {
    const read = readMessage(line, 'line')
    if (read.kind === 'refused') return void this.#send(read.answer)
    const { message } = read
    if (!('method' in message)) return this.#legacy.onAnswer(message)
    if (!('id' in message)) {
      const { method, params = {} } = message
      if (method === 'notifications/cancelled') this.#underWay.get(params['requestId'] as RequestId)?.abort()
      return this.#legacy.onNotification(method, params)
    }
    const isModern = eraOf(message.params) === 'modern' || message.method === 'server/discover'
    if (!isModern && message.method === 'initialize') this.#hasGreeted = true
    const answer = isModern
      ? this.#answerModern(message, line.length)
      : this.#answerLegacy(message, line.length)
    // A stream of changes has no end to wait for.
    if (message.method === 'subscriptions/listen') return
    this.#answers.set(answer, message.id)
    void answer.finally(() => this.#answers.delete(answer))
  }

  /** Call it last. Resolves when all requests are answered, or when that takes too long. */
  async finish(): Promise<void> {
    await this.#untilAnswered()
    this.#legacy.close()
    for (const one of this.#underWay.values()) one.abort()
  }

  close(): void {
    for (const id of this.#answers.values()) this.#send({ jsonrpc: '2.0', id, error: ENDED })
    this.#legacy.close()
    for (const one of this.#underWay.values()) one.abort()
  }

  async #untilAnswered(): Promise<void> {
    if (this.#answers.size === 0) return
    let stop = (): void => undefined
    const late = new Promise<void>((resolve) => {
      stop = this.#gateway.world.clock.after(FINISH_MS, resolve)
    })
    await Promise.race([Promise.all(this.#answers.keys()), late])
    stop()
  }

  refuse(message: string): void {
    this.#send({ jsonrpc: '2.0', id: null, error: { code: RPC_CODES.parseError, message } })
  }

  /** Sizes are those of the text. */
  #see(era: Era, { method, params = {} }: RpcRequest, bytes: number): RequestRecord | undefined {
    if (method === 'subscriptions/listen') return undefined
    const client = era === 'legacy' ? this.#legacy.name : nameOfClient(metaOf(params)[META.info])
    return this.#gateway.seeing.begin({ principal: PARENT, era, method, params, client, bytes })
  }

  async #answerLegacy(message: RpcRequest, bytes: number): Promise<void> {
    const sighting = this.#see('legacy', message, bytes)
    let sent = 0
    const send = (told: Message): void => void (sent += this.#send(told))
    await this.#legacy.onRequest(message, send, sighting)
    sighting?.end(sent)
  }

  async #answerModern(message: RpcRequest, bytes: number): Promise<void> {
    const { id } = message
    const sighting = this.#see('modern', message, bytes)
    let sent = 0
    const signal = new Abort()
    this.#underWay.set(id, signal)
    try {
      const result = await answerModern(this.#gateway, message, {
        view: this.#view,
        principal: PARENT,
        client: this,
        instance: this.#legacy,
        desk: this.#legacy.desk,
        send: (told) => {
          if (!signal.aborted) sent += this.#send(told)
        },
        signal,
        sighting,
      })
      if (!signal.aborted) sent += this.#send({ jsonrpc: '2.0', id, result })
    } catch (error) {
      if (signal.aborted) sighting?.aborted()
      else sighting?.failed(error)
      if (!signal.aborted) sent += this.#send({ jsonrpc: '2.0', id, error: toFault(error).fault })
    } finally {
      if (signal.aborted) sighting?.aborted()
      sighting?.end(sent)
      this.#underWay.delete(id)
    }
  }
}
