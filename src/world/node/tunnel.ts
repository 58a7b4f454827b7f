/**
 * tunnel: a connection to a host through a proxy, opened with CONNECT.
 *
 * in     the proxy, and the address of the other end
 * out    a socket, encrypted up to the other end where that is wanted; or an error that says which side is at fault
 * never  sends anything but the name of the host before the proxy has agreed; leaves a socket open that no caller got
 *
 * Why not undici's ProxyAgent: if a proxy hangs up without a response, it reconnects thousands of times a second, for
 * ever. And it gives the proxy's response only inside an error message. Also, a WebSocket needs its own tunnel anyway.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Proxy } from '../proxy.ts'
import { PROXY_REFUSED } from '../world.ts'

export interface TunnelEnd {
  readonly hostname: string
  readonly port: number
  /** Whether the other end speaks TLS. */
  readonly isSecure: boolean
}

export interface TunnelListener {
  onOpen(socket: Socket): void
  onFailed(error: Error): void
}

/** The proxy is at fault, not the server behind it. */
export class ProxyError extends Error {
  /** Code that does not load this file knows the error by this name. */
  override readonly name = 'ProxyError'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** How long the proxy and the other end may take, each. */
const LIMIT_MS = 10_000

/** undici's code for the same error, when it connects by itself. */
const TIMED_OUT = 'UND_ERR_CONNECT_TIMEOUT'

/** Calls one method of the listener, once. The returned function cancels the tunnel: then it calls none. */
export function openTunnel(proxy: Proxy, end: TunnelEnd, listener: TunnelListener): () => void {
  let isOver = false
  let current: { destroy(): unknown }
  const finish = (tell: () => void): void => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    tell()
  }
  const fail = (error: Error): void =>
    finish(() => {
      current.destroy()
      listener.onFailed(error)
    })
  const later = (error: () => Error): NodeJS.Timeout => setTimeout(() => fail(error()), LIMIT_MS)
  let timer = later(() => new ProxyError(TIMED_OUT, 'the proxy does not answer'))

  const request = ask(proxy, end)
  current = request
  request.on('error', (error: NodeJS.ErrnoException) => fail(toProxyError(error)))
  request.on('connect', (response: IncomingMessage, socket: Socket, head: Buffer) => {
    current = socket
    if (isOver) return void socket.destroy()
    if (response.statusCode! < 200 || response.statusCode! > 299) return fail(toRefusal(response))
    if (head.length > 0) socket.unshift(head)
    if (!end.isSecure) return finish(() => listener.onOpen(socket))
    clearTimeout(timer)
    timer = later(() => Object.assign(new Error('no secure connection in time'), { code: TIMED_OUT }))
    const encrypted = encrypt(socket, end)
    current = encrypted
    encrypted.on('error', fail)
    encrypted.on('secureConnect', () => {
      encrypted.off('error', fail)
      finish(() => listener.onOpen(encrypted))
    })
  })
  request.end()
  return () => finish(() => current.destroy())
}

function ask({ hostname, port, isSecure, authorization }: Proxy, end: TunnelEnd) {
  const host = `${end.hostname.includes(':') ? `[${end.hostname}]` : end.hostname}:${end.port}`
  return (isSecure ? httpsRequest : httpRequest)({
    method: 'CONNECT',
    hostname,
    port,
    path: host,
    headers: { host, ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }) },
    agent: false,
    // By default, TLS uses the header of the request as the name of the host. Here that is not the proxy's name.
    ...(isSecure && isIP(hostname) === 0 ? { servername: hostname } : {}),
  })
}

function encrypt(socket: Socket, { hostname }: TunnelEnd) {
  const name = isIP(hostname) === 0 ? { servername: hostname } : {}
  return connectTls({ socket, host: hostname, ...name, ALPNProtocols: ['http/1.1'] })
}

function toRefusal({ statusCode }: IncomingMessage): ProxyError {
  return new ProxyError(PROXY_REFUSED, `HTTP ${statusCode}`)
}

function toProxyError(error: NodeJS.ErrnoException): ProxyError {
  // One error holds those of all addresses of the host: the first says enough.
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : []
  return new ProxyError(error.code ?? 'UNKNOWN', error.message || (first?.message ?? 'unknown'))
}
