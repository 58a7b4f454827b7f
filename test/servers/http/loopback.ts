/**
 * loopback: a real HTTP server on this machine that answers as a test says, and remembers what it was asked.
 */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
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
  readonly port: number
  readonly url: string
  readonly received: readonly Received[]
  /** Resolves when so many requests of a method have come: an HTTP method, or one of a message. */
  until(method: string, count?: number): Promise<Received>
  /** Takes no new connections; resolves when the last one is over. */
  stopListening(): Promise<void>
}

export interface ServeOptions {
  /** One that is free, unless given. */
  readonly port?: number
  /** Then it speaks TLS. */
  readonly certificate?: { readonly key: string; readonly cert: string }
  /** The bytes of headers it takes. Default: Node's 16 KB. */
  readonly maxHeaderSize?: number
}

export async function serve(
  answer: (request: Received) => void,
  { port: wanted = 0, certificate, ...limits }: ServeOptions = {},
): Promise<Loopback> {
  const received: Received[] = []
  let wake: (() => void)[] = []
  const listener: RequestListener = (request, response) => {
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
  }
  const server =
    certificate === undefined
      ? createServer(limits, listener)
      : createSecureServer({ ...certificate, ...limits }, listener)
  // Whoever does not trust the certificate hangs up.
  server.on('tlsClientError', () => undefined)
  server.listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const origin = `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`
  return {
    origin,
    port,
    url: `${origin}/mcp`,
    received,
    async until(method, count = 1) {
      for (;;) {
        const matching = received.filter((one) => one.method === method || one.message?.method === method)
        if (matching.length >= count) return matching[count - 1]!
        await new Promise<void>((resolve) => wake.push(resolve))
      }
    },
    async stopListening() {
      server.close()
      await once(server, 'close')
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

type Answer = (params: Readonly<Record<string, unknown>>) => unknown

/**
 * Answers as a small server of the older revisions would, with the one tool `echo` and no stream of its own. `methods`
 * come first; one that gives `undefined` has answered by itself.
 */
export function answerLegacy(request: Received, methods: Readonly<Record<string, Answer>> = {}): void {
  const { method, message, response } = request
  if (method !== 'POST') return void response.writeHead(method === 'DELETE' ? 200 : 405).end()
  if (message.id === undefined) return void response.writeHead(202).end()
  const answer = methods[message.method] ?? LEGACY[message.method]
  const { id } = message
  if (answer === undefined) {
    return sendJson(request, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } })
  }
  const result = answer((message.params ?? {}) as Readonly<Record<string, unknown>>)
  if (result !== undefined) sendResult(request, result)
}

const LEGACY: Readonly<Record<string, Answer>> = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'loopback', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
  'tools/call': ({ arguments: given }) => ({
    content: [{ type: 'text', text: String((given as { readonly text?: unknown } | undefined)?.text ?? '') }],
  }),
}

export function startEvents({ response }: Received): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  return response
}

export function toEvent(message: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`
}
