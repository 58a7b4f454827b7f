/**
 * plain-connection: a connection that is not encrypted, for one request at a time.
 *
 * in     where it goes, and the first request; later ones when it was free
 * out    what comes of them to whoever made them; when it is free again, and when it is closed
 * never  is free before the loop has looked whether the server closed it: some do so without a word. Keeps the process
 *        alive while it rests
 */
import type { Socket, TcpSocketConnectOpts } from 'node:net'
import type { AnswerHead } from './answer-head.ts'
import { AnswerReader, type AnswerFault, type AnswerReaderListener } from './answer-reader.ts'
import type { Controller, Handler } from './sender.ts'
import { canShare, sharedMemory } from './shared-memory.ts'

/** How long the other side may take to accept it. */
const CONNECT_MS = 10_000

/** How long the rest of a request may take that has its answer already. */
const LINGER_MS = 5000

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
  isAborted = false

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
    this.isAborted = true
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
    this.#turn = turn
    const socket = connect(target, (bytes) => this.#read(bytes))
    this.#socket = socket
    const timer = setTimeout(() => socket.destroy(timedOut()), CONNECT_MS)
    socket.on('connect', () => {
      clearTimeout(timer)
      this.send(turn)
    })
    socket.on('end', () => this.#reader.finish())
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Who closes without having read everything ends so, also behind a whole body.
      if (error.code === 'ECONNRESET' && this.#reader.isEndless) this.#reader.finish()
      this.#fail(error)
    })
    socket.on('close', () => {
      clearTimeout(timer)
      this.#reader.finish()
      this.#owner.onClosed(this)
    })
  }

  #read(bytes: Buffer): void {
    try {
      this.#reader.push(bytes)
    } catch (error) {
      // A mistake of who is told, and who is told of that.
      this.close()
      this.#fail(error as Error)
    }
  }

  /** Whether nothing is left to be written. */
  get hasWritten(): boolean {
    return this.#socket.writableLength === 0
  }

  send(turn: Turn): void {
    this.#turn = turn
    turn.holder = this
    this.#socket.ref()
    this.#reader.expect()
    this.#write(turn)
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

  get restedMs(): number {
    return performance.now() - this.#restsSince
  }

  /** Whether the other side is there, as far as is known. */
  isFresh(): boolean {
    return this.#socket.writable && this.restedMs < this.#keepMs
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
    try {
      turn?.handler.onResponseEnd(turn)
    } catch (error) {
      turn?.handler.onResponseError(turn, error as Error)
    }
  }

  #freeLater(): void {
    if (this.#keepMs === 0) return this.close()
    const free = (): void => afterLook(() => this.#socket.writable && this.#owner.onFree(this))
    if (this.hasWritten) return free()
    // An answer may come before the request was read. What nobody reads would keep the process alive.
    const timer = setTimeout(() => this.close(), LINGER_MS)
    this.#socket.write('', () => {
      clearTimeout(timer)
      free()
    })
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

/** Once the loop has looked what came: with the first of these it is still where it was when the last answer came. */
export function afterLook(work: () => void): void {
  setImmediate(() => setImmediate(work))
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
