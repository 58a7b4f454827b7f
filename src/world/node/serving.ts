/**
 * serving: an HTTP server, on `node:http` and `node:https`.
 *
 * never  reads more of a request than the limit; waits for ever for a request that does not end; keeps output that a
 *        client does not read; answers a request that names two hosts
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type {
  Admission,
  ListenOptions,
  Reply,
  RequestHandler,
  RequestHead,
  Serving,
  WholeReply,
} from '../world.ts'
import { Backlog } from './backlog.ts'
import { PacedWriter, SLICE } from './paced-writer.ts'

/** For idle connections. Longer than the clients of most libraries keep theirs. */
const KEEP_ALIVE_MS = 30_000

/** At the end, the time for clients to read their responses. */
const FAREWELL_MS = 1000

export const nodeServing: Serving = {
  async listen(options, handler) {
    const { host, port } = options
    const backlog = new Backlog(options.unread, options.onSlowClient)
    const desk: ServingContext = { options, handler, backlog, isStopped: false }
    const { server, renew } = await createServer(options, (request, response) =>
      receive(request, response, desk),
    )
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port }, resolve)
    })
    const address = server.address()
    const isClosed = new Promise<void>((resolve) => server.once('close', resolve))
    const stop = (): void => {
      if (desk.isStopped) return
      desk.isStopped = true
      server.close()
      server.closeIdleConnections()
    }
    return {
      port: typeof address === 'object' && address !== null ? address.port : port,
      renew,
      stop,
      async close() {
        stop()
        const late = setTimeout(() => server.closeAllConnections(), FAREWELL_MS)
        await isClosed
        clearTimeout(late)
      },
    }
  },
}

interface ServingContext {
  readonly options: ListenOptions
  readonly handler: RequestHandler
  readonly backlog: Backlog
  /** Every response is then the last on its connection. */
  isStopped: boolean
}

async function createServer(
  { maxHeaderBytes, requestTimeoutMs, tls }: ListenOptions,
  listener: RequestListener,
): Promise<{ readonly server: Server; renew(tls: { cert: string; key: string }): void }> {
  const limits = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // How often Node checks the limits above.
    connectionsCheckingInterval: Math.min(requestTimeoutMs, 5000),
    noDelay: true,
  }
  if (tls === undefined) {
    const http = await import('node:http')
    return { server: http.createServer(limits, listener), renew: () => undefined }
  }
  const https = await import('node:https')
  const server = https.createServer(
    { ...limits, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: requestTimeoutMs },
    listener,
  )
  // A client that hangs up during the handshake, or speaks no TLS, has made no request.
  server.on('tlsClientError', () => undefined)
  return { server, renew: (next) => server.setSecureContext({ ...next, minVersion: 'TLSv1.2' }) }
}

function receive(request: IncomingMessage, response: ServerResponse, desk: ServingContext): void {
  const { method = '', url = '', headers } = request
  const head: RequestHead = { method, path: url, headers, from: request.socket.remoteAddress ?? '' }
  if (desk.isStopped) response.shouldKeepAlive = false
  // A request that breaks off in the middle counts as never made.
  request.on('error', () => undefined)
  const refusal = refuseHosts(request) ?? refuseLength(request, desk.options)
  if (refusal !== undefined) return turnAway(request, response, refusal)
  const admission = desk.handler.admit(head)
  if (!(admission instanceof Promise)) return readInTurn(request, response, { desk, admission })
  // The body is not read meanwhile.
  admission.then(
    (settled) => readInTurn(request, response, { desk, admission: settled }),
    () => turnAway(request, response, FAILED),
  )
}

interface Admitted {
  readonly desk: ServingContext
  readonly admission: Admission
}

/** A client with too much to read must read first. Only then is its next request read. */
function readInTurn(request: IncomingMessage, response: ServerResponse, { desk, admission }: Admitted): void {
  const wait = admission.kind === 'admitted' ? desk.backlog.untilRead(admission.client) : undefined
  if (wait === undefined) read(request, response, { desk, admission })
  else void wait.then(() => read(request, response, { desk, admission }))
}

