/**
 * plain-connection: a connection that is not encrypted, for one request at a time.
 *
 * in     where it goes, and the first request; later ones when it was free
 * out    what comes of them to whoever made them; when it is free again, and when it is closed
 * never  is free before a turn of the loop has shown that the server did not close it: some do so without a word. Keeps the
 *        process alive while it rests
 */
import type { Socket, TcpSocketConnectOpts } from 'node:net'
import type { AnswerHead } from './answer-head.ts'
import { AnswerReader, type AnswerFault, type AnswerReaderListener } from './answer-reader.ts'
import type { Controller, Handler } from './sender.ts'
import { canShare, sharedMemory } from './shared-memory.ts'

/** How long the other side may take to accept it. */
const CONNECT_MS = 10_000

export interface ConnectionOwner {
  onFree(connection: PlainConnection): void
  onClosed(connection: PlainConnection): void
}

/** A request, as it is written but for the length of its body, and who is told of its answer. */
export class Turn implements Controller {
  readonly lines: string
  readonly body: string | Uint8Array | null
  readonly handler: Handler
  /** Whoever has it, or had it last. */
  holder: TurnHolder | undefined

  constructor(lines: string, body: string | Uint8Array | null, handler: Handler) {
    this.lines = lines
    this.body = body
    this.handler = handler
  }

  get hasWritten(): boolean {
    return this.holder?.hasWritten ?? false
  }

  /** Nothing more is told. */
  abort(): void {
    this.holder?.drop(this)
  }
}

export interface TurnHolder {
  readonly hasWritten: boolean
  drop(turn: Turn): void
}

export class PlainConnection implements AnswerReaderListener, TurnHolder {
  readonly #owner: ConnectionOwner
  readonly #socket: Socket
  readonly #reader = new AnswerReader(this)
  /** What it carries, or will carry once it is there. */
  #turn: Turn | undefined
  /** As the head of the last answer says. */
  #keepMs = 0
  #restsSince = 0

  constructor(owner: ConnectionOwner, target: TcpSocketConnectOpts, turn: Turn) {
    this.#owner = owner
    this.#hold(turn)
    const socket = connect(target, (bytes) => this.#reader.push(bytes))
    this.#socket = socket
    const timer = setTimeout(() => socket.destroy(timedOut()), CONNECT_MS)
    socket.on('connect', () => {
      clearTimeout(timer)
      this.send(turn)
    })
    socket.on('end', () => this.#reader.finish())
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => {
      clearTimeout(timer)
      this.#reader.finish()
      this.#owner.onClosed(this)
    })
  }

  /** Whether nothing is left to be written. */
  get hasWritten(): boolean {
    return this.#socket.writableLength === 0
  }

  send(turn: Turn): void {
    this.#hold(turn)
    this.#socket.ref()
    this.#reader.expect()
    this.#write(turn)
  }

  #hold(turn: Turn): void {
    this.#turn = turn
    turn.holder = this
  }

  #write({ lines, body }: Turn): void {
    if (body === null) return void this.#socket.write(`${lines}\r\n`, 'latin1')
    const length = Buffer.byteLength(body)
    const head = `${lines}content-length: ${length}\r\n\r\n`
    // Of a text that is ASCII each character is a byte: it goes with the head, and a write is half of a short request.
    if (typeof body === 'string' && body.length === length)
      return void this.#socket.write(head + body, 'latin1')
    this.#socket.cork()
    this.#socket.write(head, 'latin1')
    this.#socket.write(body)
    this.#socket.uncork()
  }

  drop(turn: Turn): void {
    if (this.#turn !== turn) return
    this.#turn = undefined
    this.close()
  }

  close(): void {
    this.#socket.destroy()
  }

  rest(): void {
    this.#restsSince = performance.now()
    this.#socket.unref()
  }

  /** Whether the other side is likely to be there still. */
  isFresh(): boolean {
    return this.#socket.writable && performance.now() - this.#restsSince < this.#keepMs
  }

  onHead({ status, headers, keepMs }: AnswerHead): void {
    this.#keepMs = keepMs
    this.#turn?.handler.onResponseStart(this.#turn, status, headers)
  }

  onBody(bytes: Buffer): void {
    this.#turn?.handler.onResponseData(this.#turn, bytes)
  }

  onEnd(): void {
    const turn = this.#turn
    this.#turn = undefined
    this.#freeLater()
    turn?.handler.onResponseEnd(turn)
  }

  #freeLater(): void {
    if (this.#keepMs === 0) return this.close()
    const free = (): void => void setImmediate(() => this.#socket.writable && this.#owner.onFree(this))
    // An answer may come before the request was read: what is left of that is still to be sent.
    if (this.hasWritten) free()
    else this.#socket.write('', free)
  }

  onFault({ kind, message }: AnswerFault): void {
    const code = kind === 'no-http' ? 'HPE_INVALID_ANSWER' : 'UND_ERR_SOCKET'
    this.#fail(Object.assign(new Error(message), { code }))
    this.close()
  }

  #fail(error: Error): void {
    const turn = this.#turn
    this.#turn = undefined
    turn?.handler.onResponseError(turn, error)
  }
}

/** Where memory cannot be shared, what comes goes through a stream. */
function connect(target: TcpSocketConnectOpts, onBytes: (bytes: Buffer) => void): Socket {
  const { connect: open } = process.getBuiltinModule('node:net')
  if (!canShare()) return open(target).on('data', onBytes)
  const buffer = sharedMemory()
  const callback = (length: number): boolean => {
    onBytes(buffer.subarray(0, length))
    return true
  }
  return open({ ...target, onread: { buffer, callback } })
}

/** As undici calls it. */
function timedOut(): Error {
  return Object.assign(new Error('Connect Timeout Error'), { code: 'UND_ERR_CONNECT_TIMEOUT' })
}
