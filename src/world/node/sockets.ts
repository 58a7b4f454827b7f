/**
 * sockets: WebSockets, which Node 20 does not have.
 *
 * never  loads `ws` before the first one; takes a message of more than 64 MB
 */
import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import {
  MAX_BODY_BYTES,
  type SocketEnd,
  type SocketListener,
  type SocketRequest,
  type Sockets,
} from '../world.ts'

/** How long the other side may take to say goodbye, or to explain its refusal. */
const PATIENCE_MS = 1000

/** Of a refusal. */
const MAX_EXPLANATION = 2048

export const nodeSockets: Sockets = {
  open(request, listener) {
    let socket: WebSocket | undefined
    let isClosed = false
    const start = async (): Promise<void> => {
      socket = await connect(request, listener)
      if (isClosed && socket !== undefined) hangUp(socket)
    }
    void start()
    return {
      send: (text) => socket?.send(text),
      close() {
        isClosed = true
        if (socket !== undefined) hangUp(socket)
      },
    }
  },
}

/** Undefined: it was over before it began, which the listener knows. */
async function connect(
  { url, headers, protocols }: SocketRequest,
  listener: SocketListener,
): Promise<WebSocket | undefined> {
  const { WebSocket } = await import('ws')
  try {
    const options = { headers: { ...headers }, maxPayload: MAX_BODY_BYTES, perMessageDeflate: false }
    return listen(new WebSocket(url, [...protocols], options), listener)
  } catch (error) {
    // An address or a subprotocol that is none. The message repeats the address, and with it what may be secret in it.
    const message = error instanceof SyntaxError ? 'the address is not one of a WebSocket' : String(error)
    listener.onClose({ kind: 'failed', code: 'ERR_INVALID_URL', message })
    return undefined
  }
}

function listen(socket: WebSocket, listener: SocketListener): WebSocket {
  let end: SocketEnd | undefined
  socket.on('open', () => listener.onOpen())
  socket.on('message', (bytes: Buffer) => listener.onText(bytes.toString('utf8')))
  socket.on('unexpected-response', (request, response) => {
    const status = response.statusCode ?? 0
    const challenge = response.headers['www-authenticate']
    end = { kind: 'refused', status, body: '', challenge }
    readStart(response, (body) => {
      end = { kind: 'refused', status, body, challenge }
      request.destroy()
      socket.terminate()
    })
  })
  socket.on('error', (error: NodeJS.ErrnoException) => (end ??= toEnd(error)))
  socket.on('close', (code) => listener.onClose(end ?? { kind: 'closed', code }))
  return socket
}

function toEnd(error: NodeJS.ErrnoException): SocketEnd {
  const { code, message } = error
  // `ws` gives its own complaints about the other side such a code, or none during the handshake.
  if (code === undefined || code.startsWith('WS_ERR_')) return { kind: 'misspoke', message }
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : []
  return { kind: 'failed', code, message: message || (first?.message ?? code) }
}

function readStart(response: IncomingMessage, use: (text: string) => void): void {
  let text = ''
  let isDone = false
  const finish = (): void => {
    if (isDone) return
    isDone = true
    clearTimeout(timer)
    use(text.slice(0, MAX_EXPLANATION))
  }
  const timer = setTimeout(finish, PATIENCE_MS)
  response.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
    if (text.length >= MAX_EXPLANATION) finish()
  })
  response.on('close', finish)
  response.on('error', finish)
}

function hangUp(socket: WebSocket): void {
  socket.close()
  const timer = setTimeout(() => socket.terminate(), PATIENCE_MS)
  socket.on('close', () => clearTimeout(timer))
}
