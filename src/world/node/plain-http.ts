/**
 * plain-http: requests that are not encrypted, over connections that are kept and used again.
 *
 * in     requests, each with who is told of its answer
 * out    what comes of it, after the call has returned
 * never  sends what would not be read as it is meant; opens more than 128 connections to one peer for requests that can wait
 *
 * Servers on this machine are spoken to in this way, and to those undici takes as long as the server does. What is encrypted
 * takes longer anyhow, and is undici's.
 */
import type { LookupFunction, TcpSocketConnectOpts } from 'node:net'
import { PlainConnection, Turn, type ConnectionOwner, type TurnHolder } from './plain-connection.ts'
import type { Agents, Handler, Sendable, Sender } from './sender.ts'

export interface PlainOptions {
  /** Default: as the system does it. */
  readonly lookup?: LookupFunction
}

export function createPlainAgents(options: PlainOptions): Agents {
  const peers = new Map<string, Peer>()
  const senderOf = (haste: Haste): Sender => ({
    dispatch(request, handler) {
      const { origin } = request
      let peer = peers.get(origin)
      if (peer === undefined) peers.set(origin, (peer = new Peer(origin, options)))
      peer.take(request, handler, haste)
    },
  })
  return { patient: senderOf('patient'), urgent: senderOf('urgent') }
}

type Haste = 'patient' | 'urgent'

const MAX_CONNECTIONS = 128

/** How often connections are looked for that have rested for too long. */
const SWEEP_MS = 5000

/** Where requests of one origin go. */
class Peer implements ConnectionOwner, TurnHolder {
  readonly hasWritten = false
  readonly #target: TcpSocketConnectOpts
  readonly #host: string
  readonly #open = new Set<PlainConnection>()
  /** The one that was used last comes last. */
  readonly #resting: PlainConnection[] = []
  readonly #waiting: Turn[] = []
  #willSweep = false
  /** Requests of a session have the same head, mostly. */
  #last: { readonly of: Head; readonly lines: string | Error } | undefined

  constructor(origin: string, { lookup }: PlainOptions) {
    const { host, hostname, port } = new URL(origin)
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

  take(request: Sendable, handler: Handler, haste: Haste): void {
    const lines = this.#linesOf(request)
    if (lines instanceof Error) return queueMicrotask(() => handler.onResponseError(undefined, lines))
    // What is posted has a length, if only that of nothing.
    const turn = new Turn(lines, request.body ?? (request.method === 'POST' ? '' : null), handler)
    const rested = this.#findRested()
    if (rested !== undefined) rested.send(turn)
    else if (haste === 'patient' && this.#open.size >= MAX_CONNECTIONS) this.#wait(turn)
    else this.#connect(turn)
    handler.onRequestStart(turn)
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
    this.#open.add(new PlainConnection(this, this.#target, turn))
  }

  onFree(connection: PlainConnection): void {
    const next = this.#waiting.shift()
    if (next !== undefined) return connection.send(next)
    connection.rest()
    this.#resting.push(connection)
    this.#sweepLater()
  }

  onClosed(connection: PlainConnection): void {
    this.#open.delete(connection)
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

const NAME = /^[\w!#$%&'*+.^`|~-]+$/
const VALUE = /^[\t\u0020-\u007E\u0080-\u00FF]*$/
const PATH = /^[\u0021-\u007E]+$/

/** All of a head but the length of the body. */
function writeLines({ method, path, headers }: Head, host: string): string | Error {
  if (!PATH.test(path)) return unfit('the path of the address')
  let [lines, hasHost] = ['', false]
  for (let at = 0; at < headers.length; at += 2) {
    const [name, value] = [headers[at]!, headers[at + 1]!]
    if (!NAME.test(name) || !VALUE.test(value)) return unfit(`the header \`${name.slice(0, 60)}\``)
    hasHost ||= name.toLowerCase() === 'host'
    lines += `${name}: ${value}\r\n`
  }
  const start = `${method} ${path} HTTP/1.1\r\n${hasHost ? '' : `host: ${host}\r\n`}`
  return `${start}connection: keep-alive\r\n${lines}`
}

function unfit(what: string): Error {
  return Object.assign(new Error(`${what} has characters that cannot be sent`), {
    code: 'UND_ERR_INVALID_ARG',
  })
}
