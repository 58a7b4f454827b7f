/**
 * stdio-front: the gateway for the one client that started it, of either era.
 *
 * in     lines of its stdin
 * out    lines on stdout, and nothing else there; resolves when the client is gone
 */
import { isObject } from '../../base/is-object.ts'
import { Lines } from '../../base/lines.ts'
import { RPC_CODES, type Message, type RequestId, type RpcRequest } from '../../model/message.ts'
import type { InputListener } from '../../world/world.ts'
import { eraOf } from './era.ts'
import { toFault } from './fault.ts'
import type { Gateway } from './gateway.ts'
import { LegacyClient } from './legacy-client.ts'
import { answerModern } from './modern-client.ts'
import type { View } from './view.ts'

export interface Pipe {
  onInput(listener: InputListener): void
  out(text: string): void
}

const MAX_LINE_LENGTH = 64 * 1024 * 1024

/** Until the client closes its end. */
export function serveStdio(gateway: Gateway, view: View, pipe: Pipe): Promise<void> {
  const client = new StdioClient(gateway, view, (message) => pipe.out(`${JSON.stringify(message)}\n`))
  return new Promise((resolve) => {
    const lines = new Lines({
      maxLength: MAX_LINE_LENGTH,
      onLine: (line) => client.onLine(line),
      onTooLong: () => client.refuse('the line is too long'),
    })
    pipe.onInput({
      onText: (text) => lines.push(text),
      onEnd() {
        lines.flush()
        client.close()
        resolve()
      },
    })
  })
}

class StdioClient {
  readonly #gateway: Gateway
  readonly #view: View
  readonly #send: (message: Message) => void
  readonly #legacy: LegacyClient
  readonly #underWay = new Map<RequestId, AbortController>()
  /** Legacy: what is not asked for goes to whoever has said hello. */
  #hasGreeted = false

  constructor(gateway: Gateway, view: View, send: (message: Message) => void) {
    this.#gateway = gateway
    this.#view = view
    this.#send = send
    this.#legacy = new LegacyClient(gateway, view, (message) => {
      if (this.#hasGreeted) send(message)
    })
  }

  onLine(line: string): void {
    const message = parse(line)
    if (message === undefined) return this.refuse('the line is not one JSON-RPC message')
    if (!('method' in message)) return this.#legacy.onAnswer(message)
    if (!('id' in message)) {
      const { method, params = {} } = message
      if (method === 'notifications/cancelled') this.#underWay.get(params['requestId'] as RequestId)?.abort()
      return this.#legacy.onNotification(method, params)
    }
    if (eraOf(message.params) === 'modern' || message.method === 'server/discover')
      void this.#answerModern(message)
    else {
      if (message.method === 'initialize') this.#hasGreeted = true
      void this.#legacy.onRequest(message, this.#send)
    }
  }

  refuse(message: string): void {
    this.#send({ jsonrpc: '2.0', id: null, error: { code: RPC_CODES.parseError, message } })
  }

  close(): void {
    this.#legacy.close()
    for (const one of this.#underWay.values()) one.abort()
  }

  async #answerModern(message: RpcRequest): Promise<void> {
    const { id } = message
    const controller = new AbortController()
    const { signal } = controller
    this.#underWay.set(id, controller)
    try {
      const result = await answerModern(this.#gateway, message, {
        view: this.#view,
        client: this,
        desk: this.#legacy.desk,
        send: (told) => {
          if (!signal.aborted) this.#send(told)
        },
        signal,
      })
      if (!signal.aborted) this.#send({ jsonrpc: '2.0', id, result })
    } catch (error) {
      if (!signal.aborted) this.#send({ jsonrpc: '2.0', id, error: toFault(error).fault })
    } finally {
      this.#underWay.delete(id)
    }
  }
}

function parse(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) && value['jsonrpc'] === '2.0' ? (value as unknown as Message) : undefined
  } catch {
    return undefined // told as an error of the protocol
  }
}
