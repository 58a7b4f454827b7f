/**
 * plain-http: requests that are not encrypted, over connections that are kept and used again.
 *
 * in     requests, each with who is told of its answer
 * out    what comes of it, after the call has returned
 * never  sends what would not be read as it is meant; opens more than 128 connections to one peer for requests that can wait
 *
 * Servers on this machine are spoken to in this way, and of a call to one undici takes a third. What is encrypted takes
 * longer anyhow, and is undici's.
 */
import type { LookupFunction, TcpSocketConnectOpts } from 'node:net'
import { isHeaderName } from './answer-head.ts'
import {
  afterLook,
  PlainConnection,
  Turn,
  type ConnectionOwner,
  type TurnHolder,
} from './plain-connection.ts'
import { MAX_CONNECTIONS, type Agents, type Handler, type Sendable, type Sender } from './sender.ts'

export interface PlainOptions {
  /** Default: as the system does it. */
  readonly lookup?: LookupFunction
}

export function createPlainAgents(options: PlainOptions): Agents {
  return { patient: createSender(options, MAX_CONNECTIONS), urgent: createSender(options, Infinity) }
}

/** Each has connections of its own: streams that are open for hours are urgent, and must not use up those of the others. */
function createSender(options: PlainOptions, maxConnections: number): Sender {
  const peers = new Map<string, Peer>()
  return {
    dispatch(request, handler) {
      const { origin } = request
      let peer = peers.get(origin)
      if (peer === undefined) peers.set(origin, (peer = new Peer(origin, { ...options, maxConnections })))
      peer.take(request, handler)
    },
  }
}

/** How often connections are looked for that have rested for too long. */
const SWEEP_MS = 5000

/** From here on a server may have had enough of a connection. Those that say nothing of it wait for some seconds. */
const LOOK_MS = 1000

/** Where requests of one origin go. */
class Peer implements ConnectionOwner, TurnHolder {
  readonly hasWritten = false
  readonly #target: TcpSocketConnectOpts
  readonly #maxConnections: number
  readonly #host: string
  /** Connections, also those that are not there yet. */
  #open = 0
  /** The one that was used last comes last. */
  readonly #resting: PlainConnection[] = []
  readonly #waiting: Turn[] = []
  #willSweep = false
  /** Requests of a session have the same head, mostly. */
  #last: { readonly of: Head; readonly lines: string | Error } | undefined

  constructor(origin: string, { lookup, maxConnections }: PlainOptions & { maxConnections: number }) {
    const { host, hostname, port } = new URL(origin)
    this.#maxConnections = maxConnections
    this.#host = host
    this.#target = {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || 80),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
      ...(lookup === undefined ? {} : { lookup }),
    }
  }

  take(request: Sendable, handler: Handler): void {
    const lines = this.#linesOf(request)
    if (lines instanceof Error) return queueMicrotask(() => handler.onResponseError(undefined, lines))
    // What is posted has a length, if only that of nothing.
    const turn = new Turn(lines, request.body ?? (request.method === 'POST' ? '' : null), handler)
    this.#place(turn)
    handler.onRequestStart(turn)
  }

  #place(turn: Turn): void {
    const rested = this.#findRested()
    if (rested !== undefined && rested.restedMs > LOOK_MS) this.#lookAndSend(rested, turn)
    else if (rested !== undefined) rested.send(turn)
    else if (this.#open < this.#maxConnections) this.#connect(turn)
    else this.#wait(turn)
  }

  /** A server may have given it up, without us having heard of it: while a host is busy, nobody listens. */
  #lookAndSend(rested: PlainConnection, turn: Turn): void {
    turn.holder = this
    afterLook(() => {
      const isFresh = rested.isFresh()
      if (!isFresh) rested.close()
      if (turn.isAborted) return isFresh ? this.#putBack(rested) : undefined
      if (isFresh) rested.send(turn)
      else this.#place(turn)
    })
  }

  #linesOf({ method, path, headers }: Sendable): string | Error {
    const last = this.#last
    if (last?.of.headers === headers && last.of.path === path && last.of.method === method) return last.lines
    const of = { method, path, headers }
    const lines = writeLines(of, this.#host)
    this.#last = { of, lines }
    return lines
  }

  #findRested(): PlainConnection | undefined {
    for (let found = this.#resting.pop(); found !== undefined; found = this.#resting.pop()) {
      if (found.isFresh()) return found
      found.close()
    }
    return undefined
  }

  #wait(turn: Turn): void {
    turn.holder = this
    this.#waiting.push(turn)
  }

  drop(turn: Turn): void {
    remove(this.#waiting, turn)
  }

  #connect(turn: Turn): void {
    this.#open++
    turn.holder = new PlainConnection(this, this.#target, turn)
  }

  onFree(connection: PlainConnection): void {
    connection.rest()
    this.#putBack(connection)
  }

  /** It rests since it was used last, whoever has looked at it in between. */
  #putBack(connection: PlainConnection): void {
    const next = this.#waiting.shift()
    if (next !== undefined) return connection.send(next)
    this.#resting.push(connection)
    this.#sweepLater()
  }

  onClosed(connection: PlainConnection): void {
    this.#open--
    remove(this.#resting, connection)
    const next = this.#waiting.shift()
    if (next !== undefined) this.#connect(next)
  }

  #sweepLater(): void {
    if (this.#willSweep || this.#resting.length === 0) return
    this.#willSweep = true
    setTimeout(() => this.#sweep(), SWEEP_MS).unref()
  }

  #sweep(): void {
    this.#willSweep = false
    for (const one of this.#resting.filter((one) => !one.isFresh())) one.close()
    this.#sweepLater()
  }
}

function remove<T>(list: T[], one: T): void {
  const at = list.indexOf(one)
  if (at !== -1) list.splice(at, 1)
}

type Head = Pick<Sendable, 'method' | 'path' | 'headers'>

const VALUE = /^[\t\u0020-\u007E\u0080-\u00FF]*$/
const PATH = /^[\u0021-\u007E]+$/

/** Said of the connection, or of the length of a body, by whoever writes them. */
const OURS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
])

/** All of a head but the length of the body. */
function writeLines({ method, path, headers }: Head, host: string): string | Error {
  if (!PATH.test(path)) return unfit('the path of the address')
  let [lines, hasHost] = ['', false]
  for (let at = 0; at < headers.length; at += 2) {
    const [name, value] = [headers[at]!, headers[at + 1]!]
    const lower = name.toLowerCase()
    const isFit =
      isHeaderName(name) && VALUE.test(value) && !OURS.has(lower) && !(hasHost && lower === 'host')
    if (!isFit) return unfit(`the header \`${name.slice(0, 60)}\``)
    hasHost ||= lower === 'host'
    lines += `${name}: ${value}\r\n`
  }
  const start = `${method} ${path} HTTP/1.1\r\n${hasHost ? '' : `host: ${host}\r\n`}`
  return `${start}connection: keep-alive\r\n${lines}`
}

function unfit(what: string): Error {
  return Object.assign(new Error(`${what} cannot be sent as it is`), { code: 'UND_ERR_INVALID_ARG' })
}