function read(request: IncomingMessage, response: ServerResponse, { desk, admission }: Admitted): void {
  if (admission.kind === 'refused') return turnAway(request, response, admission.reply)
  const { client } = admission
  const { maxBodyBytes, requestTimeoutMs } = desk.options
  const chunks: Buffer[] = []
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBodyBytes) turnAway(request, response, TOO_LARGE)
    else chunks.push(chunk)
  })
  request.on('end', () => {
    if (!response.writableEnded)
      admission.take(
        Buffer.concat(chunks).toString('utf8'),
        new NodeReply(response, { desk, client, unreadMs: requestTimeoutMs }),
        size,
      )
  })
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' }

const TOO_LARGE: WholeReply = { status: 413, headers: TEXT, body: 'The body is too large.\n' }

const FAILED: WholeReply = { status: 500, headers: TEXT, body: 'Nobody could tell who asks.\n' }

const TWO_HOSTS: WholeReply = { status: 400, headers: TEXT, body: 'A request has one Host.\n' }

/** Node keeps the first and drops the others. A proxy in front of us may have checked another one. */
function refuseHosts({ rawHeaders }: IncomingMessage): WholeReply | undefined {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1 ? TWO_HOSTS : undefined
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

function sendWhole(response: ServerResponse, { status, headers, body }: WholeReply): number {
  const length = Buffer.byteLength(body)
  response.writeHead(status, { ...headers, 'content-length': length })
  // As text it goes out in one piece with the headers.
  response.end(body, 'utf8')
  return length
}

interface ReplyOptions {
  readonly desk: ServingContext
  readonly client: string
  /** The limit for a response without a byte of it being read. */
  readonly unreadMs: number
}

class NodeReply implements Reply {
  readonly #response: ServerResponse
  readonly #desk: ServingContext
  readonly #unreadMs: number
  readonly #writer: PacedWriter
  #sent = 0

  constructor(response: ServerResponse, { desk, client, unreadMs }: ReplyOptions) {
    this.#response = response
    this.#desk = desk
    this.#unreadMs = unreadMs
    this.#writer = new PacedWriter(response, {
      backlog: desk.backlog,
      client,
      onBehind: (isBehind) => this.#limit(isBehind),
    })
  }

  send(reply: WholeReply): void {
    const response = this.#response
    if (response.writableEnded || response.destroyed) return
    this.#endConnection()
    if (reply.body.length > SLICE) return this.#sendLong(reply)
    const bytes = sendWhole(response, reply)
    this.#sent += bytes
    if (response.writableLength === 0) return
    this.#writer.note(bytes)
    this.#limit(true)
  }

  stream(status: number, headers: Readonly<Record<string, string>>): void {
    this.#response.writeHead(status, headers)
    this.#response.flushHeaders()
  }

  write(text: string): void {
    this.#sent += this.#writer.write(text)
  }

  end(): void {
    this.#endConnection()
    this.#writer.finish()
  }

  bytes(): number {
    return this.#sent
  }

  onGone(listener: () => void): void {
    this.#response.once('close', () => {
      if (!this.#response.writableFinished) listener()
    })
  }

  #sendLong({ status, headers, body }: WholeReply): void {
    this.#response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
    this.write(body)
    this.end()
  }

  /**
   * After the last response of a listener that stops. Otherwise the client may keep the connection for its next
   * request.
   */
  #endConnection(): void {
    if (!this.#desk.isStopped) return
    const { socket } = this.#response
    this.#response.once('finish', () => socket?.end())
  }

  /** Node hangs up then. Once the response was read, or with the next request, Node's own limit applies again. */
  #limit(isBehind: boolean): void {
    this.#response.socket?.setTimeout(isBehind ? this.#unreadMs : 0)
  }
}
