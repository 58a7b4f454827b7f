/**
 * serving: HTTP that others ask of us, on `node:http`.
 *
 * never  reads more of a request than it may have; waits for ever for one that does not end; keeps what nobody reads
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ListenOptions, Reply, RequestHandler, RequestHead, Serving, WholeReply } from '../world.ts'

/** Written, and not read by the other side. A stream that falls back this far is ended. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024

/** Connections that nobody uses. Longer than the clients of most libraries keep theirs. */
const KEEP_ALIVE_MS = 30_000

export const nodeServing: Serving = {
  async listen(options, handler) {
    const { createServer } = await import('node:http')
    const { host, port, maxHeaderBytes, requestTimeoutMs } = options
    const server = createServer(
      {
        maxHeaderSize: maxHeaderBytes,
        headersTimeout: requestTimeoutMs,
        requestTimeout: requestTimeoutMs,
        keepAliveTimeout: KEEP_ALIVE_MS,
        // How soon the limits above are noticed.
        connectionsCheckingInterval: Math.min(requestTimeoutMs, 5000),
        noDelay: true,
      },
      (request, response) => receive(request, response, { options, handler }),
    )
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port }, resolve)
    })
    const address = server.address()
    return {
      port: typeof address === 'object' && address !== null ? address.port : port,
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve())
          server.closeAllConnections()
        }),
    }
  },
}

interface Desk {
  readonly options: ListenOptions
  readonly handler: RequestHandler
}

function receive(request: IncomingMessage, response: ServerResponse, { options, handler }: Desk): void {
  const { method = '', url = '', headers } = request
  const head: RequestHead = { method, path: url, headers }
  const refusal = handler.refuse(head) ?? refuseLength(request, options)
  if (refusal !== undefined) return turnAway(request, response, refusal)
  const chunks: Buffer[] = []
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > options.maxBodyBytes) turnAway(request, response, TOO_LARGE)
    else chunks.push(chunk)
  })
  request.on('end', () => {
    if (!response.writableEnded) handler.onRequest(head, toText(chunks), toReply(response))
  })
  // One that breaks off in the middle was never made.
  request.on('error', () => undefined)
}

const TOO_LARGE: WholeReply = {
  status: 413,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'The body is too large.\n',
}

function refuseLength({ headers }: IncomingMessage, { maxBodyBytes }: ListenOptions): WholeReply | undefined {
  return Number(headers['content-length'] ?? 0) > maxBodyBytes ? TOO_LARGE : undefined
}

/** The rest of the request is not read, so the connection cannot be used again. */
function turnAway(request: IncomingMessage, response: ServerResponse, reply: WholeReply): void {
  if (response.writableEnded) return
  const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding']
  if (hasBody) response.setHeader('connection', 'close')
  sendWhole(response, reply)
  request.removeAllListeners('data')
  request.resume()
}

function sendWhole(response: ServerResponse, { status, headers, body }: WholeReply): void {
  const bytes = Buffer.from(body)
  response.writeHead(status, { ...headers, 'content-length': bytes.length })
  response.end(bytes)
}

function toText(chunks: readonly Buffer[]): string {
  return (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8')
}

function toReply(response: ServerResponse): Reply {
  return {
    send: (reply) => {
      if (!response.writableEnded && !response.destroyed) sendWhole(response, reply)
    },
    stream(status, headers) {
      response.writeHead(status, headers)
      response.flushHeaders()
    },
    write(text) {
      if (response.writableEnded || response.destroyed) return
      response.write(text)
      if (response.writableLength > MAX_UNREAD_BYTES) response.destroy()
    },
    end: () => void response.end(),
    onGone: (listener) =>
      void response.once('close', () => {
        if (!response.writableFinished) listener()
      }),
  }
}
