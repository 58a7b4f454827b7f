/**
 * sockets: WebSockets, which Node 20 does not have, through a proxy where the environment names one.
 *
 * never  loads `ws` before the first socket, or what proxies need before the first proxied one; takes a message of more
 *        than 64 MB
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { ClientOptions, WebSocket } from 'ws'
import { findRoute, type Proxy, type Route } from '../proxy.ts'
import {
  MAX_BODY_BYTES,
  PROXY_UNUSABLE,
  type Env,
  type FaultyVia,
  type SocketEnd,
  type SocketListener,
  type SocketRequest,
  type Sockets,
} from '../world.ts'

/** How long the other side may take to close, or to explain its refusal. */
const PATIENCE_MS = 1000

/** Of the body of a refusal. */
const MAX_EXPLANATION = 2048

export function createNodeSockets(env: Env): Sockets {
  return {
    open(request, listener) {
      let socket: WebSocket | undefined
      const closing = new AbortController()
      const start = async (): Promise<void> => {
        socket = await connect(request, listener, {
          route: findRoute(request.url, env),
          closing: closing.signal,
        })
        if (closing.signal.aborted && socket !== undefined) hangUp(socket)
      }
      void start()
      return {
        send: (text) => socket?.send(text),
        get unread() {
          return socket?.bufferedAmount ?? 0
        },
        close() {
          closing.abort()
          if (socket !== undefined) hangUp(socket)
        },
      }
    },
  }
}

interface Way {
  readonly route: Route
  readonly closing: AbortSignal
}

/** Undefined: it ended before it was open, and the listener was called. */
async function connect(
  { url, headers, protocols }: SocketRequest,
  listener: SocketListener,
  { route, closing }: Way,
): Promise<WebSocket | undefined> {
  const { WebSocket } = await import('ws')
  const options: ClientOptions = {
    headers: { ...headers },
    maxPayload: MAX_BODY_BYTES,
    perMessageDeflate: false,
  }
  try {
    if (route.kind === 'direct') return listen(new WebSocket(url, [...protocols], options), listener, route)
    const tunnel = await openWay(url, route, closing)
    if (!('socket' in tunnel)) return void listener.onClose(tunnel)
    const createConnection = (): Socket => tunnel.socket
    return listen(new WebSocket(url, [...protocols], { ...options, createConnection }), listener, route)
  } catch (error) {
    // The address or a subprotocol is invalid. The error message repeats the address, and may contain a secret.
    const message = error instanceof SyntaxError ? 'the address is not one of a WebSocket' : String(error)
    listener.onClose({ kind: 'failed', code: 'ERR_INVALID_URL', message })
    return undefined
  }
}

/** A socket through the proxy, or why it failed. */
async function openWay(
  url: string,
  route: Exclude<Route, { kind: 'direct' }>,
  closing: AbortSignal,
): Promise<{ readonly socket: Socket } | SocketEnd> {
  if (route.kind === 'unusable') {
    const via = { ...route.via, isAtFault: true }
    return { kind: 'failed', code: PROXY_UNUSABLE, message: route.message, via }
  }
  const { openTunnel } = await import('./tunnel.ts')
  const { hostname, port, protocol } = new URL(url)
  const isSecure = protocol === 'wss:'
  const end = {
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
    isSecure,
  }
  return new Promise((resolve) => {
    const giveUp = (): void => {
      cancel()
      resolve({ kind: 'closed', code: CLOSED_BY_US })
    }
    const settle = (outcome: { readonly socket: Socket } | SocketEnd): void => {
      closing.removeEventListener('abort', giveUp)
      resolve(outcome)
    }
    const cancel = openTunnel(route.proxy, end, {
      onOpen: (socket) => settle({ socket }),
      onFailed: (error) => settle(toEnd(error, blame(error, route.proxy))),
    })
    if (closing.aborted) giveUp()
    else closing.addEventListener('abort', giveUp, { once: true })
  })
}

/** A normal close. */
const CLOSED_BY_US = 1000

function blame({ name }: Error, { via }: Proxy): FaultyVia {
  return { ...via, isAtFault: name === 'ProxyError' }
}

function listen(socket: WebSocket, listener: SocketListener, route: Route): WebSocket {
  let end: SocketEnd | undefined
  const via = route.kind === 'proxy' ? { via: route.proxy.via } : {}
  socket.on('open', () => listener.onOpen())
  socket.on('message', (bytes: Buffer) => listener.onText(bytes.toString('utf8')))
  socket.on('unexpected-response', (request, response) => {
    const status = response.statusCode ?? 0
    const challenge = response.headers['www-authenticate']
    end = { kind: 'refused', status, body: '', challenge, ...via }
    readStart(response, (body) => {
      end = { kind: 'refused', status, body, challenge, ...via }
      request.destroy()
      socket.terminate()
    })
  })
  socket.on('error', (error: NodeJS.ErrnoException) => (end ??= toEnd(error)))
  socket.on('close', (code) => listener.onClose(end ?? { kind: 'closed', code }))
  return socket
}

function toEnd(error: NodeJS.ErrnoException, via?: FaultyVia): SocketEnd {
  const { code, message } = error
  // `ws` uses such a code, or none during the handshake, for its own complaints about the other side.
  if (code === undefined || code.startsWith('WS_ERR_')) return { kind: 'misspoke', message }
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : []
  return {
    kind: 'failed',
    code,
    message: message || (first?.message ?? code),
    ...(via === undefined ? {} : { via }),
  }
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
