/**
 * http-socket: connections of which undici reads without a stream in between.
 *
 * in     undici's own way to connect
 * out    the same; what comes over a connection that is not encrypted is read into shared memory, and given to undici at
 *        once. For listeners that never have undici pause
 * never  gives away memory that others are read into: undici keeps what came of a head until that is complete, and a server
 *        that sends half of one must not get to know what is read meanwhile
 *
 * So what is short is copied. Who sends much gets memory of its own, for as long as it is connected: of a long body undici
 * keeps nothing. Who sends 64 kB of other heads before a half one gets that mixed up with its own bytes, and no others.
 */
import type { OnReadOpts, Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { canShare, SHARED_BYTES, sharedMemory } from './shared-memory.ts'

export function createConnector(
  build: typeof buildConnector,
  options: buildConnector.BuildOptions,
): buildConnector.connector {
  const connect = build(options)
  return (target, callback) => {
    if (target.protocol === 'https:' || !canShare()) return connect(target, callback)
    const reading = new Reading()
    const open = build({ ...options, onread: reading.onread } as buildConnector.BuildOptions)
    reading.of(open(target, callback) as unknown as Socket)
  }
}

/** Of the connection whose bytes undici looks at right now, where it is one of these: whether all was written that was sent. */
export function hasWrittenAll(): boolean {
  return current?.writableLength === 0
}

let current: Socket | undefined

/** Four times what undici takes for a head. */
const LONG = 64 * 1024

class Reading {
  readonly onread: OnReadOpts = {
    buffer: () => this.#own ?? sharedMemory(),
    callback: (length, bytes) => this.#give(bytes as Buffer, length),
  }
  #socket: Socket | undefined
  #own: Buffer | undefined
  /** Until undici has taken it, which it does when it is told. */
  #came: Buffer | null = null

  of(socket: Socket): void {
    this.#socket = socket
    const read = socket.read.bind(socket)
    // With a size it is Node that asks, to get things going. What is not ours came through the stream, after all.
    socket.read = (size?: number): unknown => (size === undefined ? (this.#take() ?? read()) : read(size))
    socket.unshift = (bytes: Buffer) => this.#keep(Buffer.from(bytes), this.#take())
  }

  #give(bytes: Buffer, length: number): boolean {
    const came = bytes.subarray(0, length)
    const isLong = length >= LONG
    this.#keep(this.#take(), isLong && bytes === this.#own ? came : Buffer.from(came))
    // Zeroes, and not what others left there.
    if (isLong) this.#own ??= Buffer.alloc(SHARED_BYTES)
    this.#tell()
    return true
  }

  #tell(): void {
    current = this.#socket
    try {
      current?.emit('readable')
    } finally {
      current = undefined
    }
  }

  #keep(first: Buffer | null, second: Buffer | null): void {
    this.#came = first === null || second === null ? (first ?? second) : Buffer.concat([first, second])
  }

  #take(): Buffer | null {
    const came = this.#came
    this.#came = null
    return came
  }
}
