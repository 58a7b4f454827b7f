/**
 * http-socket: connections of which undici reads without a stream in between.
 *
 * in     undici's own way to connect
 * out    the same, for what is not encrypted: its bytes are read into shared memory, and given to undici at once
 * never  gives away memory that others are read into: undici keeps the head of an answer until that is complete, and a
 *        server that sends half of one must not get to know what is read meanwhile
 *
 * So what is short is copied. Who sends as much as fits in gets memory of its own, for as long as it is connected: of a
 * long body undici keeps nothing.
 */
import type { OnReadOpts, Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { SHARED_BYTES, sharedMemory } from './shared-memory.ts'

export function createConnector(
  build: typeof buildConnector,
  options: buildConnector.BuildOptions,
): buildConnector.connector {
  const connectEncrypted = build(options)
  return (target, callback) => {
    if (target.protocol === 'https:') return connectEncrypted(target, callback)
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
    const { read } = socket
    // A number is asked for by Node alone, to get things going.
    socket.read = (size?: number) =>
      size === undefined ? this.#take() : (read.call(socket, size) as unknown)
    socket.unshift = (bytes: Buffer) => this.#keep(Buffer.from(bytes))
  }

  #give(bytes: Buffer, length: number): boolean {
    const came = bytes.subarray(0, length)
    this.#keep(bytes === this.#own ? came : Buffer.from(came))
    // Zeroes, and not what others left there.
    if (length === bytes.length) this.#own ??= Buffer.alloc(SHARED_BYTES)
    current = this.#socket
    current?.emit('readable')
    current = undefined
    return true
  }

  #keep(bytes: Buffer): void {
    this.#came = this.#came === null ? bytes : Buffer.concat([this.#came, bytes])
  }

  #take(): Buffer | null {
    const came = this.#came
    this.#came = null
    return came
  }
}
