/**
 * tunnel: a connection to a host, through a proxy that is asked for one with CONNECT.
 *
 * in     the proxy, and where the other end is to be
 * out    a socket, encrypted up to the other end where that is wanted; or an error that knows who is at fault
 * never  sends anything but the name of the host before the proxy has agreed; leaves a socket open that nobody got
 *
 * Why not undici's ProxyAgent: a proxy that hangs up without an answer makes it connect anew thousands of times a second,
 * for ever, and what a proxy answers is in its message alone. And a WebSocket needs a tunnel of its own anyhow.
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

/** The proxy is at fault, and not the one behind it. */
export class ProxyError extends Error {
  /** By this it is known to those who do not load this file. */
  override readonly name = 'ProxyError'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** How long the proxy and the other end may take, each. */
const LIMIT_MS = 10_000

/** As undici calls it when it connects by itself. */
const TIMED_OUT = 'UND_ERR_CONNECT_TIMEOUT'

/** One of the two is told, once; none after it was taken back with what this returns. */
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
    // TLS takes the header of a request for the name of the host; that one is not the proxy's.
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
  // One error for several addresses of a host that were tried: the first says enough.
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : []
  return new ProxyError(error.code ?? 'UNKNOWN', error.message || (first?.message ?? 'unknown'))
}
