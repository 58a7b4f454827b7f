/**
 * loopback: a real HTTP server on this machine that answers as a test says, and remembers what it was asked.
 */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RequestId } from '../../../src/model/message.ts'

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The JSON of the body. Only a POST has one. */
  readonly message: { readonly id?: RequestId; readonly method: string; readonly params?: unknown }
  readonly response: ServerResponse
  /** `performance.now()`. */
  readonly at: number
}

export interface Loopback extends AsyncDisposable {
  readonly origin: string
  readonly url: string
  readonly received: readonly Received[]
  /** Resolves when so many requests of a method have come: an HTTP method, or one of a message. */
  until(method: string, count?: number): Promise<Received>
}

export async function serve(answer: (request: Received) => void): Promise<Loopback> {
  const received: Received[] = []
  let wake: (() => void)[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    // A client that goes away is part of many tests.
    request.on('error', () => undefined)
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const one: Received = {
        method: request.method!,
        path: request.url!,
        headers: request.headers,
        message: text === '' ? undefined : JSON.parse(text),
        response,
        at: performance.now(),
      }
      received.push(one)
      answer(one)
      const woken = wake
      wake = []
      for (const tell of woken) tell()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    url: `${origin}/mcp`,
    received,
    async until(method, count = 1) {
      for (;;) {
        const matching = received.filter((one) => one.method === method || one.message?.method === method)
        if (matching.length >= count) return matching[count - 1]!
        await new Promise<void>((resolve) => wake.push(resolve))
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export function sendJson({ response }: Received, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** The usual answer to a request, 202 to everything else. */
export function sendResult(request: Received, result: unknown = {}): void {
  const id = request.message?.id
  if (id === undefined) request.response.writeHead(202).end()
  else sendJson(request, { jsonrpc: '2.0', id, result })
}

export function startEvents({ response }: Received): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  return response
}

export function toEvent(message: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`
}
